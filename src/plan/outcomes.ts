import { grouped } from "../base/grouped.ts";
import { resourceName } from "../model/address.ts";
import type { ReportedProblem } from "../model/problem-line.ts";
import type { Outcome } from "../model/types.ts";
import { type Plan, type PlannedChange, planDigest } from "./plan.ts";
import { countOutcomes } from "./run-end.ts";

/** The plan with what became of each change, and what servers did not keep named once a parameter. */
export function withOutcomes(plan: Plan, outcomes: ReadonlyMap<string, Outcome> | undefined): Plan {
  if (!outcomes) return plan;
  const changes = plan.resource_changes.map((change) => withOutcome(change, outcomes.get(change.address)));
  const counts = countOutcomes(changes.flatMap(({ outcome }) => outcome ?? []));
  const done = {
    ...plan,
    summary: { ...plan.summary, outcomes: counts },
    resource_changes: changes,
    warnings: [...plan.warnings, ...notKept(changes)],
  };
  return { ...done, digest: planDigest(done) };
}

function withOutcome(change: PlannedChange, outcome: Outcome | undefined): PlannedChange {
  return outcome ? { ...change, outcome } : change;
}

function notKept(changes: readonly PlannedChange[]): ReportedProblem[] {
  const lost = changes.flatMap(({ kind, key, address, outcome }) =>
    (outcome?.not_kept ?? []).map((name) => ({ parameter: `${resourceName(kind, key)}: ${name}`, address })),
  );
  return [...grouped(lost, ({ parameter }) => parameter)].map(([parameter, places]) => ({
    rule: "not-kept",
    message: notKeptMessage(
      parameter,
      places.map(({ address }) => address),
    ),
  }));
}

function notKeptMessage(parameter: string, [first = "", ...more]: readonly string[]): string {
  const where = more.length > 0 ? `${first} and ${more.length} more` : first;
  return `${parameter} is not as it was written: the server answered another value (${where})`;
}
