import { isObject } from "../base/json.ts";
import type { Cause } from "../model/types.ts";
import type { Texts } from "./state.ts";

/** What a watcher may write: nothing, what the manifests ask for, or drift too. */
export const applyModes = ["never", "pending", "drift"] as const;

export type ApplyMode = (typeof applyModes)[number];

/** What a watcher remembers from check to check, and leaves to the next one (docs/watching.md). */
export interface WatchMemory {
  readonly apply: ApplyMode;
  /** Left out before the first check. */
  readonly last?: LastCheck;
  /** What differs, by address. */
  readonly differing: Readonly<Record<string, Differing>>;
  /** Problems that were told, in words, by what tells them apart. */
  readonly failing: Readonly<Record<string, string>>;
  /** Objections to the last apply that were told. */
  readonly refused: readonly string[];
  /** What was told to expire. */
  readonly expiring: readonly string[];
  /** The last commit that was checked without an error. */
  readonly commit?: string;
  /** The digest of the manifests that the last check everything was of. */
  readonly manifests?: string;
  /** The saved plan that waits for approvals, and a digest of what it is to carry out. */
  readonly waiting?: { readonly run: string; readonly digest: string } | undefined;
  /** What nobody has taken yet, oldest first. */
  readonly undelivered: readonly Undelivered[];
}

interface LastCheck {
  /** Null where the state kept no summary of it. */
  readonly run: string | null;
  /** When it ended, when the next one is due, and when that is overdue: ISO 8601. */
  readonly at: string;
  readonly due: string;
  readonly late: string;
  readonly outcome: string;
  /** Whether the watcher was stopped after it, so that nobody misses the next one. */
  readonly stopped?: true;
}

/** A difference as checks have seen it. */
export interface Differing {
  readonly cause: Cause;
  /** Checks in a row that saw drift there, and that saw this very drift. */
  readonly checks: number;
  readonly steady: number;
  /** Of what is wanted and what is live. */
  readonly digest: string;
  /** Whether somebody was told of the drift. */
  readonly told?: true;
}

/** A notification on its way. */
export interface Undelivered {
  /** The reference of the URL that it goes to. */
  readonly to: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** ISO 8601. */
  readonly since: string;
}

const note = "watch";

export function newMemory(apply: ApplyMode): WatchMemory {
  return { apply, differing: {}, failing: {}, refused: [], expiring: [], undelivered: [] };
}

/** What the last watcher of a workspace left; undefined where there was none. @throws UserError where it cannot be read. */
export async function keptMemory(notes: Pick<Texts, "read">): Promise<WatchMemory | undefined> {
  const text = await notes.read(note);
  return text === undefined ? undefined : memoryIn(text);
}

/** @throws UserError where it cannot be kept. */
export async function keepMemory(notes: Pick<Texts, "write">, memory: WatchMemory): Promise<void> {
  await notes.write(note, JSON.stringify({ format: 1, ...memory }));
}

/** One that another version wrote, or that is broken, counts as none. */
function memoryIn(text: string): WatchMemory | undefined {
  try {
    const read: unknown = JSON.parse(text);
    if (!isObject(read) || read.format !== 1) return undefined;
    const { format: _, ...memory } = read;
    return { ...newMemory("never"), ...(memory as Partial<WatchMemory>) };
  } catch {
    return undefined;
  }
}
