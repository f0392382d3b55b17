import { randomBytes } from "node:crypto";
import {
  chownSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describeSystemError, systemCode } from "../base/system-errors.ts";

/** Writes a whole text, however little of it the system takes at a time. @throws what the system says. */
export function writeAll(file: number, text: string | Uint8Array): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSome(file, bytes, at);
}

function writeSome(file: number, bytes: Buffer, at: number): number {
  try {
    return writeSync(file, bytes, at);
  } catch (error) {
    if (systemCode(error) !== "EAGAIN") throw error;
    pause(5);
    return 0;
  }
}

/** A non-blocking pipe is full, and nothing reports when it is no longer. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** Appends to one file. */
export interface Appender {
  /**
   * Resolves when the text is on disk; texts that arrive together share one flush. Once one could not be written,
   * every later one is rejected for the same reason: nothing is to stand behind a line that was cut.
   */
  readonly append: (text: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_WRONLY } = constants;

/** A link is not followed. */
const appending = {
  a: O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW,
  ax: O_APPEND | O_CREAT | O_WRONLY | O_EXCL,
} as const;

/** Opens a file for appending: with `x`, one that is made for it. What keeps it from that rejects the first append. */
export function appendTo(path: string, flags: "a" | "ax" = "a"): Appender {
  const file = open(path, appending[flags]).then((opened) => {
    syncFolder(dirname(path));
    return opened;
  });
  file.catch(() => {});
  let waiting = "";
  let next: Promise<void> | undefined;
  let current: Promise<void> = Promise.resolve();
  const flush = async () => {
    await current;
    const text = waiting;
    waiting = "";
    next = undefined;
    current = file.then(async (opened) => {
      await opened.appendFile(text);
      await opened.datasync();
    });
    await current;
  };
  return {
    append: (text) => {
      waiting += text;
      next ??= flush();
      return next;
    },
    close: async () => {
      const opened = await file.catch(() => undefined);
      await opened?.close();
    },
  };
}

/**
 * Puts a text in the place of a file, whole and on disk, or leaves what was there; its mode and owner stay. `mode` is
 * that of a new file. @throws what the system says.
 */
export function replaceFile(path: string, text: string | Uint8Array, mode = 0o666): void {
  const draft = stage(path, text, mode);
  try {
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/** Writes a text beside the file that it is to become; returns where. Nothing is left where it cannot be written. */
export function stage(path: string, text: string | Uint8Array, mode = 0o666): string {
  const draft = join(dirname(path), `.evenkeel-${randomBytes(6).toString("hex")}.tmp`);
  const before = statSync(path, { throwIfNoEntry: false });
  const file = openSync(draft, "wx", mode);
  try {
    writeAll(file, text);
    if (before) resemble(file, draft, before);
    fsyncSync(file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return draft;
}

function resemble(file: number, draft: string, { uid, gid, mode }: Stats): void {
  const own = statSync(draft);
  try {
    if (own.uid !== uid || own.gid !== gid) chownSync(draft, uid, gid);
  } catch {
    // Only a superuser may give files away; whose it is matters less than what it holds.
  }
  fchmodSync(file, mode & 0o7777);
}

/** Makes the names in a folder last; systems that cannot do so have no need to. */
function syncFolder(path: string): void {
  try {
    const folder = openSync(path, "r");
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch {}
}

/**
 * Makes a folder and those above it, and returns those that were not there. Node's own recursion never ends where
 * nothing can be made, as below /proc. @throws what the system says.
 */
export function makeFolder(path: string): readonly string[] {
  if (isFolder(path)) return [];
  const above = dirname(path) === path ? [] : makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if (systemCode(error) !== "EEXIST" || !isFolder(path)) throw error;
    return above;
  }
  return [...above, path];
}

export function isFolder(path: string): boolean {
  return unlessGone(() => statSync(path, { throwIfNoEntry: false }))?.isDirectory() ?? false;
}

/** Whether anything has this path: also a link that leads nowhere. */
export function isThere(path: string): boolean {
  return unlessGone(() => lstatSync(path, { throwIfNoEntry: false })) !== undefined;
}

/** Below a file there is nothing either. */
function unlessGone(look: () => Stats | undefined): Stats | undefined {
  try {
    return look();
  } catch (error) {
    if (systemCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

/** The text of a regular file; a FIFO would keep the reader waiting. @throws what the system says. */
export function readRegular(path: string): string {
  const stat = statSync(path);
  if (!stat.isFile()) throw noRegularFile(stat.isDirectory());
  return readFileSync(path, "utf8");
}

/** What the system would say of a file of the wrong kind. */
export function noRegularFile(isFolder = false): Error {
  return Object.assign(new Error("not a regular file"), { code: isFolder ? "EISDIR" : "EFTYPE" });
}

/** Makes a folder, with those above it. Returns what the system says against it. */
export function folderTrouble(path: string): string | undefined {
  try {
    makeFolder(path);
    return undefined;
  } catch (error) {
    return describeSystemError(error);
  }
}
