import { counted } from "../base/text.ts";
import type { Change } from "../model/types.ts";
import type { Objection } from "./guards.ts";
import { type Plan, planDigest } from "./plan.ts";
import { tendencyOf } from "./strictness.ts";

/** Addresses of the changes that make a policy laxer. */
export function looseningOf(changes: readonly Change[]): readonly string[] {
  return changes.filter((change) => tendencyOf(change) === "loosened").map(({ address }) => address);
}

/** The plan with what `--fail-on-loosening` has against these addresses, so that every report says it. */
export function refusingLoosening(plan: Plan, addresses: readonly string[]): Plan {
  const [first, ...more] = addresses;
  if (first === undefined) return plan;
  const which = more.length > 0 ? `${first} and ${more.length} more` : first;
  const loosen = addresses.length === 1 ? "loosens" : "loosen";
  const message = `--fail-on-loosening failed: ${counted(addresses.length, "change")} ${loosen} a license policy (${which})`;
  const objection: Objection = { guard: "loosening", message, addresses };
  const refused = { ...plan, objections: [...plan.objections, objection] };
  return { ...refused, digest: planDigest(refused) };
}
