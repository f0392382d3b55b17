import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { setImmediate } from "node:timers/promises";
import { UserError } from "../base/exit.ts";
import { parsedJson } from "../base/json.ts";
import { describeSystemError } from "../base/system-errors.ts";
import type { Store, StoredRow } from "./state.ts";

const heading = `${JSON.stringify({ evenkeel: "data of serve", version: 1 })}\n`;

/**
 * A store in a file to which lines are appended, one for the changes of each tick. It is synced to disk before
 * {@link Store.settled} resolves, so a kill loses no acknowledged write. A line that a kill cut short is dropped.
 * @throws UserError if the file cannot be used, or another program wrote it.
 */
export function openFileStore(file: string): Store {
  try {
    const fd = openSync(file, "a+");
    const { rows, size } = readRows(file, readFileSync(fd));
    ftruncateSync(fd, size);
    return createStore(file, rows, { fd, size });
  } catch (error) {
    throw error instanceof UserError ? error : unusable(file, describeSystemError(error));
  }
}

function unusable(file: string, why: string): UserError {
  return new UserError(`cannot open the data file ${file}: ${why}`);
}

type Rows = ReadonlyMap<string, StoredRow>;

/** The current rows, and the size of the complete lines. */
function readRows(file: string, content: Buffer): { readonly rows: Rows; readonly size: number } {
  const size = content.lastIndexOf("\n") + 1;
  const text = content.toString();
  if (!text.startsWith(heading) && !heading.startsWith(text))
    throw unusable(file, "it is no data file of this version");
  const rows = new Map<string, StoredRow>();
  const lines = content.subarray(0, size).toString().split("\n").slice(1, -1);
  for (const [index, line] of lines.entries()) {
    const entries = parsedJson(line);
    if (!Array.isArray(entries)) throw unusable(file, `line ${index + 2} is damaged`);
    for (const row of (entries as readonly StoredRow[]).map(currentRow)) {
      const [kind, key, value] = row;
      if (value === undefined) rows.delete(`${kind} ${key}`);
      else rows.set(`${kind} ${key}`, row);
    }
  }
  return { rows, size };
}

/** Converts a row of an older data file, which stored deployments apart from other resources. */
function currentRow(row: StoredRow): StoredRow {
  const [kind, key, value] = row as readonly [string, string, ({ readonly id: number } | undefined)?];
  if (kind !== "deployment") return row;
  return ["resource", `deployment/${key}`, value && { number: value.id, row: value }];
}

interface OpenFile {
  readonly fd: number;
  /** The size after the last line that this process wrote or read. */
  size: number;
}

function createStore(file: string, rows: Rows, open: OpenFile): Store {
  const dirty = new Map<string, StoredRow>();
  let flushing: Promise<void> | undefined;
  const settled = (): Promise<void> | undefined => {
    if (dirty.size === 0) return undefined;
    // After all requests that have arrived, so that they share one line.
    flushing ??= setImmediate().then(() => {
      flushing = undefined;
      append(file, open, [...dirty.values()]);
      dirty.clear();
    });
    return flushing;
  };
  return {
    fresh: rows.size === 0,
    rows: () => rows.values(),
    save: (kind, key, value) => void dirty.set(`${kind} ${key}`, [kind, key, value]),
    forget: (kind, key) => void dirty.set(`${kind} ${key}`, [kind, key]),
    settled,
    close: async () => {
      try {
        await settled();
      } finally {
        closeSync(open.fd);
      }
    },
  };
}

/** @throws if another server wrote to the file, or it was replaced. */
function append(file: string, open: OpenFile, entries: readonly StoredRow[]): void {
  const now = statSync(file);
  if (now.size !== open.size || now.ino !== fstatSync(open.fd).ino)
    throw new Error(`the data file ${file} is in use by another server`);
  const line = Buffer.from(`${open.size === 0 ? heading : ""}${JSON.stringify(entries)}\n`);
  try {
    writeFileSync(open.fd, line);
    fdatasyncSync(open.fd);
    open.size += line.length;
  } catch (error) {
    ftruncateSync(open.fd, open.size);
    throw error;
  }
}
