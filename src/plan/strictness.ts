import { kinds, type Tendency } from "../model/kinds.ts";
import { normalise } from "../model/normalise.ts";
import type { Change, Value } from "../model/types.ts";

const opposite: Readonly<Record<Tendency, Tendency>> = { tightened: "loosened", loosened: "tightened" };

/**
 * Whether a change tightens or loosens a policy: what comes counts as its value says, what goes counts the other way
 * round. Undefined where the change leaves that open, or its kind is no policy.
 */
export function tendencyOf(change: Pick<Change, "kind" | "key" | "before" | "after">): Tendency | undefined {
  const { kind, before, after } = change;
  const field = kinds[kind].strictness?.field;
  if (field === undefined) return undefined;
  if (after !== null) return tendencyOfValue(change, after[field]);
  const gone = tendencyOfValue(change, before?.[field]);
  return gone && opposite[gone];
}

function tendencyOfValue({ kind, key }: Pick<Change, "kind" | "key">, value: Value | undefined): Tendency | undefined {
  const { field = "", by = {} } = kinds[kind].strictness ?? {};
  const word = typeof value === "string" ? String(normalise(kind, key, field, value)) : "";
  return Object.hasOwn(by, word) ? by[word] : undefined;
}
