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
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { batchWriter } from "../base/batch-writer.ts";
import { describeSystemError, systemCode } from "../base/system-errors.ts";

/** Writes a whole text, with several writes if necessary. @throws a system error. */
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

/** Waits, because a non-blocking pipe is full and does not report when it can be written again. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/**
 * Replaces the content of a file atomically and durably; keeps its mode and owner. `mode` applies to a new file.
 * @throws a system error; then the file is unchanged.
 */
export function replaceFile(path: string, text: string | Uint8Array, mode = 0o666): void {
  publish(stage(path, text, mode), path);
}

/** As {@link replaceFile}, with what `write` writes to the open file; if that fails, the file is unchanged too. */
export async function replaceFileBy(path: string, write: (file: number) => Promise<void>): Promise<void> {
  const draft = openDraft(path, 0o666);
  try {
    await write(draft.file);
    seal(draft);
  } catch (error) {
    rmSync(draft.path, { force: true });
    throw error;
  } finally {
    closeSync(draft.file);
  }
  publish(draft.path, path);
}

/** Writes a text to a temporary file next to its destination, and returns its path. Removes the file on failure. */
export function stage(path: string, text: string | Uint8Array, mode = 0o666): string {
  const draft = openDraft(path, mode);
  try {
    writeAll(draft.file, text);
    seal(draft);
  } catch (error) {
    rmSync(draft.path, { force: true });
    throw error;
  } finally {
    closeSync(draft.file);
  }
  return draft.path;
}

interface Draft {
  readonly path: string;
  readonly file: number;
  /** The file to replace. */
  readonly before: Stats | undefined;
}

function openDraft(path: string, mode: number): Draft {
  const draft = join(dirname(path), `.evenkeel-${randomBytes(6).toString("hex")}.tmp`);
  const before = statSync(path, { throwIfNoEntry: false });
  return { path: draft, file: openSync(draft, "wx", mode), before };
}

function seal({ path, file, before }: Draft): void {
  if (before) resemble(file, path, before);
  fsyncSync(file);
}

function publish(draft: string, path: string): void {
  try {
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

function resemble(file: number, draft: string, { uid, gid, mode }: Stats): void {
  const own = statSync(draft);
  try {
    if (own.uid !== uid || own.gid !== gid) chownSync(draft, uid, gid);
  } catch {
    // Only a superuser may change the owner, which matters less than the content.
  }
  fchmodSync(file, mode & 0o7777);
}

/** Flushes the entries of a folder to disk; systems that do not support this do not need it. */
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
 * Creates a folder and its parents, and returns those that did not exist. Node's own recursive mode does not terminate if
 * no folder can be created, for example below /proc. @throws a system error.
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

/** True if the path exists, even as a broken link. */
export function isThere(path: string): boolean {
  return unlessGone(() => lstatSync(path, { throwIfNoEntry: false })) !== undefined;
}

/** A path below a file does not exist either. */
function unlessGone(stat: () => Stats | undefined): Stats | undefined {
  try {
    return stat();
  } catch (error) {
    if (systemCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Reads a regular file; reading a FIFO could block. @throws a system error. */
export function readRegular(path: string): string {
  const stat = statSync(path);
  if (!stat.isFile()) throw noRegularFile(stat.isDirectory());
  return readFileSync(path, "utf8");
}

/** The system error for a file that is not a regular file. */
export function noRegularFile(isFolder = false): Error {
  return Object.assign(new Error("not a regular file"), { code: isFolder ? "EISDIR" : "EFTYPE" });
}

/** Creates a folder and its parents. Returns a description of the error, if any. */
export function folderError(path: string): string | undefined {
  try {
    makeFolder(path);
    return undefined;
  } catch (error) {
    return describeSystemError(error);
  }
}

/** Appends to one file. */
interface Appender {
  /**
   * Resolves when the text is on disk; concurrent texts share one flush. After a failure, all later texts are rejected with
   * the same error, so that nothing is written after an incomplete line.
   */
  readonly append: (text: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_WRONLY } = constants;

/** Does not follow a link. */
const appending = {
  a: O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW,
  ax: O_APPEND | O_CREAT | O_WRONLY | O_EXCL,
} as const;

/** Opens a file for appending; with `x` it must not exist. An error rejects the first append. */
export function appendTo(path: string, flags: "a" | "ax" = "a"): Appender {
  const file = open(path, appending[flags]).then((opened) => {
    syncFolder(dirname(path));
    return opened;
  });
  file.catch(() => {});
  const { add } = batchWriter<string>(async (texts) => {
    const opened = await file;
    await opened.appendFile(texts.join(""));
    await opened.datasync();
  });
  return {
    append: add,
    close: async () => {
      const opened = await file.catch(() => undefined);
      await opened?.close();
    },
  };
}

/** A line of a file without its line break. */
export interface FileLine {
  readonly text: string;
  /** Bytes before it. */
  readonly at: number;
  /** Bytes. */
  readonly size: number;
}

/** Bytes. */
const chunkSize = 1 << 18;

const lineBreak = 10;

/** Opens a regular file for reading; opening a FIFO could block. @throws a system error. */
export function openRegular(path: string): number {
  const stat = statSync(path);
  if (!stat.isFile()) throw noRegularFile(stat.isDirectory());
  return openSync(path, "r");
}

/** The lines of an open file, one at a time to limit memory. @throws a system error. */
export function* readLines(file: number): Iterable<FileLine> {
  let bytes: Buffer = Buffer.allocUnsafe(chunkSize);
  let [at, kept] = [0, 0];
  for (;;) {
    const size = kept + readSync(file, bytes, kept, bytes.length - kept, at + kept);
    if (size === kept) break;
    let from = 0;
    for (let end = findBreak(bytes, from, size); end >= 0; end = findBreak(bytes, from, size)) {
      yield { text: bytes.toString("utf8", from, end), at: at + from, size: end - from };
      from = end + 1;
    }
    bytes.copyWithin(0, from, size);
    [at, kept] = [at + from, size - from];
    if (kept === bytes.length) bytes = Buffer.concat([bytes], kept * 2);
  }
  if (kept > 0) yield { text: bytes.toString("utf8", 0, kept), at, size: kept };
}

function findBreak(bytes: Buffer, from: number, size: number): number {
  const at = bytes.indexOf(lineBreak, from);
  return at < size ? at : -1;
}
