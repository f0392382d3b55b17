import { compareTexts } from "../base/text-format.ts";
import type { Problem } from "../model/types.ts";
import { armoredBlocks } from "../plan/approvals/ssh-signature.ts";
import { ledgerHead } from "../plan/diff/ledger-line.ts";
import { isUnfinished, journalLineIn } from "./journal.ts";
import type { Holder, LeaseToken } from "./lease.ts";
import { type RunSummary, summaryIn } from "./run-summary.ts";
import { countSnapshots } from "./snapshots/read-snapshots.ts";
import {
  type Approvals,
  type Contents,
  type JournalAppender,
  type JournalLine,
  type Journals,
  type LedgerContents,
  type LedgerStore,
  type Runs,
  runLeases,
  type StateStore,
  type Texts,
  type WorkspaceState,
} from "./state.ts";

export function stateOver(store: StateStore): WorkspaceState {
  const ledger = store.ledger ?? storedLedger(store);
  const snapshots = {
    read: (names: readonly string[]) => store.get("snapshots", names),
    write: (texts: ReadonlyMap<string, string>) => store.put("snapshots", texts),
    marks: (names: readonly string[]) => store.marks("snapshots", names),
    leases: store.leases("snapshots"),
  };
  return {
    place: store.place,
    leases: store.leases("apply"),
    watchLeases: store.leases("watch"),
    journals: storedJournals(store),
    runs: storedRuns(store),
    ledger,
    plans: storedTexts(store, "plans"),
    approvals: storedApprovals(store),
    notes: storedTexts(store, "notes"),
    snapshots,
    workers: undefined,
    rates: store.rates,
    contents: async (): Promise<Contents> => ({
      runs: (await store.list("runs")).length,
      journals: (await store.list("journals")).length,
      plans: (await store.list("plans")).length,
      approvals: (await store.list("signatures")).length,
      ledger: (await ledger.read()).lines.size,
      snapshots: await countSnapshots(snapshots),
      notes: (await store.list("notes")).length,
      bytes: await store.size(),
    }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

function storedJournals(store: StateStore): Journals {
  const append = (token: LeaseToken, run: string, lines: readonly JournalLine[]) =>
    store.append(
      "journals",
      run,
      lines.map((line) => JSON.stringify(line)),
      token,
    );
  return {
    writeError: store.writeError,
    open: (token) => batchWriter((lines) => append(token, token.run, lines)),
    list: () => store.list("journals"),
    read: async (run) => (await store.lines("journals", [run])).get(run)?.flatMap((line) => journalLineIn(line) ?? []),
    unfinished: async () => {
      const last = await store.lastLines("journals");
      return [...last].filter(([, line]) => isUnfinished(journalLineIn(line))).map(([run]) => run);
    },
    extend: append,
  };
}

/** Calls `write` with the lines of a batch, in order, one batch at a time. */
function batchWriter(write: (lines: readonly JournalLine[]) => Promise<void>): JournalAppender {
  let waiting: JournalLine[] = [];
  let next: Promise<void> | undefined;
  let current: Promise<void> = Promise.resolve();
  const flush = async () => {
    await current;
    const lines = waiting;
    waiting = [];
    next = undefined;
    current = write(lines);
    await current;
  };
  return {
    append: (line) => {
      waiting.push(line);
      next ??= flush();
      return next;
    },
    close: async () => {
      await next?.catch(() => {});
      await current.catch(() => {});
    },
  };
}

function storedTexts(store: StateStore, documents: "plans" | "notes"): Texts {
  return {
    read: async (name) => (await store.get(documents, [name])).get(name),
    write: (name, text) => store.put(documents, new Map([[name, text]])),
    list: () => store.list(documents),
    marks: (names) => store.marks(documents, names),
  };
}

function storedApprovals(store: StateStore): Approvals {
  const ofRuns: Approvals["ofRuns"] = async (runs) => {
    const logs = await store.lines("signatures", runs);
    return new Map(
      [...logs].map(([run, lines]) => [run, armoredBlocks(lines.join("\n")).map((block) => `${block}\n`)]),
    );
  };
  return {
    add: (run, signature) => store.append("signatures", run, [signature.trimEnd()]),
    list: async (run) => (await ofRuns([run])).get(run) ?? [],
    ofRuns,
  };
}

const batchSize = 500;

/** A ledger with a document per project. */
function storedLedger(store: StateStore): LedgerStore {
  return {
    read: async () => {
      const lines = new Map<string, string>();
      const names = await store.list("ledger");
      for (const batch of splitBatches(names)) {
        for (const [name, line] of await store.get("ledger", batch)) if (ledgerHead(line)) lines.set(name, line);
      }
      return { lines, problems: invalidLines(names.length - lines.size) } satisfies LedgerContents;
    },
    writeError: () => undefined,
    write: async (token, lines, changed) => {
      for (const batch of splitBatches(changed)) {
        await store.put("ledger", new Map(batch.map((name) => [name, lines.get(name)])), token);
      }
    },
  };
}

function* splitBatches(names: readonly string[]): Iterable<readonly string[]> {
  for (let at = 0; at < names.length; at += batchSize) yield names.slice(at, at + batchSize);
}

function invalidLines(count: number): readonly Problem[] {
  if (count === 0) return [];
  const message = `${count === 1 ? "1 row" : `${count} rows`} of the state's ledger cannot be read and are ignored`;
  return [{ severity: "warning", rule: "ledger", message }];
}

const day = 24 * 3600 * 1000;

/** Retention in milliseconds; applies and their journals are kept until the user deletes them. */
export const kept = {
  /** Summaries of {@link readCommands}, up to {@link maxReadRuns}. */
  readRuns: 90 * day,
  plans: 30 * day,
} as const;

/** 90 days of a check every five minutes. */
export const maxReadRuns = 26_000;

/** Read-only commands, whose summaries expire. */
const readCommands: readonly string[] = ["plan", "drift", "watch"];

/** The summaries of runs. Removes expired ones, and expired plans, when a run ends. */
function storedRuns(store: StateStore): Runs {
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
    const plans = (await store.list("plans")).filter((run) => computeAge(run) > kept.plans);
    if (plans.length > 0) {
      await store.put("plans", new Map(plans.map((run) => [run, undefined])));
      await store.forget("signatures", plans);
    }
    const names = await store.list("runs");
    const old = names.filter((name, index) => index < names.length - maxReadRuns || computeAge(name) > kept.readRuns);
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
function computeAge(run: string): number {
  const [, date, hour, minute, second] = /^(\d{8})T(\d\d)(\d\d)(\d\d)Z/.exec(run) ?? [];
  const written = date?.replace(/(\d{4})(\d\d)(\d\d)/, "$1-$2-$3");
  return Date.now() - Date.parse(`${written}T${hour}:${minute}:${second}Z`);
}

function newestFirst(a: RunSummary, b: RunSummary): number {
  return compareTexts(b.started, a.started) || compareTexts(b.run, a.run);
}

export interface LiveRuns {
  readonly runs: ReadonlySet<string>;
  readonly holder: Holder | undefined;
}

export async function liveRuns({ leases, workers }: WorkspaceState): Promise<LiveRuns> {
  const holder = await leases.holder();
  const withWorkers = (await workers?.holders(runLeases)) ?? [];
  return { holder, runs: new Set([...withWorkers, ...(holder ? [holder] : [])].map(({ run }) => run)) };
}
