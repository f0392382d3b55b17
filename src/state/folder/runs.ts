import type { JournalLine } from "../journal-entry.ts";
import { kept, looks, mostLooks } from "../retention.ts";
import { type RunSummary, summaryIn, type TouchedAddress, touchedBy } from "../run-summary.ts";
import type { Journals, Runs } from "../state.ts";
import type { Files } from "./texts.ts";

/** Summaries as files, one a run; a journal of before there were any tells as much of its run. */
export function folderRuns(files: Files, plans: Pick<Files, "list" | "remove">, journals: Journals): Runs {
  /** Of runs that ended: no run ends twice, and a history may have thousands. */
  const ended = new Map<string, RunSummary>();
  const read = async (run: string) => {
    const known = ended.get(run);
    if (known) return known;
    const summary = summaryIn((await files.read(run)) ?? "");
    if (summary?.ended) ended.set(run, summary);
    return summary;
  };
  return {
    record: async (summary) => {
      await files.write(summary.run, `${JSON.stringify(summary)}\n`);
      ended.delete(summary.run);
      for (const run of await plans.list()) if (ageOf(run) > kept.plans) plans.remove(run);
      const runs = await files.list();
      for (const [index, run] of runs.entries()) {
        const isOver = index < runs.length - mostLooks || ageOf(run) > kept.looks;
        if (isOver && isLook(await read(run))) files.remove(run);
      }
    },
    list: async () => {
      const names = await files.list();
      const older = (await journals.list()).filter((run) => !names.includes(run));
      const known = await Promise.all(names.map(read));
      const told = await Promise.all(older.map(async (run) => summaryOf(run, (await journals.read(run)) ?? [])));
      return [...known.flatMap((summary) => summary ?? []), ...told].sort(newestFirst);
    },
  };
}

/** Milliseconds since a run began, by its name: `20261121T072315Z-1f2e`. */
function ageOf(run: string): number {
  const [, date, hour, minute, second] = /^(\d{8})T(\d\d)(\d\d)(\d\d)Z/.exec(run) ?? [];
  const day = date?.replace(/(\d{4})(\d\d)(\d\d)/, "$1-$2-$3");
  return Date.now() - Date.parse(`${day}T${hour}:${minute}:${second}Z`);
}

function isLook(summary: RunSummary | undefined): boolean {
  return looks.some((look) => look === summary?.command);
}

function newestFirst(a: RunSummary, b: RunSummary): number {
  return compare(b.started, a.started) || compare(b.run, a.run);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function summaryOf(run: string, entries: readonly JournalLine[]): RunSummary {
  const start = entries.find((entry) => entry.event === "start");
  const end = entries.find((entry) => entry.event === "end");
  const { who, at, changes, commit } =
    start?.event === "start" ? start : { who: "unknown", at: entries[0]?.at ?? "", changes: 0, commit: null };
  const [user = who, host = "unknown"] = who.split("@");
  const ended = end?.at ?? null;
  const outcome = end?.event === "end" ? outcomeOf(end.outcomes) : null;
  const touched = touchedBy(touchedIn(entries));
  return { run, command: "apply", who: user, host, started: at, ended, outcome, changes, commit, ...touched };
}

function touchedIn(entries: readonly JournalLine[]): TouchedAddress[] {
  const touched = new Map<string, TouchedAddress>();
  for (const entry of entries) {
    if (entry.event === "intent") touched.set(entry.address, { address: entry.address, action: entry.action });
    if (entry.event !== "result") continue;
    const before = touched.get(entry.address);
    if (before) touched.set(entry.address, { ...before, status: entry.status });
  }
  return [...touched.values()];
}

function outcomeOf({ failed = 0, unknown = 0, skipped = 0, stale = 0 }: Readonly<Record<string, number>>): string {
  if (failed + unknown + skipped > 0) return "failed";
  return stale > 0 ? "stale" : "applied";
}
