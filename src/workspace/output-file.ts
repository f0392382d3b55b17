import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { ifPossible, UserError } from "../base/exit.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { isFolder, isThere, makeFolder, replaceFile, writeAll, writeNew } from "./durable-file.ts";
import type { TextFile } from "./walk.ts";

/** Links are resolved as by a shell: an open stream of this process, a FIFO or device, or a file, which may be new. */
export type Output = { readonly fd: number } | { readonly device: string } | { readonly file: string };

/** Bigints, because after a `stat` of a pipe without them Node leaves links unresolved. */
const statOptions = { bigint: true, throwIfNoEntry: false } as const;

/** Resolves a path. @throws a system error for circular links, or links that must not be followed. */
export function outputAt(path: string, links = 0): Output {
  const number = /^\/(?:dev|proc\/self)\/fd\/(\d{1,6})$/.exec(path)?.[1];
  const fd = number === undefined ? streams[path] : Number(number);
  if (fd !== undefined) return { fd };
  const stat = lstatSync(path, statOptions);
  if (stat?.isSymbolicLink() && !path.startsWith("/proc/")) {
    if (links >= 40) throw Object.assign(new Error("too many links"), { code: "ELOOP" });
    return outputAt(resolve(realpathSync(dirname(path)), readlinkSync(path)), links + 1);
  }
  const at = isFolder(dirname(path)) ? join(realpathSync(dirname(path)), basename(path)) : path;
  const target = statSync(at, statOptions);
  return target && !target.isFile() && !target.isDirectory() ? { device: at } : { file: at };
}

const streams: Readonly<Record<string, number>> = { "/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2 };

export function outputError(path: string): string | undefined {
  try {
    const output = outputAt(path);
    if ("fd" in output) fstatSync(output.fd);
    else if ("device" in output) accessSync(output.device, constants.W_OK);
    else {
      const { file } = output;
      if (isFolder(file)) return "it is a folder";
      if (statSync(file, { throwIfNoEntry: false })) accessSync(file, constants.W_OK);
      accessSync(nearestFolder(dirname(file)), constants.W_OK | constants.X_OK);
    }
    return undefined;
  } catch (error) {
    return describeSystemError(error);
  }
}

/** The deepest existing folder; missing ones are created on write. @throws a system error if a parent is a file. */
function nearestFolder(path: string): string {
  if (isFolder(path)) return path;
  if (isThere(path)) throw Object.assign(new Error("not a folder"), { code: "ENOTDIR" });
  return nearestFolder(dirname(path));
}

/** Writes to a stream, FIFO or device, or replaces a regular file atomically. @throws a system error. */
export function writeOutput(output: Output, text: string): void {
  if ("fd" in output) writeAll(output.fd, text);
  else if ("device" in output) writeInto(output.device, text);
  else {
    makeFolder(dirname(output.file));
    replaceFile(output.file, text);
  }
}

function writeInto(device: string, text: string): void {
  const file = openSync(device, constants.O_WRONLY | constants.O_TRUNC);
  try {
    writeAll(file, text);
  } finally {
    closeSync(file);
  }
}

/** Creates all files or none: on failure, created files are removed. @throws UserError with the file that failed. */
export function makeFiles(files: readonly (TextFile & { readonly text: string })[]): void {
  const made: string[] = [];
  for (const { path, name, text } of files) {
    try {
      made.push(...makeFolder(dirname(path)));
      writeNew(path, text);
      made.push(path);
    } catch (error) {
      // Of folders only empty ones.
      for (const each of made.toReversed())
        ifPossible(() => (isFolder(each) ? rmdirSync(each) : rmSync(each, { force: true })));
      throw new UserError(`cannot write ${name}: ${describeSystemError(error)}; nothing was written`);
    }
  }
}

/** The reason not to write to a path. A commit can contain links that leave the workspace or lead into a `.git`. */
export function linkFault(root: string, path: string): string | undefined {
  const names = path.split(/[/\\]/).filter((name) => name !== "" && name !== ".");
  for (const index of names.keys()) {
    const path = names.slice(0, index + 1).join("/");
    const isLink = ifPossible(() => lstatSync(join(root, path)).isSymbolicLink());
    const where = isLink ? leadsTo(root, join(root, path)) : undefined;
    if (where !== undefined) return `${path} is a symbolic link that leads ${where}; remove the link`;
  }
  return undefined;
}

function leadsTo(root: string, link: string): string | undefined {
  try {
    const below = relative(realpathSync(root), realpathSync(link)).split(sep);
    if (below[0] === "..") return "out of the workspace";
    return below.some((name) => name.toLowerCase() === ".git") ? "into .git" : undefined;
  } catch {
    return "nowhere";
  }
}
