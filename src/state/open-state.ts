import { readFileSync } from "node:fs";
import { UserError } from "../base/exit.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { valueOrFile } from "../secrets/token.ts";
import { folderState } from "./folder.ts";
import { processRates, type Rates } from "./rates.ts";
import type { SharedState, WorkspaceState } from "./state.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The workspace whose state is opened. */
export interface StateOf {
  /** Its folder. */
  readonly root: string;
  /** Its `name:`; a shared state needs one. */
  readonly name: string | undefined;
  readonly env: Environment;
}

/** The URL of a shared state, and the name of its setting for messages. */
export interface StateAddress {
  readonly url: string;
  readonly variable: string;
}

/**
 * What lasts of a workspace: in the database that EVENKEEL_STATE or the file of EVENKEEL_STATE_FILE names, else in its
 * folder. An empty variable counts as unset.
 * @throws UserError, which never repeats the URL, where it cannot be used.
 */
export async function openState({ root, name, env }: StateOf): Promise<WorkspaceState> {
  const address = stateAddress(env);
  if (!address) return folderState(root);
  if (name === undefined) throw new UserError(unnamed);
  return stateAt(address.url, address.variable, name, env);
}

/** Why a workspace without `name:` cannot use a shared state. */
export const unnamed = "a shared state keeps workspaces apart by name; expected name: in evenkeel.yaml";

/** Whether the environment names a shared state. */
export function sharesState(env: Environment): boolean {
  return Boolean(env.EVENKEEL_STATE || env.EVENKEEL_STATE_FILE);
}

/** The state of a named workspace in a database. What it needs is loaded here and not before. */
export async function stateAt(url: string, variable: string, name: string, env: Environment): Promise<SharedState> {
  const { postgresState } = await import("./postgres.ts");
  return postgresState(url, variable, name, env);
}

/**
 * The rates of the state that the environment names, opened when they are first asked for; those of this process where
 * it names none.
 */
export function ratesAt(env: Environment): { readonly rates: Rates; readonly close?: () => Promise<void> } {
  const address = stateAddress(env);
  if (!address) return { rates: processRates };
  let opened: Promise<Rates & AsyncDisposable> | undefined;
  const open = async () => (await import("./postgres.ts")).postgresRatesAt(address.url, address.variable, env);
  const rates = () => {
    opened ??= open();
    return opened;
  };
  return {
    rates: {
      reserve: async (key, milliseconds) => (await rates()).reserve(key, milliseconds),
      hold: async (key, milliseconds) => (await rates()).hold(key, milliseconds),
    },
    close: async () => (await opened?.catch(() => undefined))?.[Symbol.asyncDispose](),
  };
}

/** Where the shared state of this environment is; undefined where it names none. @throws UserError for one that names two. */
export function stateAddress(env: Environment): StateAddress | undefined {
  const { direct: url, file } = valueOrFile(env, "EVENKEEL_STATE");
  if (url) return { url, variable: "EVENKEEL_STATE" };
  return file ? { url: textOf(file), variable: "the file that EVENKEEL_STATE_FILE names" } : undefined;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new UserError(`EVENKEEL_STATE_FILE names ${file}, which cannot be read: ${describeSystemError(error)}`);
  }
}
