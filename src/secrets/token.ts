import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { createHash, timingSafeEqual } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { type ExitCode, UserError } from "../base/exit.ts";
import { parsedJson } from "../base/json.ts";
import { learnCredential, ownNames } from "../base/known-secrets.ts";
import { describeSystemError, systemCode } from "../base/system-errors.ts";
import { readSecretFile } from "./secret-file.ts";

/** From a variable, a file or a command; an empty variable counts as unset. @throws UserError, without the token. */
export function readToken(env: Environment, root = "."): string {
  const { EVENKEEL_TOKEN_COMMAND: command } = env;
  const { text, file } = textOrFile(env, "EVENKEEL_TOKEN");
  if (command && (text || file)) {
    const other = text ? "EVENKEEL_TOKEN" : "EVENKEEL_TOKEN_FILE";
    throw new UserError(`${other} and EVENKEEL_TOKEN_COMMAND are both set; set only one`);
  }
  if (command) return checkText(runTokenCommand(command, env), "the output of EVENKEEL_TOKEN_COMMAND");
  const found = readVariable(env, "EVENKEEL_TOKEN", { root });
  if (found) return checkText(found.text, found.source);
  const other = othersTokens.find((name) => env[name]);
  const hint = other === undefined ? "" : `; ${other} is set, and is not read: EVENKEEL_TOKEN=$${other}`;
  throw new UserError(
    `no access token: set EVENKEEL_TOKEN, or EVENKEEL_TOKEN_FILE to the path of a file with the token, or EVENKEEL_TOKEN_COMMAND to a command that prints it${hint}`,
  );
}

/** Variables in which other programs expect a token. */
const othersTokens = ["GITLAB_TOKEN", "GITLAB_PRIVATE_TOKEN", "GITLAB_ACCESS_TOKEN", "GL_TOKEN", "PRIVATE_TOKEN"];

/** Reads the token again, if it may have changed: that of a file, or of a command. */
export function tokenRenewal(env: Environment): (() => string) | undefined {
  return env.EVENKEEL_TOKEN_FILE || env.EVENKEEL_TOKEN_COMMAND ? () => readToken(env) : undefined;
}

/** The variable that {@link readToken} reads, with the path of its file, for messages. */
export function tokenNameOf({ EVENKEEL_TOKEN, EVENKEEL_TOKEN_FILE, EVENKEEL_TOKEN_COMMAND }: Environment): string {
  if (EVENKEEL_TOKEN) return "EVENKEEL_TOKEN";
  return EVENKEEL_TOKEN_COMMAND ? "EVENKEEL_TOKEN_COMMAND" : `EVENKEEL_TOKEN_FILE (${EVENKEEL_TOKEN_FILE})`;
}

const commandLimits = { timeout: 30_000, maxBuffer: 64 * 1024, killSignal: "SIGKILL" } as const;

/** Runs a command without a shell. Messages contain nothing that it printed. */
function runTokenCommand(command: string, env: Environment): string {
  const [program = "", ...args] = parseCommand(command);
  const { EVENKEEL_DEBUG: debug } = env;
  const stderr = debug === "1" ? "inherit" : "ignore";
  const ended = spawnSync(program, args, {
    ...commandLimits,
    env,
    stdio: ["ignore", "pipe", stderr],
    encoding: "utf8",
  });
  const why = describeFailure(ended);
  if (why === undefined) return ended.stdout;
  const hint = debug === "1" ? "" : "; with EVENKEEL_DEBUG=1 its errors are shown";
  throw new UserError(`the command in EVENKEEL_TOKEN_COMMAND, ${program}, ${why}${hint}`);
}

/** A JSON list of a program and its arguments, or only the path of a program. */
function parseCommand(command: string): readonly string[] {
  if (!command.trimStart().startsWith("[")) return [command];
  const words = parsedJson(command);
  const isList = Array.isArray(words) && words.length > 0 && words.every((each) => typeof each === "string");
  if (isList && words[0] !== "") return words;
  throw new UserError(
    'EVENKEEL_TOKEN_COMMAND is not a JSON list of texts; expected one like ["vault", "read", "-field=token", "gitlab/token/ci"], or the path of a program',
  );
}

function describeFailure({ error, status, signal }: SpawnSyncReturns<string>): string | undefined {
  const code = systemCode(error);
  if (code === "ENOENT") return "was not found";
  if (code === "ETIMEDOUT") return `did not end within ${commandLimits.timeout / 1000} s`;
  if (code === "ENOBUFS") return "printed more than a token";
  if (error) return `could not be started: ${describeSystemError(error)}`;
  if (status === 0) return undefined;
  return status === null ? `was ended by ${signal}` : `exited with ${status}`;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws UserError if both are set. */
function textOrFile(env: Environment, name: string, code?: ExitCode) {
  const { [name]: text, [`${name}_FILE`]: file } = env;
  if (text && file) throw new UserError(`${name} and ${name}_FILE are both set; set only one`, code);
  return { text, file };
}

/**
 * A text from a variable, or from the file that NAME_FILE names; an empty variable counts as unset. `source`: either of
 * them, for messages. @throws UserError, without the text, if both are set, or the file cannot be read.
 */
export function readVariable(
  env: Environment,
  name: string,
  { root = ".", code }: { readonly root?: string; readonly code?: ExitCode } = {},
): { readonly text: string; readonly source: string } | undefined {
  const { text, file } = textOrFile(env, name, code);
  if (text) return { text, source: name };
  if (!file) return undefined;
  try {
    return { text: readOnce(resolve(root, file)), source: `the file that ${name}_FILE names (${file})` };
  } catch (error) {
    throw new UserError(`${name}_FILE names ${file}, which cannot be read (${describeSystemError(error)})`, code);
  }
}

/** Contents of pipes such as `<(command)`, which can be read only once. */
const piped = new Map<string, string>();

function readOnce(path: string): string {
  const before = piped.get(path);
  if (before !== undefined) return before;
  const text = readFileSync(path, "utf8");
  if (!statSync(path, { bigint: true }).isFile()) piped.set(path, text);
  return text;
}

function checkText(text: string, source: string): string {
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

/** The secret of push hooks of EVENKEEL_HOOK_SECRET or EVENKEEL_HOOK_SECRET_FILE, if any. @throws UserError, without the secret. */
export function readHookSecret(env: Environment): string | undefined {
  const { text, file } = textOrFile(env, "EVENKEEL_HOOK_SECRET");
  const read = file ? readSecretFile(resolve(file)) : { value: text };
  if ("why" in read) throw new UserError(`EVENKEEL_HOOK_SECRET_FILE names ${file}, which cannot be used: ${read.why}`);
  if (read.value) learnCredential(read.value, "[hook secret]");
  return read.value || undefined;
}

export function isSameSecret(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
