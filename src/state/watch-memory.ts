import { isObject, parsedJson } from "../base/json.ts";
import type { Cause } from "../model/types.ts";
import type { Texts } from "./state.ts";

/** Changes that a watcher may apply: none, pending ones, or drift too. */
export const applyModes = ["never", "pending", "drift"] as const;

export type ApplyMode = (typeof applyModes)[number];

/** Data that a watcher stores between checks (docs/watching.md). */
export interface WatchMemory {
  readonly apply: ApplyMode;
  /** Differences by address. */
  readonly differing: Readonly<Record<string, Differing>>;
  /** Messages of problems that were reported, by identity of the problem. */
  readonly failing: Readonly<Record<string, string>>;
  /** Objections to the last apply that were reported. */
  readonly refused: readonly string[];
  /** Expirations that were reported. */
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

/** A difference, as observed by checks. */
export interface Differing {
  readonly cause: Cause;
  /** Number of consecutive checks that found drift at this address, and that found the same drift. */
  readonly checks: number;
  readonly steady: number;
  /** Digest of the desired and live values. */
  readonly digest: string;
  /** True if the drift was reported. */
  readonly told?: true;
}

/** A notification to deliver. */
export interface Undelivered {
  /** The secret reference of the target URL. */
  readonly to: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** ISO 8601. */
  readonly since: string;
}

const note = "watch";

export function newMemory(apply: ApplyMode): WatchMemory {
  return { apply, differing: {}, failing: {}, refused: [], expiring: [], undelivered: [] };
}

/** The stored memory of the last watcher, if any. @throws UserError if it cannot be read. */
export async function keptMemory(notes: Pick<Texts, "read">): Promise<WatchMemory | undefined> {
  const text = await notes.read(note);
  return text === undefined ? undefined : parseMemory(text);
}

/** @throws UserError if it cannot be stored. */
export async function keepMemory(notes: Pick<Texts, "write">, memory: WatchMemory): Promise<void> {
  await notes.write(note, JSON.stringify({ format: 1, ...memory }));
}

/** Undefined for another format and invalid JSON. */
function parseMemory(text: string): WatchMemory | undefined {
  const read = parsedJson(text);
  return isObject(read) && read.format === 1 ? { ...newMemory("never"), ...read } : undefined;
}
