import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { UserError } from "../base/exit.ts";
import { describeSystemError, systemCode } from "../base/system-errors.ts";

/** The fields of a password file before the password. */
export interface Login {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/**
 * The password for a login in the password file of libpq: `named` (PGPASSFILE), otherwise `~/.pgpass`.
 * @throws UserError if it is readable by others, or is named and cannot be read.
 */
export function passwordFor(login: Login, named: string | undefined): string | undefined {
  const file = named || join(homedir(), standardFile);
  const line = linesOf(file, Boolean(named)).find((fields) => isFor(fields, login));
  if (!line || process.platform === "win32" || (statSync(file).mode & 0o077) === 0) return line?.[4];
  throw new UserError(`${file} holds the password of the state and others can read it; chmod 600 it`);
}

/** Default password file of libpq, in the home folder. */
export const standardFile = ".pgpass";

/** All passwords in a password file. */
export function passwordsIn(text: string): readonly string[] {
  return entriesIn(text).flatMap(([, , , , password]) => password ?? []);
}

function entriesIn(text: string): readonly (readonly string[])[] {
  const lines = text.split(/\r?\n/);
  return lines.filter((line) => !line.startsWith("#")).map(fieldsOf);
}

function linesOf(file: string, isNamed: boolean): readonly (readonly string[])[] {
  try {
    return entriesIn(readFileSync(file, "utf8"));
  } catch (error) {
    if (!isNamed && systemCode(error) === "ENOENT") return [];
    throw new UserError(`cannot read the password file ${file}: ${describeSystemError(error)}`);
  }
}

/** `host:port:database:user:password`, with colons and backslashes escaped by a backslash. */
function fieldsOf(line: string): readonly string[] {
  const fields = line.match(/(?:^|:)(?:\\.|[^:\\])*/g) ?? [];
  return fields.map((field, index) => (index === 0 ? field : field.slice(1)).replace(/\\(.)/g, "$1"));
}

function isFor(fields: readonly string[], { host, port, database, user }: Login): boolean {
  if (fields.length < 5) return false;
  return [host, String(port), database, user].every((value, index) => fields[index] === "*" || fields[index] === value);
}
