import { addressParts } from "../../model/address.ts";
import { identityOf } from "../../model/kinds.ts";
import { isRemoval } from "../../model/turns-off.ts";
import type { Change } from "../../model/types.ts";
import { cutText, truncateFields } from "./cut.ts";
import type { ProjectObservation, RunObservation } from "./looked-at.ts";
import type { ProjectSnapshot, SeenDifference } from "./sighting.ts";

/** What differs of a project after a look; what the look was not about, or could not read, as it was known before. */
export function differencesOf(
  before: ProjectSnapshot | undefined,
  { changes, includes }: ProjectObservation,
  look: RunObservation,
): readonly SeenDifference[] {
  const known = before?.differences ?? [];
  if (!changes) return known;
  const untouched = known.filter(({ rest }) => !includes(rest));
  const now = changes.map((change) => differenceOf(change, before, look));
  return [...untouched, ...now].sort((a, b) => (a.rest < b.rest ? -1 : 1));
}

function differenceOf(change: Change, before: ProjectSnapshot | undefined, look: RunObservation): SeenDifference {
  const [, rest] = addressParts(change.address);
  const earlier = before?.differences.find((each) => each.rest === rest);
  const { file, line, column } = change.origin.place();
  return {
    rest,
    action: change.action,
    cause: causeOf(change, before, earlier, look),
    reason: cutText(change.reason),
    since: earlier?.since ?? look.at,
    before: truncateFields(change.before),
    after: truncateFields(change.after),
    file,
    line,
    column,
  };
}

/**
 * As the diff says where a ledger knows what was last applied. Else drift where the manifests want what they wanted when
 * the project was last seen without the difference: then it is the server that moved.
 */
function causeOf(
  change: Change,
  before: ProjectSnapshot | undefined,
  earlier: SeenDifference | undefined,
  { cause, hasLedger }: RunObservation,
): SeenDifference["cause"] {
  if (hasLedger) return change.cause === "pending" ? "pending" : "drift";
  if (!before) return cause;
  const entry = before.entries.find((each) => identityOf(each) === identityOf(change));
  const wanted = isRemoval(change) ? null : truncateFields(change.declared);
  if (JSON.stringify(entry?.fields ?? null) !== JSON.stringify(wanted)) return "pending";
  return earlier?.cause ?? "drift";
}
