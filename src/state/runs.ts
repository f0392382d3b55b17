import { compareTexts } from "../base/text-format.ts";
import { type RunSummary, summaryIn } from "./run-summary.ts";
import type { Runs } from "./state.ts";
import type { StateStore } from "./store.ts";

const day = 24 * 3600 * 1000;

/** Milliseconds for which records are kept; applies and their journals are kept until the user deletes them. */
export const kept = {
  /** Summaries of {@link readCommands}, up to {@link maxReadRuns}. */
  readRuns: 90 * day,
  /** Saved plans and their signatures. */
  plans: 30 * day,
} as const;

/** 90 days of a check every five minutes. */
export const maxReadRuns = 26_000;

/** Commands that only read; their summaries expire. */
const readCommands: readonly string[] = ["plan", "drift", "watch"];

/** The summaries of runs. Removes expired ones, and expired plans, when a run ends. */
export function storedRuns(store: StateStore): Runs {
  /** A cache: summaries of ended runs do not change. */
  const ended = new Map<string, RunSummary>();
  const read = async (names: readonly string[]): Promise<readonly RunSummary[]> => {
    const texts = await store.get(
      "runs",
      names.filter((name) => !ended.has(name)),
    );
    return names.flatMap((name) => {
      const summary = ended.get(name) ?? summaryIn(texts.get(name) ?? "");
      if (summary?.ended) ended.set(name, summary);
      return summary ?? [];
    });
  };
  const removeExpired = async () => {
    const plans = (await store.list("plans")).filter((run) => ageOf(run) > kept.plans);
    if (plans.length > 0) {
      await store.put("plans", new Map(plans.map((run) => [run, undefined])));
      await store.forget("signatures", plans);
    }
    const names = await store.list("runs");
    const old = names.filter((name, index) => index < names.length - maxReadRuns || ageOf(name) > kept.readRuns);
    const expired = (await read(old)).filter(({ command }) => readCommands.includes(command));
    for (const { run } of expired) ended.delete(run);
    if (expired.length > 0) await store.put("runs", new Map(expired.map(({ run }) => [run, undefined])));
  };
  return {
    record: async (summary) => {
      ended.delete(summary.run);
      await store.put("runs", new Map([[summary.run, `${JSON.stringify(summary)}\n`]]));
      if (summary.ended !== null) await removeExpired();
    },
    list: async () => [...(await read(await store.list("runs")))].sort(newestFirst),
  };
}

/** Milliseconds since a run started, from its name: `20261121T072315Z-1f2e`. */
function ageOf(run: string): number {
  const [, date, hour, minute, second] = /^(\d{8})T(\d\d)(\d\d)(\d\d)Z/.exec(run) ?? [];
  const written = date?.replace(/(\d{4})(\d\d)(\d\d)/, "$1-$2-$3");
  return Date.now() - Date.parse(`${written}T${hour}:${minute}:${second}Z`);
}

function newestFirst(a: RunSummary, b: RunSummary): number {
  return compareTexts(b.started, a.started) || compareTexts(b.run, a.run);
}
