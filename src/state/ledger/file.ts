import { dirname, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { UserError } from "../../base/exit.ts";
import { canonical } from "../../base/json.ts";
import { describeSystemError, systemCode } from "../../base/system-errors.ts";
import { compareTexts } from "../../base/text-format.ts";
import { countKeys, type LedgerHead, type LedgerLine } from "../../diff/ledger-line.ts";
import type { Place, Problem } from "../../model/types.ts";
import { folderError, noRegularFile, replaceFileBy, writeAll } from "../../workspace/durable-file.ts";
import { outputAt, outputError } from "../../workspace/output-file.ts";
import type { LeaseToken } from "../lease-store.ts";
import type { LedgerContents, LedgerEdit, LedgerEdits, LedgerStore } from "../state.ts";
import { LedgerLines } from "./lines.ts";

/**
 * A ledger in a file with one JSON line per project, sorted so that git can merge it (docs/comparing.md). `check` throws where a
 * run may not write it.
 */
export function ledgerFile(root: string, file: string, check: (token: LeaseToken) => void = () => {}): LedgerStore {
  const path = join(root, file);
  const unwritable = (why: string) => `the ledger ${file} cannot be written: ${why}`;
  return {
    file,
    read: async () => readLedgerFile(root, file),
    writeError: () => {
      const why = folderError(dirname(path)) ?? outputError(path);
      return why && unwritable(why);
    },
    write: async (token, key, edits) => {
      check(token);
      const { lines } = contentsOf(root, file);
      try {
        await write(path, textsAfter(lines, key, edits), () => check(token));
      } catch (error) {
        throw error instanceof UserError ? error : new UserError(unwritable(describeSystemError(error)));
      } finally {
        lines.close();
      }
    },
  };
}

/** Reads a ledger. Problems are warnings for invalid lines, and an error if the file cannot be read. */
export function readLedgerFile(root: string, file: string): LedgerContents {
  const { lines, problems } = contentsOf(root, file);
  return { lines, keys: countKeys(lines.heads()), problems, close: () => lines.close() };
}

function contentsOf(root: string, file: string) {
  const lines = new LedgerLines(join(root, file));
  const problems: Problem[] = [];
  try {
    lines.read((line, repeated) => problems.push(unusable({ file, line, column: 1 }, repeated)));
  } catch (error) {
    const message = `the ledger cannot be read: ${describeSystemError(error)}`;
    const place = { file, line: 1, column: 1 };
    if (systemCode(error) !== "ENOENT") problems.push({ severity: "error", rule: "ledger", message, place });
  }
  return { lines, problems };
}

/** The lines of a ledger after its edits, sorted; those of other projects are copied as they are. */
function* textsAfter(lines: LedgerLines, key: string, { projects, of }: LedgerEdits): Iterable<string> {
  const edited = new Map(projects.map((project) => [project.toLowerCase(), project]));
  for (const name of sortedNames(lines, edited)) {
    const project = edited.get(name);
    const text =
      project === undefined ? keptText(lines, name) : canonicalLine(editedLine(lines.get(name), key, of(project)));
    if (!text.endsWith(withoutEntries)) yield text;
  }
}

function keptText(lines: LedgerLines, name: string): string {
  const line = () => lines.get(name) ?? { project: name, key: "", resources: {} };
  return lines.writtenTextOf(name) ?? canonicalLine(line());
}

const withoutEntries = '"resources":{}}';

/** By the beginnings of their lines, which differ. */
function sortedNames(lines: LedgerLines, edited: ReadonlyMap<string, string>): readonly string[] {
  const names = new Set([...lines.keys(), ...edited.keys()]);
  const beginningOf = (name: string) => JSON.stringify(edited.get(name) ?? lines.headOf(name)?.project);
  return Array.from(names, beginningOf)
    .sort(compareTexts)
    .map((beginning) => String(JSON.parse(beginning)).toLowerCase());
}

/** Entries of another key are dropped. */
function editedLine(before: LedgerLine | undefined, key: string, edits: readonly LedgerEdit[]): LedgerLine {
  const resources = new Map(Object.entries(before?.key === key ? before.resources : {}));
  for (const { rest, memory } of edits) {
    if (memory) resources.set(rest, memory);
    else resources.delete(rest);
  }
  const { project } = edits.at(-1) as LedgerEdit;
  return { project, key, resources: Object.fromEntries(resources) };
}

/** Characters. */
const partSize = 1 << 20;

/** Renewals of the lease and signals get through between the parts: those of a large fleet take seconds. */
async function write(path: string, texts: Iterable<string>, check: () => void): Promise<void> {
  const output = outputAt(path);
  if (!("file" in output)) throw noRegularFile();
  await replaceFileBy(output.file, async (file) => {
    let part = "";
    for (const text of texts) {
      part += `${text}\n`;
      if (part.length < partSize) continue;
      writeAll(file, part);
      part = "";
      await turn();
    }
    writeAll(file, part);
    check();
  });
}

/** The project first, so that sorting the lines sorts the projects. */
function canonicalLine({ project, key, resources }: LedgerLine): string {
  return `{"project":${JSON.stringify(project)},"key":"${key}","resources":${canonical(resources)}}`;
}

function unusable(place: Place, repeated: LedgerHead | undefined): Problem {
  const message = repeated
    ? `${repeated.project} is listed twice, as after a merge; its entries are ignored`
    : "not a ledger line, as after a merge conflict; ignored";
  return { severity: "warning", rule: "ledger", message, place };
}
