import { UserError } from "../base/exit.ts";
import { folderState } from "./folder-store.ts";
import { processRates, type Rates } from "./rates.ts";
import type { SharedState, WorkspaceState } from "./state.ts";
import { stateAddress, unnamed } from "./state-address.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The workspace whose state to open. */
export interface StateOf {
  /** Its folder. */
  readonly root: string;
  /** Its `name:`, which a shared state requires. */
  readonly name: string | undefined;
  readonly env: Environment;
}

/**
 * Opens the state in the database of EVENKEEL_STATE or EVENKEEL_STATE_FILE, otherwise in the workspace. An empty variable
 * counts as unset. @throws UserError, without the URL, if it cannot be used.
 */
export async function openState({ root, name, env }: StateOf): Promise<WorkspaceState> {
  const address = stateAddress(env);
  if (!address) return folderState(root);
  if (name === undefined) throw new UserError(unnamed);
  return stateAt(address.url, address.variable, name, env);
}

/** Opens the state of a named workspace in a database. */
export async function stateAt(url: string, variable: string, name: string, env: Environment): Promise<SharedState> {
  const { postgresState } = await import("./postgres-store.ts");
  return postgresState(url, variable, name, env);
}

/** The rates of the configured state, opened at the first use; without one, those of this process. */
export function ratesAt(env: Environment): { readonly rates: Rates; readonly close?: () => Promise<void> } {
  const address = stateAddress(env);
  if (!address) return { rates: processRates };
  let opened: Promise<Rates & AsyncDisposable> | undefined;
  const open = async () => (await import("./postgres-store.ts")).postgresRatesAt(address.url, address.variable, env);
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
