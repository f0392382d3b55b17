import { dirname, join } from "node:path";
import { UserError } from "../../base/exit.ts";
import { grouped } from "../../base/grouped.ts";
import { canonical } from "../../base/json.ts";
import { describeSystemError, systemCode } from "../../base/system-errors.ts";
import { type LedgerLine, ledgerLine } from "../../diff/ledger-line.ts";
import type { Place, Problem } from "../../model/types.ts";
import { folderTrouble, noRegularFile, readRegular, replaceFile } from "../../workspace/durable-file.ts";
import { outputAt, outputTrouble } from "../../workspace/output-file.ts";
import type { LedgerContents, LedgerEdit, LedgerStore } from "../state.ts";

/** A ledger in a file with one JSON line per project, sorted so that git can merge it (docs/comparing.md). */
export function ledgerFile(root: string, file: string): LedgerStore {
  const path = join(root, file);
  const unwritable = (why: string) => `the ledger ${file} cannot be written: ${why}`;
  return {
    file,
    read: async () => readLedgerFile(root, file),
    writeError: () => {
      const why = folderTrouble(dirname(path)) ?? outputTrouble(path);
      return why && unwritable(why);
    },
    write: async (_, key, edits) => {
      const { lines } = readLedgerFile(root, file);
      try {
        write(path, editLines(new Map(lines), key, edits));
      } catch (error) {
        throw new UserError(unwritable(describeSystemError(error)));
      }
    },
  };
}

/** Reads the lines of a ledger. Problems are warnings for invalid lines, and an error if the file cannot be read. */
export function readLedgerFile(root: string, file: string): LedgerContents {
  const lines = new Map<string, LedgerLine>();
  const problems: Problem[] = [];
  const read = readLedgerText(join(root, file), file);
  if (typeof read !== "string") return { lines, problems: [read] };
  for (const [index, text] of read.split("\n").entries()) {
    if (text.trim() === "") continue;
    const line = ledgerLine(text);
    const place = { file, line: index + 1, column: 1 };
    if (!line || lines.has(line.project.toLowerCase())) problems.push(unusable(place, line));
    if (line)
      lines.set(line.project.toLowerCase(), lines.has(line.project.toLowerCase()) ? { ...line, key: "" } : line);
  }
  return { lines, problems };
}

/** Changes some addresses. Entries of their projects with another key are dropped. */
function editLines(
  lines: Map<string, LedgerLine>,
  key: string,
  edits: readonly LedgerEdit[],
): ReadonlyMap<string, LedgerLine> {
  for (const [name, ofProject] of grouped(edits, ({ project }) => project.toLowerCase())) {
    const before = lines.get(name);
    const resources = new Map(Object.entries(before?.key === key ? before.resources : {}));
    for (const { rest, memory } of ofProject) {
      if (memory) resources.set(rest, memory);
      else resources.delete(rest);
    }
    const { project } = ofProject.at(-1) as LedgerEdit;
    lines.set(name, { project, key, resources: Object.fromEntries(resources) });
  }
  return lines;
}

function write(path: string, lines: ReadonlyMap<string, LedgerLine>): void {
  const kept = [...lines.values()].filter(({ resources }) => Object.keys(resources).length > 0);
  const sorted = kept.map(canonicalLine).sort();
  const output = outputAt(path);
  if (!("file" in output)) throw noRegularFile();
  replaceFile(output.file, sorted.map((line) => `${line}\n`).join(""));
}

/** The project first, so that sorting the lines sorts the projects. */
function canonicalLine({ project, key, resources }: LedgerLine): string {
  return `{"project":${JSON.stringify(project)},"key":"${key}","resources":${canonical(resources)}}`;
}

/** Empty if the file does not exist. */
function readLedgerText(path: string, file: string): string | Problem {
  try {
    return readRegular(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return "";
    const message = `the ledger cannot be read: ${describeSystemError(error)}`;
    return { severity: "error", rule: "ledger", message, place: { file, line: 1, column: 1 } };
  }
}

function unusable(place: Place, line: LedgerLine | undefined): Problem {
  const message = line
    ? `${line.project} is listed twice, as after a merge; its entries are ignored`
    : "not a ledger line, as after a merge conflict; ignored";
  return { severity: "warning", rule: "ledger", message, place };
}
