import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { sep } from "node:path";
import { describeSystemError } from "../base/system-errors.ts";

/** A secret's value, or why there is none. */
export type SecretRead = { readonly value: string } | { readonly why: string };

/** What tells a file from all others, whatever its paths are: two hard links are one file. */
export interface FileIdentity {
  readonly device: bigint;
  readonly file: bigint;
}

/** Why a file may not be read, by what it is. */
export type FileCheck = (file: FileIdentity) => string | undefined;

/** Bytes of the largest secret, and milliseconds that reading one may take. */
const mostBytes = 1024 * 1024;
const mostTime = 5000;

/** Files of the system, which hold no secret of a user. */
const systemFolders = ["/proc", "/sys", "/dev"];

/**
 * The text of a regular file, one newline at its end stripped; line ends alone are none. Anything else is not even opened, since a pipe may never
 * answer and a device may act on it. No message holds any of the text.
 */
export function readSecretFile(path: string, checkFile: FileCheck = () => undefined): SecretRead {
  try {
    const real = realpathSync(path);
    if (systemFolders.some((folder) => `${real}${sep}`.startsWith(`${folder}/`))) return { why: ofSystem };
    if (!statSync(real).isFile()) return { why: irregular };
    return contentOf(real, checkFile);
  } catch (error) {
    return { why: describeSystemError(error) };
  }
}

const ofSystem = "it is below /proc, /sys or /dev, which are not allowed";
const irregular = "not a regular file";

/** The file may be replaced after it was checked, so the opened one is checked again. */
function contentOf(path: string, checkFile: FileCheck): SecretRead {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOCTTY = 0, O_NOFOLLOW = 0 } = constants;
  const file = openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  try {
    const stat = fstatSync(file, { bigint: true });
    if (!stat.isFile()) return { why: irregular };
    const fault = checkFile({ device: stat.dev, file: stat.ino });
    if (fault !== undefined) return { why: fault };
    const bytes = readWithin(file);
    return typeof bytes === "string" ? { why: bytes } : textOf(bytes);
  } finally {
    closeSync(file);
  }
}

/** Read in small parts, so that a slow file system and a file that grows come to an end. */
function readWithin(file: number): Buffer | string {
  const parts: Buffer[] = [];
  const end = performance.now() + mostTime;
  for (let size = 0; size <= mostBytes; ) {
    const part = Buffer.alloc(partSize);
    const read = readSync(file, part);
    if (read === 0) return Buffer.concat(parts);
    parts.push(part.subarray(0, read));
    size += read;
    if (performance.now() > end) return `it took more than ${mostTime / 1000} s to read`;
  }
  return "larger than 1 MiB";
}

const partSize = 64 * 1024;

function textOf(bytes: Buffer): SecretRead {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  const value = text.replace(/\r?\n$/, "");
  if (value.includes("\0")) return { why: "it holds a NUL character, so it is no text" };
  return /^[\r\n]*$/.test(value) ? { why: "an empty file" } : { value };
}
