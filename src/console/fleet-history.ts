import type { RunSummary } from "../state/run-summary.ts";
import type { SyncStatusCounts } from "../state/snapshots/snapshot.ts";
import type { KnownState } from "./known-state.ts";

/** A day of the fleet, in UTC. */
export interface FleetDay {
  readonly day: string;
  /** How the fleet stood after the last run of the day that compared anything; undefined if none did. */
  readonly counts: SyncStatusCounts | undefined;
  /** Runs that applied something, and those that failed or were blocked; newest first. */
  readonly applied: readonly RunSummary[];
  readonly failed: readonly RunSummary[];
}

const unsuccessful = new Set(["failed", "refused"]);

const day = 86_400_000;

/** The last so many days, the oldest first. */
export function fleetDays({ runs }: Pick<KnownState, "runs">, days: number, now = Date.now()): readonly FleetDay[] {
  const names = Array.from({ length: days }, (_, index) => isoDay(now - (days - 1 - index) * day));
  const known = new Map(names.map((name) => [name, emptyDay(name)]));
  for (const run of runs) {
    const of = known.get((run.ended ?? run.started).slice(0, 10));
    if (!of) continue;
    of.counts ??= run.fleet;
    if (run.command === "apply" && run.outcome === "applied") of.applied.push(run);
    if (unsuccessful.has(run.outcome ?? "")) of.failed.push(run);
  }
  return [...known.values()];
}

function emptyDay(name: string) {
  const none = (): RunSummary[] => [];
  return { day: name, counts: undefined as SyncStatusCounts | undefined, applied: none(), failed: none() };
}

function isoDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Comparisons that show how often the fleet is compared, and how few do not. */
const [mostSeen, fewestSeen] = [20, 4];

/** Milliseconds that usually pass between two comparisons of the fleet: the median of the last ones; undefined if too few are known. */
export function usualInterval({ runs }: Pick<KnownState, "runs">): number | undefined {
  const times: number[] = [];
  for (const { fleet, ended } of runs) {
    if (fleet && ended !== null) times.push(Date.parse(ended));
    if (times.length === mostSeen) break;
  }
  if (times.length < fewestSeen) return undefined;
  const gaps = times.slice(1).map((time, index) => (times[index] ?? time) - time);
  return gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)];
}

/** Milliseconds that a schedule may be late by. */
const tolerance = 5 * 60_000;

/** A test whether something that was seen then is older than the schedule of the fleet allows. */
export function overdueTest(known: Pick<KnownState, "runs">, now = Date.now()): (iso: string) => boolean {
  const interval = usualInterval(known);
  if (interval === undefined) return () => false;
  const latest = new Date(now - 2 * interval - tolerance).toISOString();
  return (iso) => iso < latest;
}
