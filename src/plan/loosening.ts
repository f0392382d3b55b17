import { counted, firstFew } from "../base/text.ts";
import type { Change } from "../model/types.ts";
import type { Objection } from "./guards.ts";
import { policyEffectOf } from "./policy-effect.ts";

/** What `--fail-on-loosening` has against changes: one objection for all that make a policy laxer. */
export function checkLoosening(
  changes: readonly (Pick<Change, "address"> & Parameters<typeof policyEffectOf>[0])[],
): Objection[] {
  const addresses = changes.filter((change) => policyEffectOf(change) === "loosened").map(({ address }) => address);
  if (addresses.length === 0) return [];
  const loosen = addresses.length === 1 ? "loosens" : "loosen";
  const what = `${counted(addresses.length, "change")} ${loosen} a license policy (${firstFew(addresses, 1)})`;
  return [{ guard: "loosening", message: `--fail-on-loosening failed: ${what}`, addresses }];
}
