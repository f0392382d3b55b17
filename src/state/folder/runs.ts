import { compareTexts } from "../../base/text-format.ts";
import { kept, maxReadRuns, readCommands } from "../retention.ts";
import { type RunSummary, summaryIn } from "../run-summary.ts";
import type { Runs } from "../state.ts";
import type { Files } from "./texts.ts";

/** Summaries as files, one per run. */
export function folderRuns(files: Files, plans: Pick<Files, "list" | "remove">): Runs {
  /** A cache: summaries of ended runs do not change. */
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
        const isExpired = index < runs.length - maxReadRuns || ageOf(run) > kept.readRuns;
        if (isExpired && isReadRun(await read(run))) files.remove(run);
      }
    },
    list: async () => {
      const found = await Promise.all((await files.list()).map(read));
      return found.flatMap((summary) => summary ?? []).sort(newestFirst);
    },
  };
}

/** Milliseconds since a run started, from its name: `20261121T072315Z-1f2e`. */
function ageOf(run: string): number {
  const [, date, hour, minute, second] = /^(\d{8})T(\d\d)(\d\d)(\d\d)Z/.exec(run) ?? [];
  const day = date?.replace(/(\d{4})(\d\d)(\d\d)/, "$1-$2-$3");
  return Date.now() - Date.parse(`${day}T${hour}:${minute}:${second}Z`);
}

function isReadRun(summary: RunSummary | undefined): boolean {
  return readCommands.some((command) => command === summary?.command);
}

function newestFirst(a: RunSummary, b: RunSummary): number {
  return compareTexts(b.started, a.started) || compareTexts(b.run, a.run);
}
