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
    // A non-blocking pipe is full, and does not report when it can be written again.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    return 0;
  }
}

/**
 * Replaces a file by a text, or by its parts, atomically and durably; keeps its mode and owner.
 * @throws a system error; then it is unchanged.
 */
export function replaceFile(path: string, text: string | Iterable<string>, mode = 0o666): void {
  const draft = join(dirname(path), `.evenkeel-${randomBytes(6).toString("hex")}.tmp`);
  const before = statSync(path, { throwIfNoEntry: false });
  writeNew(draft, text, mode, before);
  try {
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/**
 * Writes a file that must not exist, and flushes its content. `like`: a file whose mode and owner it gets. @throws a
 * system error; then the file does not exist.
 */
export function writeNew(path: string, text: string | Iterable<string>, mode = 0o666, like?: Stats): void {
  const file = openSync(path, "wx", mode);
  try {
    for (const part of typeof text === "string" ? [text] : text) writeAll(file, part);
    if (like) resemble(file, path, like);
    fsyncSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
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

/** Node's own recursive mode does not terminate if no folder can be created, for example below /proc. */
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

/** Works with an open regular file; opening a FIFO could block. @throws a system error. */
export function inFile<Result>(path: string, work: (fd: number) => Result): Result {
  const stat = statSync(path);
  if (!stat.isFile()) throw noRegularFile(stat.isDirectory());
  const fd = openSync(path, "r");
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
}

/** The lines of a file without their ends, and their lengths in bytes. Reads a part of it at a time. */
export function* splitLines(fd: number): Iterable<{ readonly text: string; readonly length: number }> {
  let buffer = Buffer.allocUnsafe(1 << 20);
  let filled = 0;
  for (;;) {
    if (filled === buffer.length) buffer = Buffer.concat([buffer], 2 * filled);
    const length = readSync(fd, buffer, filled, buffer.length - filled, null);
    filled += length;
    const read = buffer.subarray(0, filled);
    let from = 0;
    for (let end = read.indexOf(10); end >= 0; end = read.indexOf(10, from)) {
      yield { text: read.toString("utf8", from, end), length: end - from };
      from = end + 1;
    }
    if (length === 0) return yield { text: read.toString("utf8", from), length: filled - from };
    filled -= from;
    buffer.copyWithin(0, from);
  }
}

/** Reads a regular file. @throws a system error. */
export function readRegular(path: string): string {
  return inFile(path, (fd) => readFileSync(fd, "utf8"));
}

export function noRegularFile(isFolder = false): Error {
  return Object.assign(new Error("not a regular file"), { code: isFolder ? "EISDIR" : "EFTYPE" });
}

export function folderError(path: string): string | undefined {
  try {
    makeFolder(path);
    return undefined;
  } catch (error) {
    return describeSystemError(error);
  }
}

const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_WRONLY } = constants;

/** Appends a text to a file durably. Does not follow a link. @throws a system error. */
export async function appendDurably(path: string, text: string): Promise<void> {
  const file = await open(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW);
  try {
    syncFolder(dirname(path));
    await file.appendFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
}
