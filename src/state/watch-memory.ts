import { isObject, parsedJson } from "../base/json.ts";
import type { Cause } from "../model/types.ts";
import { getText, type Readable, type WorkspaceState } from "./state.ts";

/** Changes that a watcher may apply: none, pending ones, or drift too. */
export type ApplyMode = "never" | "pending" | "drift";

/** Data that a watcher stores between checks (docs/watching.md). */
export interface WatchMemory {
  readonly apply: ApplyMode;
  readonly differing: Readonly<Record<string, Differing>>;
  /** Messages of problems that were reported, by identity of the problem. */
  readonly failing: Readonly<Record<string, string>>;
  readonly refused: readonly string[];
  readonly expiring: readonly string[];
  /** The last commit that was checked without an error. */
  readonly commit?: string;
  /** The saved plan that waits for approvals, and a digest of its changes. */
  readonly waiting?: { readonly run: string; readonly digest: string } | undefined;
  /** Open merge requests for drift: a digest of what they accept, by branch. */
  readonly requests?: Readonly<Record<string, string>>;
  /** Notifications that were not delivered yet, oldest first. */
  readonly undelivered: readonly Undelivered[];
}

export interface Differing {
  readonly cause: Cause;
  /** Number of consecutive checks that found drift at this address, and that found the same drift. */
  readonly checks: number;
  readonly steady: number;
  readonly digest: string;
  readonly told?: true;
}

export interface Undelivered {
  /** The secret reference of the target URL. */
  readonly to: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly since: string;
}

const note = "watch";

export function newMemory(apply: ApplyMode): WatchMemory {
  return { apply, differing: {}, failing: {}, refused: [], expiring: [], undelivered: [] };
}

export async function keptMemory(state: Readable): Promise<WatchMemory | undefined> {
  const text = await getText(state, "notes", note);
  return text === undefined ? undefined : parseMemory(text);
}

export async function keepMemory({ put }: Pick<WorkspaceState, "put">, memory: WatchMemory): Promise<void> {
  await put("notes", [[note, JSON.stringify({ format: 1, ...memory })]]);
}

function parseMemory(text: string): WatchMemory | undefined {
  const read = parsedJson(text);
  return isObject(read) && read.format === 1 ? { ...newMemory("never"), ...read } : undefined;
}
