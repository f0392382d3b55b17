import { kept, looks, mostLooks } from "../retention.ts";
import { type RunSummary, summaryIn } from "../run-summary.ts";
import type { Runs } from "../state.ts";
import type { Files } from "./texts.ts";

/** Summaries as files, one per run. */
export function folderRuns(files: Files, plans: Pick<Files, "list" | "remove">): Runs {
  /** Summaries of runs that ended do not change, and a history may have thousands. */
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
      const found = await Promise.all((await files.list()).map(read));
      return found.flatMap((summary) => summary ?? []).sort(newestFirst);
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
