import type { ReportedProblem } from "../model/problem-line.ts";
import type { Planned } from "../reconcile/request.ts";
import type { WatchMemory } from "../state/watch-memory.ts";
import {
  driftNotification,
  expiringNotification,
  failedNotification,
  type Notification,
  problemWords,
  recoveredNotification,
} from "./notification-texts.ts";
import { changesAt } from "./notified-changes.ts";
import { type ObservedDifferences, problemsByKey } from "./observation.ts";
import type { WatchState } from "./watch-state.ts";

/** A check, and the problems of it and of its apply. */
export interface SeenProblems {
  readonly before: WatchMemory;
  readonly planned: Planned;
  /** Undefined if nothing could be checked. */
  readonly observed: ObservedDifferences | undefined;
  readonly whole: boolean;
  readonly errors: readonly ReportedProblem[];
  readonly run: string | null;
}

/** The notifications of new drift, recoveries, problems and expiry, which are then saved as notified. */
export function notificationsOfProblems(memory: WatchState, seen: SeenProblems): readonly Notification[] {
  const { before, planned, observed, run } = seen;
  const found = problemsByKey([...planned.plan.problems, ...seen.errors]);
  const fresh = [...found].flatMap(([key, problem]) => (key in before.failing ? [] : [problem]));
  const over = Object.entries(before.failing).filter(([key]) => isConclusive(seen) && !found.has(key));
  const expiring = planned.plan.warnings.filter(({ rule }) => rule === "expiry").map(problemWords);
  const soon = expiring.filter((each) => !before.expiring.includes(each));
  memory.change({ failing: failingNow(seen, found), ...(observed && { expiring }) });
  const { drifted = [], recovered = [] } = observed ?? {};
  const gone = over.map(([, words]) => words);
  return [
    ...(drifted.length > 0 ? [driftNotification(drifted, run, changesAt(planned.plan, drifted))] : []),
    ...(recovered.length + gone.length > 0 ? [recoveredNotification(recovered, gone, run)] : []),
    ...(fresh.length > 0 ? [failedNotification(fresh, run)] : []),
    ...(soon.length > 0 ? [expiringNotification(soon, run)] : []),
  ];
}

/** Whether problems that were not found again are resolved: only a full check shows that. */
function isConclusive({ whole, observed }: SeenProblems): boolean {
  return whole && observed !== undefined;
}

function failingNow(seen: SeenProblems, found: ReadonlyMap<string, ReportedProblem>): WatchMemory["failing"] {
  const now = [...found].map(([key, problem]) => [key, problemWords(problem)] as const);
  return { ...(isConclusive(seen) ? {} : seen.before.failing), ...Object.fromEntries(now) };
}
