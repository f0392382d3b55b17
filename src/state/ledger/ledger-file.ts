import { dirname, join } from "node:path";
import { attempt, describeSystemError, systemCode } from "../../base/system-errors.ts";
import { compareTexts } from "../../base/text-format.ts";
import type { Problem } from "../../model/types.ts";
import { ledgerHead } from "../../plan/diff/ledger-line.ts";
import { folderError, noRegularFile, readRegular, replaceFile } from "../../workspace/durable-file.ts";
import { outputAt, outputError } from "../../workspace/output-file.ts";
import type { LeaseToken } from "../lease.ts";
import type { LedgerContents, LedgerStore, WorkspaceState } from "../state.ts";

/** One JSON line per project, sorted so that git can merge it. `check` throws if the run may not write it. */
export function ledgerFile(root: string, file: string, check: (token: LeaseToken) => void = () => {}): LedgerStore {
  const path = join(root, file);
  const unwritable = `the ledger ${file} cannot be written`;
  return {
    file,
    read: async () => readLedgerFile(root, file),
    writeError: () => {
      const why = folderError(dirname(path)) ?? outputError(path);
      return why && `${unwritable}: ${why}`;
    },
    write: async (token, lines) => {
      check(token);
      attempt(unwritable, () => {
        const output = outputAt(path);
        if (!("file" in output)) throw noRegularFile();
        replaceFile(output.file, [...[...lines.values()].sort(compareTexts), ""].join("\n"));
      });
    },
  };
}

/** Reads a ledger. Problems are warnings for invalid lines, and an error if the file cannot be read. */
export function readLedgerFile(root: string, file: string): LedgerContents {
  const lines = new Map<string, string>();
  const repeated = new Set<string>();
  const problems: Problem[] = [];
  const add = (text: string, line: number) => {
    const head = ledgerHead(text);
    const name = head?.project.toLowerCase() ?? "";
    if (!head) problems.push(warning(file, line, "not a ledger line, as after a merge conflict; ignored"));
    else if (lines.has(name) || repeated.has(name)) {
      repeated.add(name);
      lines.delete(name);
      problems.push(warning(file, line, `${head.project} is listed twice, as after a merge; its entries are ignored`));
    } else lines.set(name, text);
  };
  try {
    for (const [index, text] of readRegular(join(root, file)).split("\n").entries()) {
      if (text.trim() !== "") add(text, index + 1);
    }
  } catch (error) {
    const message = `the ledger cannot be read: ${describeSystemError(error)}`;
    const place = { file, line: 1, column: 1 };
    if (systemCode(error) !== "ENOENT") problems.push({ severity: "error", rule: "ledger", message, place });
  }
  return { lines, problems };
}

function warning(file: string, line: number, message: string): Problem {
  return { severity: "warning", rule: "ledger", message, place: { file, line, column: 1 } };
}

const batchSize = 500;

/** A ledger with a document per project. */
export function ledgerDocuments({ get, put, list }: Pick<WorkspaceState, "get" | "put" | "list">): LedgerStore {
  return {
    read: async () => {
      const names = await list("ledger");
      const lines = new Map<string, string>();
      for (const batch of splitBatches(names)) {
        for (const [name, line] of await get("ledger", batch)) if (ledgerHead(line)) lines.set(name, line);
      }
      const invalid = names.length - lines.size;
      const rows = invalid === 1 ? "1 row" : `${invalid} rows`;
      const message = `${rows} of the state's ledger cannot be read and are ignored`;
      return { lines, problems: invalid === 0 ? [] : [{ severity: "warning", rule: "ledger", message }] };
    },
    writeError: () => undefined,
    write: async (token, lines, changed) => {
      for (const batch of splitBatches(changed))
        await put(
          "ledger",
          batch.map((name) => [name, lines.get(name)]),
          token,
        );
    },
  };
}

function* splitBatches(names: readonly string[]): Iterable<readonly string[]> {
  for (let at = 0; at < names.length; at += batchSize) yield names.slice(at, at + batchSize);
}
