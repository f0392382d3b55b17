import { digestOf } from "../base/json.ts";
import type { ReportedProblem } from "../model/problem-line.ts";
import type { Plan, PlannedChange } from "../plan/plan.ts";
import type { Differing, WatchMemory } from "../state/watch-memory.ts";

/** What a check saw. */
export interface Observation {
  readonly plan: Plan;
  /** Whether everything was checked, and not only what a commit changed. */
  readonly whole: boolean;
}

/** What differs after a check, and what of it people do not know yet. */
export interface ObservedDifferences {
  readonly differing: WatchMemory["differing"];
  /** Addresses that have drifted for as many checks as people want to wait. */
  readonly drifted: readonly string[];
  /** Addresses that people were told of, and that differ no more. */
  readonly recovered: readonly string[];
}

/**
 * Holds what a check saw against what the ones before it saw. What a part of the fleet does not show, and what could not
 * be read, stays as it was. `grace`: checks in a row that must see drift before people are told.
 */
export function compareObservations(before: WatchMemory, observation: Observation, grace: number): ObservedDifferences {
  const seen = new Map(
    observation.plan.resource_changes.map((change) => [change.address, differingOf(before, change)]),
  );
  const unseen = Object.entries(before.differing).filter(([address]) => !seen.has(address));
  const kept = unseen.filter(([address]) => !observation.whole || isUnread(observation.plan, address));
  const gone = unseen.filter((each) => !kept.includes(each));
  const drifted = [...seen].flatMap(([address, each]) => (!each.told && each.checks >= grace ? [address] : []));
  for (const address of drifted) seen.set(address, { ...(seen.get(address) as Differing), told: true });
  return {
    differing: Object.fromEntries([...kept, ...seen]),
    drifted,
    recovered: gone.flatMap(([address, { told }]) => (told ? [address] : [])),
  };
}

function differingOf(before: WatchMemory, change: PlannedChange): Differing {
  const known = before.differing[change.address];
  const { cause = "drift" } = change;
  const digest = digestOf([change.live?.digest ?? null, change.change.after, change.change.actions]).slice(7, 23);
  const told = known?.told && { told: known.told };
  if (cause === "pending") return { cause, digest, checks: 0, steady: 0, ...told };
  const isSame = known?.digest === digest;
  return { cause, digest, checks: (known?.checks ?? 0) + 1, steady: isSame ? known.steady + 1 : 1, ...told };
}

/** Whether a problem kept an address from being seen. One that is of no project may have kept any. */
function isUnread({ problems }: Plan, address: string): boolean {
  return problems.some(({ project }) => project === undefined || address.startsWith(`${project}:`));
}

/** Problems of a check in words, by what tells one from another. */
export function troublesOf(problems: readonly ReportedProblem[]): ReadonlyMap<string, ReportedProblem> {
  return new Map(
    problems.map((each) => [`${each.rule} ${each.project ?? [each.file, each.line].filter(Boolean).join(":")}`, each]),
  );
}

/** What is to be carried out: what the manifests ask for, and drift that two checks in a row saw where that is wanted. */
export function chosenBy({ apply, differing }: WatchMemory, { resource_changes: changes }: Plan): readonly string[] {
  const isChosen: Readonly<Record<WatchMemory["apply"], (each: Differing) => boolean>> = {
    never: () => false,
    pending: ({ cause }) => cause !== "drift",
    drift: ({ cause, steady }) => cause !== "drift" || steady >= 2,
  };
  return changes.flatMap(({ address }) => {
    const found = differing[address];
    return found && isChosen[apply](found) ? [address] : [];
  });
}
