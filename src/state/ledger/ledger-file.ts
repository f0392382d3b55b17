import { type BigIntStats, closeSync, fstatSync, openSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt, describeSystemError, systemCode } from "../../base/system-errors.ts";
import { compareTexts } from "../../base/text-format.ts";
import type { Problem } from "../../model/types.ts";
import { ledgerHead } from "../../plan/diff/ledger-line.ts";
import { folderError, inFile, isThere, noRegularFile, replaceFile, splitLines } from "../../workspace/durable-file.ts";
import { outputAt, outputError } from "../../workspace/output-file.ts";
import type { LeaseToken } from "../lease.ts";
import type { LedgerChanges, LedgerContents, LedgerStore, WorkspaceState } from "../state.ts";

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
      if (index === noLines) return undefined;
      return attempt(`the ledger ${file} cannot be read`, () =>
        inFile(path, (fd) => {
          const place = update(fd).get(name);
          return place && readLine(fd, place);
        }),
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
        replaceFile(output.file, mergeLines(path, update, changed));
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

/** @throws a system error if the file was cut short meanwhile. */
function readLine(fd: number, { at, length }: Place): string {
  const bytes = Buffer.alloc(length);
  for (let read = 0; read < length; ) {
    const part = readSync(fd, bytes, read, length - read, at + read);
    if (part === 0) throw Object.assign(new Error("the end of the file"), { code: "EIO" });
    read += part;
  }
  return bytes.toString();
}

/**
 * The lines after a change, with their ends, sorted by project. The file stays open until the last, because others may
 * replace it meanwhile, and no longer, because Windows replaces no open file.
 */
function* mergeLines(path: string, indexed: (fd: number) => Places, changed: LedgerChanges): Iterable<string> {
  const fd = isThere(path) ? openSync(path, "r") : undefined;
  try {
    const read = (place: Place) => (fd === undefined ? "" : readLine(fd, place));
    const places = fd === undefined ? noLines.places : indexed(fd);
    const kept = [...places].flatMap(([name, place]) => (changed.has(name) ? [] : [place]));
    const added = [...changed].flatMap(([name, line]) =>
      line ? [{ project: ledgerHead(line.toString())?.project ?? name, line }] : [],
    );
    const sorted = [...kept, ...added].map((each) => [JSON.stringify(each.project), each] as const);
    for (const [, each] of sorted.sort(([a], [b]) => compareTexts(a, b)))
      yield `${"line" in each ? each.line.toString() : read(each)}\n`;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
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
      for (const batch of splitBatches([...changed])) {
        const texts = batch.map(([name, line]) => [name, line?.toString()] as const);
        await put("ledger", texts, token);
        for (const [name, line] of texts) {
          if (line === undefined) lines.delete(name);
          else lines.set(name, line);
        }
      }
    },
  };
}

function* splitBatches<Each>(all: readonly Each[]): Iterable<readonly Each[]> {
  for (let at = 0; at < all.length; at += batchSize) yield all.slice(at, at + batchSize);
}
