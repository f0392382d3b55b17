import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { exit, UserError } from "../base/exit.ts";
import { learnCredential } from "../base/known-secrets.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { valueOrFile } from "../secrets/token.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Access control: anyone who reaches a loopback address, has the token, or is named by a proxy. */
export type Access =
  | { readonly by: "loopback" }
  | { readonly by: "token"; readonly token: string }
  | { readonly by: "header"; readonly header: string };

/** What the options and the environment allow. @throws UserError where anybody could look from anywhere. */
export function accessFor(host: string, header: string | undefined, env: Environment): Access {
  const token = tokenOf(env);
  if (header !== undefined && token !== undefined)
    throw new UserError("--trust-user-header and EVENKEEL_CONSOLE_TOKEN cannot be used together", exit.usage);
  if (header !== undefined) return { by: "header", header: checkedHeader(header) };
  if (token !== undefined) return { by: "token", token };
  if (isThisMachine(host)) return { by: "loopback" };
  throw new UserError(
    `${host} is not a loopback address, so anyone on the network could view it: set EVENKEEL_CONSOLE_TOKEN, or --trust-user-header NAME ` +
      "behind an authenticating proxy",
    exit.usage,
  );
}

function checkedHeader(header: string): string {
  if (/^[A-Za-z][A-Za-z0-9-]{0,99}$/.test(header)) return header.toLowerCase();
  throw new UserError("--trust-user-header takes the name of a header, such as X-Forwarded-User", exit.usage);
}

function tokenOf(env: Environment): string | undefined {
  const { direct, file } = valueOrFile(env, "EVENKEEL_CONSOLE_TOKEN", exit.usage);
  if (direct === "" || file === "") throw new UserError(emptyToken, exit.usage);
  if (direct) return learnt(direct, "EVENKEEL_CONSOLE_TOKEN");
  return file ? learnt(readTokenFile(file).trim(), "the file that EVENKEEL_CONSOLE_TOKEN_FILE names") : undefined;
}

const emptyToken =
  "EVENKEEL_CONSOLE_TOKEN or EVENKEEL_CONSOLE_TOKEN_FILE is set and empty, so the console would ask for no token; set a token, or unset the variable";

/** One that can be guessed protects nothing. */
const shortest = 16;

function learnt(token: string, source: string): string {
  learnCredential(token, "(token of the console)");
  if (token.length >= shortest) return token;
  throw new UserError(`${source} has ${token.length} characters; expected ${shortest} at least`, exit.usage);
}

function readTokenFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UserError(
      `EVENKEEL_CONSOLE_TOKEN_FILE names ${file}, which cannot be read: ${describeSystemError(error)}`,
    );
  }
}

/** Whether an address or a name can be reached from this machine only. */
function isThisMachine(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}

/** Whether a request names this machine as its host: a page elsewhere whose name leads here does not. */
export function namesLoopback(host: string | undefined): boolean {
  return isThisMachine((host ?? "").replace(/:\d+$/, ""));
}

/** Lifetime of a session in milliseconds. */
export const sessionLength = 12 * 3_600_000;

/** Who is signed in, by what their browser keeps; gone with the process. */
export interface Sessions {
  readonly begin: () => string;
  readonly holds: (session: string | undefined) => boolean;
}

/** Sessions by the clock that is given. */
export function sessions(now: () => number): Sessions {
  const ends = new Map<string, number>();
  const forget = () => {
    for (const [session, end] of ends) if (end <= now()) ends.delete(session);
  };
  return {
    begin: () => {
      forget();
      const session = randomBytes(32).toString("base64url");
      ends.set(session, now() + sessionLength);
      return session;
    },
    holds: (session) => (ends.get(session ?? "") ?? 0) > now(),
  };
}
