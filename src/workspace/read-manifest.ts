import { isUtf8 } from "node:buffer";
import { lstatSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { join, posix, sep } from "node:path";
import { lazy, memoized } from "../base/memoize.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { problemIn } from "../manifest/problem.ts";
import type { Problem } from "../model/types.ts";

/** Maximum size of a manifest in bytes; larger ones are not read. */
const mostBytes = 4 * 1024 * 1024;

/** `bytes`: the content of the file, including a byte order mark. */
type Read = { readonly text: string; readonly bytes: Buffer } | { readonly problem: Problem };

/** Reads a manifest by its path in the workspace: its text, without a byte order mark, or why it cannot be read. */
export type ReadText = (file: string) => Read;

/** Reads the manifests of a workspace, and resolves the links to their folders once. */
export function textReader(root: string): ReadText {
  const top = lazy(() => realpathSync.native(root));
  const isInside = (real: string) => real.startsWith(top() + sep);
  const isInFolder = memoized((folder: string) => isInside(join(realpathSync.native(join(root, folder)), sep)));
  const path = join(root, sep);
  return (file) =>
    readable(file, () => {
      const found = lstatSync(path + file);
      const isLink = found.isSymbolicLink();
      if (!(isLink ? isInside(realpathSync.native(path + file)) : isInFolder(posix.dirname(file))))
        return { problem: problemIn(file, "symlink", "a symbolic link that leads out of the workspace") };
      return contentOf(file, path + file, isLink ? statSync(path + file) : found);
    });
}

function readable(file: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    return { problem: problemIn(file, "unreadable", `cannot be read (${describeSystemError(error)})`) };
  }
}

function contentOf(file: string, path: string, stat: Pick<Stats, "isFile" | "size">): Read {
  if (!stat.isFile()) return { problem: problemIn(file, "unreadable", "expected a file") };
  if (stat.size > mostBytes) return { problem: problemIn(file, "too-large", "larger than 4 MiB") };
  return decodeManifest(file, readFileSync(path));
}

function decodeManifest(file: string, bytes: Buffer): Read {
  if (!isUtf8(bytes)) return { problem: notUtf8(file, bytes) };
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  const found = controlCharacter.exec(text);
  if (!found) return { text, bytes };
  const before = text.slice(0, found.index).split("\n");
  const column = (before.at(-1)?.length ?? 0) + 1;
  const message = "a control character, which YAML does not allow; is this a binary file?";
  return { problem: problemIn(file, "binary", message, before.length, column) };
}

/** At the first character in another encoding; at the start, if each takes 16 bits. */
function notUtf8(file: string, bytes: Buffer): Problem {
  if (byteOrderMarks.some((mark) => bytes.subarray(0, 2).equals(mark)))
    return problemIn(file, "binary", "not UTF-8 text, but UTF-16; save the file as UTF-8");
  const line = linesOf(bytes).findIndex((each) => !isUtf8(each));
  const column = linesOf(bytes)[line]?.toString("utf8").indexOf("\ufffd") ?? 0;
  const message = "not UTF-8 text: here is a character in another encoding, such as Latin-1; save the file as UTF-8";
  return problemIn(file, "binary", message, line + 1, column + 1);
}

const byteOrderMarks = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];

function linesOf(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return [...lines, bytes.subarray(start)];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point.
const controlCharacter = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]/;
