import { kinds, type Strictness } from "../model/kinds.ts";
import type { Change, Value } from "../model/types.ts";

const opposite: Readonly<Record<Strictness, Strictness>> = { tightened: "loosened", loosened: "tightened" };

/**
 * Whether a change tightens or loosens a policy: what comes counts as its value says, what goes counts the other way
 * round. Undefined where the change leaves that open, or its kind is no policy.
 */
export function strictnessOf(change: Pick<Change, "kind" | "key" | "before" | "after">): Strictness | undefined {
  const { kind, before, after } = change;
  const field = kinds[kind].strictness?.field;
  if (field === undefined) return undefined;
  if (after !== null) return strictnessOfValue(change, after[field]);
  const gone = strictnessOfValue(change, before?.[field]);
  return gone && opposite[gone];
}

function strictnessOfValue({ kind }: Pick<Change, "kind">, value: Value | undefined): Strictness | undefined {
  const { by = {} } = kinds[kind].strictness ?? {};
  const word = typeof value === "string" ? String(kinds[kind].normalise(value)) : "";
  return Object.hasOwn(by, word) ? by[word] : undefined;
}
