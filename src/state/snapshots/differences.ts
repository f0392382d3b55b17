import { addressParts } from "../../model/address.ts";
import { isRemoval } from "../../model/removal-changes.ts";
import type { Change } from "../../model/types.ts";
import type { ProjectObservation, RunObservation } from "./observation.ts";
import type { ProjectSnapshot, SeenDifference } from "./snapshot.ts";
import { truncateFields, truncateText } from "./truncate.ts";

/** The differences of a project after a run; those that the run did not target or read are taken from its earlier snapshot. */
export function differencesAfter(
  before: ProjectSnapshot | undefined,
  { changes, includes }: ProjectObservation,
  run: RunObservation,
): readonly SeenDifference[] {
  const known = before?.differences ?? [];
  if (!changes) return known;
  const untargeted = known.filter(({ rest }) => !includes(rest));
  const now = changes.map((change) => differenceOf(change, before, run));
  return [...untargeted, ...now].sort((a, b) => (a.rest < b.rest ? -1 : 1));
}

function differenceOf(change: Change, before: ProjectSnapshot | undefined, run: RunObservation): SeenDifference {
  const [, rest] = addressParts(change.address);
  const earlier = before?.differences.find((each) => each.rest === rest);
  const { file, line, column } = change.origin.place();
  return {
    rest,
    action: change.action,
    cause: causeOf(change, before, earlier, run),
    reason: truncateText(change.reason),
    ...(change.policyEffect && { effect: change.policyEffect }),
    since: earlier?.since ?? run.at,
    before: truncateFields(change.before),
    after: truncateFields(change.after),
    file,
    line,
    column,
  };
}

/**
 * The cause that the diff determined by a ledger. Without one it is drift if the manifests declare what they declared
 * when the project was last seen without the difference, because then it was changed on the server.
 */
function causeOf(
  change: Change,
  before: ProjectSnapshot | undefined,
  earlier: SeenDifference | undefined,
  { cause, hasLedger }: RunObservation,
): SeenDifference["cause"] {
  if (hasLedger) return change.cause === "pending" ? "pending" : "drift";
  if (!before) return cause;
  const entry = before.entries.find((each) => each.kind === change.kind && each.key === change.key);
  const declared = isRemoval(change) ? null : truncateFields(change.declared);
  if (JSON.stringify(entry?.fields ?? null) !== JSON.stringify(declared)) return "pending";
  return earlier?.cause ?? "drift";
}
