import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { UserError } from "../base/exit.ts";
import { learnCredential, ownNames } from "../base/known-secrets.ts";
import { describeSystemError } from "../base/system-errors.ts";

/**
 * The access token (docs/manifests.md), from EVENKEEL_TOKEN or the file that EVENKEEL_TOKEN_FILE names, relative to `root`.
 * An empty variable counts as unset.
 * @throws UserError, which never repeats the token.
 */
export function readToken(env: Readonly<Record<string, string | undefined>>, root = "."): string {
  const { EVENKEEL_TOKEN: direct, EVENKEEL_TOKEN_FILE: file } = env;
  if (direct && file) throw new UserError("EVENKEEL_TOKEN and EVENKEEL_TOKEN_FILE are both set; set only one");
  if (direct) return checked(direct, "EVENKEEL_TOKEN");
  if (file) return checked(readOnce(resolve(root, file), file), `the file that EVENKEEL_TOKEN_FILE names (${file})`);
  throw new UserError(
    "no access token: set EVENKEEL_TOKEN, or set EVENKEEL_TOKEN_FILE to the path of a file with the token",
  );
}

/** What was read from pipes, such as a shell's `<(command)`: they give their text once. */
const piped = new Map<string, string>();

function readOnce(path: string, name: string): string {
  const before = piped.get(path);
  if (before !== undefined) return before;
  const text = read(path, name);
  if (!statSync(path, { bigint: true }).isFile()) piped.set(path, text);
  return text;
}

function read(path: string, name: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UserError(`EVENKEEL_TOKEN_FILE names ${name}, which cannot be read (${describeSystemError(error)})`);
  }
}

function checked(text: string, source: string): string {
  const token = text.replace(/\r?\n$/, "");
  learnCredential(token, ownNames.EVENKEEL_TOKEN);
  if (token === "") throw new UserError(`${source} is empty; expected an access token`);
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new UserError(
      `${source} contains white space, a control character or a non-ASCII character, which no token has`,
    );
  }
  return token;
}
