import { type BigIntStats, fstatSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt, describeSystemError, systemCode } from "../../base/system-errors.ts";
import { compareTexts } from "../../base/text-format.ts";
import type { Problem } from "../../model/types.ts";
import { ledgerHead } from "../../plan/diff/ledger-line.ts";
import { folderError, inFile, isThere, noRegularFile, replaceFile, splitLines } from "../../workspace/durable-file.ts";
import { outputAt, outputError } from "../../workspace/output-file.ts";
import type { LeaseToken } from "../lease.ts";
import type { LedgerChanges, LedgerContents, LedgerLines, LedgerStore, WorkspaceState } from "../state.ts";

export interface LedgerFile extends LedgerStore {
  readonly readNow: () => LedgerContents;
}

/**
 * One JSON line per project, sorted so that git can merge it. Lines stay in the file until they are needed: those of
 * 100,000 projects have 250 MB. `check` throws if the run may not write it.
 */
export function ledgerFile(root: string, file: string, check: (token: LeaseToken) => void = () => {}): LedgerFile {
  const path = join(root, file);
  const unwritable = `the ledger ${file} cannot be written`;
  let index = noLines;
  const update = (fd: number, problems: Problem[] = []) => {
    const mark = markOf(fstatSync(fd, { bigint: true }));
    if (mark !== index.mark) index = { mark, places: indexLines(fd, file, problems) };
    return index.places;
  };
  const lines = {
    get size() {
      return index.places.size;
    },
    get: (name: string) => {
      if (!index.places.has(name)) return undefined;
      return attempt(`the ledger ${file} cannot be read`, () =>
        inFile(path, (fd) => readLine(fd, update(fd).get(name))),
      );
    },
  };
  const readNow = () => {
    const problems: Problem[] = [];
    index = noLines;
    try {
      inFile(path, (fd) => update(fd, problems));
    } catch (error) {
      const message = `the ledger cannot be read: ${describeSystemError(error)}`;
      const place = { file, line: 1, column: 1 };
      if (systemCode(error) !== "ENOENT") problems.push({ severity: "error", rule: "ledger", message, place });
    }
    return { lines, keys: Array.from(index.places.values(), ({ key }) => key), problems };
  };
  return {
    file,
    readNow,
    read: async () => readNow(),
    writeError: () => {
      const why = folderError(dirname(path)) ?? outputError(path);
      return why && `${unwritable}: ${why}`;
    },
    write: async (token, changed) => {
      check(token);
      attempt(unwritable, () => {
        const output = outputAt(path);
        if (!("file" in output)) throw noRegularFile();
        if (isThere(path)) inFile(path, (fd) => update(fd));
        else index = noLines;
        replaceFile(output.file, mergeLines(index.places, lines, changed));
        inFile(path, (fd) => update(fd));
      });
    },
  };
}

/** Where a line is in a file, in bytes. */
interface Place {
  readonly project: string;
  readonly key: string;
  readonly at: number;
  readonly length: number;
}

type Places = ReadonlyMap<string, Place>;

/** `mark` identifies the content: a ledger is replaced, never edited in place. */
const noLines: { readonly mark: string; readonly places: Places } = { mark: "", places: new Map() };

function markOf({ ino, size, mtimeNs }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs}`;
}

/** Adds warnings for invalid lines. */
function indexLines(fd: number, file: string, problems: Problem[]): Places {
  const places = new Map<string, Place>();
  const repeated = new Set<string>();
  const warn = (message: string) =>
    problems.push({ severity: "warning", rule: "ledger", message, place: { file, line, column: 1 } });
  let line = 0;
  let at = 0;
  for (const { text, length } of splitLines(fd)) {
    line++;
    const head = text.trim() === "" ? undefined : ledgerHead(text);
    const name = head?.project.toLowerCase() ?? "";
    if (head && !places.has(name) && !repeated.has(name)) places.set(name, { ...head, at, length });
    else if (head) {
      repeated.add(name);
      places.delete(name);
      warn(`${head.project} is listed twice, as after a merge; its entries are ignored`);
    } else if (text.trim() !== "") warn("not a ledger line, as after a merge conflict; ignored");
    at += length + 1;
  }
  return places;
}

function readLine(fd: number, place: Place | undefined): string | undefined {
  if (!place) return undefined;
  const bytes = Buffer.allocUnsafe(place.length);
  for (let read = 0; read < bytes.length; ) {
    const length = readSync(fd, bytes, read, bytes.length - read, place.at + read);
    if (length === 0) break;
    read += length;
  }
  return bytes.toString();
}

/** The lines after a change, with their ends, sorted by project. */
function* mergeLines(places: Places, before: LedgerLines, changed: LedgerChanges): Iterable<string> {
  const kept = [...places].flatMap(([name, { project }]) => (changed.has(name) ? [] : [[project, name] as const]));
  const added = [...changed].flatMap(([name, line]) =>
    line ? [[ledgerHead(line)?.project ?? name, name] as const] : [],
  );
  const sorted = [...kept, ...added].map(([project, name]) => [JSON.stringify(project), name] as const);
  for (const [, name] of sorted.sort(([a], [b]) => compareTexts(a, b)))
    yield `${changed.get(name) ?? before.get(name)}\n`;
}

const batchSize = 500;

/** A ledger with a document per project. */
export function ledgerDocuments({ get, put, list }: Pick<WorkspaceState, "get" | "put" | "list">): LedgerStore {
  let lines = new Map<string, string>();
  return {
    read: async () => {
      const names = await list("ledger");
      lines = new Map();
      for (const batch of splitBatches(names)) {
        for (const [name, line] of await get("ledger", batch)) if (ledgerHead(line)) lines.set(name, line);
      }
      const keys = Array.from(lines.values(), (line) => ledgerHead(line)?.key ?? "");
      const invalid = names.length - lines.size;
      const rows = invalid === 1 ? "1 row" : `${invalid} rows`;
      const message = `${rows} of the state's ledger cannot be read and are ignored`;
      return { lines, keys, problems: invalid === 0 ? [] : [{ severity: "warning", rule: "ledger", message }] };
    },
    writeError: () => undefined,
    write: async (token, changed) => {
      for (const batch of splitBatches([...changed])) await put("ledger", batch, token);
      for (const [name, line] of changed) {
        if (line === undefined) lines.delete(name);
        else lines.set(name, line);
      }
    },
  };
}

function* splitBatches<Each>(all: readonly Each[]): Iterable<readonly Each[]> {
  for (let at = 0; at < all.length; at += batchSize) yield all.slice(at, at + batchSize);
}
