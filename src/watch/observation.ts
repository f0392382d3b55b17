import { digestOf } from "../base/json.ts";
import { counted } from "../base/text-format.ts";
import { type ReportedProblem, withoutRepeats } from "../model/problem-line.ts";
import type { Plan, PlannedChange } from "../plan/plan.ts";
import type { Differing, WatchMemory } from "../state/watch-memory.ts";
import type { CheckEnd } from "./check.ts";
import { changesAt, type Notification, problemWords } from "./notification-texts.ts";
import type { WatchState } from "./watch-state.ts";

interface ObservedDifferences {
  readonly differing: WatchMemory["differing"];
  /** Addresses that have drifted for as many checks as configured, and were not notified yet. */
  readonly drifted: readonly string[];
  /** Notified addresses that no longer differ. */
  readonly recovered: readonly string[];
}

/**
 * Compares a check with earlier ones. Addresses that a partial check left out or that could not be read are unchanged.
 * `grace`: consecutive checks that must find drift before a notification.
 */
export function compareObservations(
  before: WatchMemory,
  { resource_changes: changes, problems }: Plan,
  whole: boolean,
  grace: number,
): ObservedDifferences {
  const seen = new Map(changes.map((change) => [change.address, trackDifference(before, change)]));
  const unseen = Object.entries(before.differing).filter(([address]) => !seen.has(address));
  // A problem without a project may affect any address.
  const isUnread = (address: string) =>
    problems.some(({ project }) => project === undefined || address.startsWith(`${project}:`));
  const kept = unseen.filter(([address]) => !whole || isUnread(address));
  const gone = unseen.filter((each) => !kept.includes(each));
  const drifted = [...seen].flatMap(([address, each]) => (!each.told && each.checks >= grace ? [address] : []));
  for (const address of drifted) seen.set(address, { ...(seen.get(address) as Differing), told: true });
  return {
    differing: Object.fromEntries([...kept, ...seen]),
    drifted,
    recovered: gone.flatMap(([address, { told }]) => (told ? [address] : [])),
  };
}

function trackDifference(before: WatchMemory, change: PlannedChange): Differing {
  const known = before.differing[change.address];
  const { cause = "drift" } = change;
  const digest = digestOf([change.live?.digest ?? null, change.change.after, change.change.actions]).slice(7, 23);
  const told = known?.told && { told: known.told };
  if (cause === "pending") return { cause, digest, checks: 0, steady: 0, ...told };
  const isSame = known?.digest === digest;
  return { cause, digest, checks: (known?.checks ?? 0) + 1, steady: isSame ? known.steady + 1 : 1, ...told };
}

/** The addresses to apply: pending changes, and drift that two consecutive checks found, as `apply` allows. */
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

/**
 * The notifications of new drift, recoveries, problems and expiry, which are then saved as notified. `observed` is
 * undefined if nothing could be checked.
 */
export function notificationsOfProblems(
  memory: WatchState,
  { plan, whole, errors, run }: Pick<CheckEnd, "plan" | "whole" | "errors" | "run">,
  before: WatchMemory,
  observed: ObservedDifferences | undefined,
): readonly Notification[] {
  // Only a full check shows that problems that did not recur are resolved.
  const open = whole && observed ? [] : Object.entries(before.failing);
  const keyOf = ({ rule, project, file, line }: ReportedProblem) =>
    `${rule} ${project ?? [file, line].filter(Boolean).join(":")}`;
  const found = new Map([...plan.problems, ...errors].map((problem) => [keyOf(problem), problem]));
  const words = Array.from(found, ([key, problem]) => [key, problemWords(problem)] as const);
  const failing = Object.fromEntries([...open, ...words]);
  const fresh = [...found].flatMap(([key, problem]) => (key in before.failing ? [] : [problem]));
  const gone = Object.entries(before.failing).flatMap(([key, text]) => (key in failing ? [] : [text]));
  const expiring = plan.warnings.filter(({ rule }) => rule === "expiry").map(problemWords);
  const soon = expiring.filter((each) => !before.expiring.includes(each));
  memory.change({ failing, ...(observed && { expiring }) });
  const { drifted = [], recovered = [] } = observed ?? {};
  const verb = drifted.length === 1 ? "differs" : "differ";
  const ends = [
    ...(recovered.length > 0 ? [`${counted(recovered.length, "resource")} in sync again`] : []),
    ...(gone.length > 0 ? [`${counted(gone.length, "problem")} gone`] : []),
  ];
  const headlines = {
    drift: `${counted(drifted.length, "resource")} ${verb} from what was last applied`,
    recovered: ends.join(", "),
    failed: counted(fresh.length, "problem"),
    expiring: counted(soon.length, "policy or exception", "policies or exceptions"),
  };
  const all = [
    { event: "drift", addresses: drifted, changes: changesAt(plan, drifted) },
    { event: "recovered", lines: gone, addresses: recovered },
    { event: "failed", lines: withoutRepeats(fresh).map(problemWords) },
    { event: "expiring", lines: soon },
  ] as const;
  const due = all.filter(
    ({ lines = [], addresses = [] }: Partial<Notification>) => lines.length + addresses.length > 0,
  );
  return due.map((each) => ({ ...each, headline: `${each.event}: ${headlines[each.event]}`, run }));
}
