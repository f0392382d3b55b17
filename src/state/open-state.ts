import { UserError } from "../base/exit.ts";
import { readVariable } from "../secrets/token.ts";
import { folderState } from "./folder-store.ts";
import { processRates, type Rates, type WorkspaceState } from "./state.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface StateOf {
  readonly root: string;
  /** Its `name:`, which a shared state requires. */
  readonly name: string | undefined;
  readonly env: Environment;
}

/** An empty variable counts as unset. @throws UserError, without the URL, if the state cannot be used. */
export async function openState({ root, name, env }: StateOf): Promise<WorkspaceState> {
  const address = stateAddress(env);
  if (!address) return folderState(root);
  if (name === undefined) throw new UserError(unnamed);
  return stateAt(address.url, address.variable, name, env);
}

export async function stateAt(url: string, variable: string, name: string, env: Environment): Promise<WorkspaceState> {
  const { postgresState } = await import("./postgres-store.ts");
  return postgresState(url, variable, name, env);
}

/** The rates of the configured state, opened on first use; without one, those of this process. */
export function ratesAt(env: Environment): { readonly rates: Rates; readonly close?: () => Promise<void> } {
  const address = stateAddress(env);
  if (!address) return { rates: processRates };
  let opened: Promise<WorkspaceState> | undefined;
  const rates = async () => {
    opened ??= stateAt(address.url, address.variable, "", env);
    return (await opened).rates;
  };
  return {
    rates: {
      reserve: async (key, milliseconds) => (await rates()).reserve(key, milliseconds),
      hold: async (key, milliseconds) => (await rates()).hold(key, milliseconds),
    },
    close: async () => (await opened?.catch(() => undefined))?.[Symbol.asyncDispose](),
  };
}

export const unnamed = "a shared state keeps workspaces apart by name; expected name: in evenkeel.yaml";

export const unshared = "workers need a state that they share: set EVENKEEL_STATE to a PostgreSQL database";

export function sharesState(env: Environment): boolean {
  return Boolean(env.EVENKEEL_STATE || env.EVENKEEL_STATE_FILE);
}

/** The configured shared state, if any. @throws UserError if both variables are set, or the file cannot be read. */
export function stateAddress(env: Environment) {
  const found = readVariable(env, "EVENKEEL_STATE");
  return found && { url: found.text.trim(), variable: found.source };
}
