import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, sep } from "node:path";
import { UserError } from "../base/exit.ts";
import { describeSystemError, systemCode } from "../base/system-errors.ts";

export type SecretRead = { readonly value: string } | { readonly why: string };

/** Identifies a file independently of its path: hard links are the same file. */
export interface FileIdentity {
  readonly device: bigint;
  readonly file: bigint;
}

export type FileCheck = (file: FileIdentity) => string | undefined;

/** Not allowed, because they contain no secrets of users; /dev/shm holds regular files, in memory. */
const systemFolder = /^\/(?:proc|sys|dev(?!\/shm\/))\//;

/** Pipes and devices are not opened, because that may block or have side effects. Messages contain none of the text. */
export function readSecretFile(path: string, checkFile: FileCheck = () => undefined): SecretRead {
  try {
    const real = realpathSync(path);
    if (systemFolder.test(`${real}${sep}`)) return { why: "it is below /proc, /sys or /dev, which are not allowed" };
    if (!statSync(real).isFile()) return { why: irregular };
    return readContent(real, checkFile);
  } catch (error) {
    return { why: describeSystemError(error) };
  }
}

const irregular = "not a regular file";

/** Checks the opened file again, because it may have been replaced. */
function readContent(path: string, checkFile: FileCheck): SecretRead {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOCTTY = 0, O_NOFOLLOW = 0 } = constants;
  const file = openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  try {
    const stat = fstatSync(file, { bigint: true });
    if (!stat.isFile()) return { why: irregular };
    const fault = checkFile({ device: stat.dev, file: stat.ino });
    if (fault !== undefined) return { why: fault };
    if (stat.size > 1024 * 1024) return { why: "larger than 1 MiB" };
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
    const value = text.replace(/\r?\n$/, "");
    if (value.includes("\0")) return { why: "it holds a NUL character, so it is no text" };
    return /^[\r\n]*$/.test(value) ? { why: "an empty file" } : { value };
  } finally {
    closeSync(file);
  }
}

export interface Login {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/** `named`: PGPASSFILE. @throws UserError if the file is readable by others, or is named and cannot be read. */
export function passwordFor(login: Login, named: string | undefined): string | undefined {
  const file = named || join(homedir(), standardFile);
  const wanted = [login.host, String(login.port), login.database, login.user];
  const line = readLines(file, Boolean(named)).find((fields) => {
    return fields.length >= 5 && wanted.every((value, index) => fields[index] === "*" || fields[index] === value);
  });
  if (!line || process.platform === "win32" || (statSync(file).mode & 0o077) === 0) return line?.[4];
  throw new UserError(`${file} holds the password of the state and others can read it; chmod 600 it`);
}

/** Default password file of libpq, in the home folder. */
export const standardFile = ".pgpass";

function readLines(file: string, isNamed: boolean): readonly (readonly string[])[] {
  try {
    const lines = readFileSync(file, "utf8").split(/\r?\n/);
    return lines.filter((line) => !line.startsWith("#")).map(parseFields);
  } catch (error) {
    if (!isNamed && systemCode(error) === "ENOENT") return [];
    throw new UserError(`cannot read the password file ${file}: ${describeSystemError(error)}`);
  }
}

/** `host:port:database:user:password`, with colons and backslashes escaped by a backslash. */
function parseFields(line: string): readonly string[] {
  const fields = line.match(/(?:^|:)(?:\\.|[^:\\])*/g) ?? [];
  return fields.map((field, index) => (index === 0 ? field : field.slice(1)).replace(/\\(.)/g, "$1"));
}
