import { pid } from "node:process";
import type { Happened, Outcomes, Watcher } from "../apply/apply.ts";
import { shellWord } from "../base/shell-word.ts";
import type { Answer } from "../client/client.ts";
import type { Settled } from "../diff/diff.ts";
import { type Memory, memoryOf } from "../diff/last-applied.ts";
import { isRow, reportedFields } from "../live/read-live.ts";
import { isRemoval } from "../model/turns-off.ts";
import type { Change, Problem } from "../model/types.ts";
import { withOutcomes } from "../plan/outcomes.ts";
import type { Plan } from "../plan/plan.ts";
import {
  type CutShort,
  type Journal,
  notice,
  readyJournal,
  runsCutShort,
  startJournal,
  whoRuns,
} from "../state/journal.ts";
import type { Entry } from "../state/journal-entry.ts";
import type { Ledger } from "../state/ledger.ts";
import type { Opened } from "./context.ts";
import type { Planned } from "./request.ts";

/**
 * Makes sure, before anything is read, that an apply can keep its record.
 * @throws Refusal where a journal or the ledger cannot be kept.
 */
export function readyToRecord({ loaded: { root }, ledger }: Opened): void {
  readyJournal(root);
  ledger?.ready();
}

/** What became of an apply, and of its record. */
export interface Recorded {
  readonly outcomes: Outcomes;
  readonly problems: readonly Problem[];
}

/**
 * Runs an apply with those who keep its record: a journal, where there is anything to write, and the ledger. A run
 * that ends in any way but a kill says so in its journal. Where the record cannot be kept any more, nothing else is
 * sent, and a problem says so.
 */
export async function recording(
  { loaded: { root }, ledger }: Opened,
  { plan, differences }: Planned,
  listeners: readonly Watcher[],
  work: (watchers: readonly Watcher[]) => Promise<Outcomes>,
): Promise<Recorded> {
  if (ledger)
    rememberSettled(
      ledger,
      differences.flatMap(({ settled }) => settled),
    );
  const keepers = ledger ? [remembering(ledger, now), ...listeners] : listeners;
  const named = runsCutShort(root);
  let unsaved: string | undefined;
  const journalling = plan.summary.writes > 0 ? journalled(root, plan, keepers, work) : unjournalled(keepers, work);
  const { outcomes, problems } = await journalling.finally(() => {
    unsaved = ledger?.save();
  });
  return { outcomes, problems: [...problems, ...problemOf("ledger", unsaved), ...(await noticeAll(root, named))] };
}

const now = () => new Date();

async function unjournalled(
  keepers: readonly Watcher[],
  work: (watchers: readonly Watcher[]) => Promise<Outcomes>,
): Promise<Recorded> {
  return { outcomes: await work(keepers), problems: [] };
}

async function journalled(
  root: string,
  plan: Plan,
  keepers: readonly Watcher[],
  work: (watchers: readonly Watcher[]) => Promise<Outcomes>,
): Promise<Recorded> {
  const journal = startJournal(root, now);
  try {
    await journal.write(startOf(plan));
    const outcomes = await work([...keepers, journalling(journal)]);
    const counts = withOutcomes(plan, outcomes).summary.outcomes ?? {};
    return { outcomes, problems: problemOf("journal", await journal.write({ event: "end", outcomes: counts })) };
  } finally {
    await journal.close();
  }
}

function problemOf(rule: string, trouble: string | undefined): Problem[] {
  return trouble ? [{ severity: "error", rule, message: trouble }] : [];
}

async function noticeAll(root: string, named: readonly CutShort[]): Promise<Problem[]> {
  const troubles = await Promise.all(named.map(({ run }) => notice(root, run, now())));
  return troubles.flatMap((message) => (message ? [{ severity: "warning", rule: "journal", message }] : []));
}

function startOf({ manifests, server, summary }: Plan): Entry {
  const { commit, digest } = manifests;
  return {
    event: "start",
    who: whoRuns(),
    pid,
    commit,
    manifests: digest,
    server: server.url,
    changes: summary.writes,
  };
}

/** Names the runs that were killed, until an apply that did so comes to its end: one that is killed too tells nobody. */
export function noticeCutShort(root: string): Problem[] {
  return runsCutShort(root).map(({ run, inFlight }) => {
    const flying = inFlight.length > 0 ? `in flight were ${inFlight.join(", ")}` : "nothing was in flight";
    const message = `run ${run} was cut short: ${flying}; evenkeel journal ${shellWord(run)} tells the rest`;
    return { severity: "warning", rule: "run-cut-short", message };
  });
}

/** Writes each intent and each outcome into the journal; what is not in it is not sent. */
function journalling(journal: Journal): Watcher {
  return {
    intent: ({ address, action }, { method, path }) =>
      journal.write({ event: "intent", address, action, method, path }),
    noted: async (entry) => void (await journal.write(entry)),
    outcome: async ({ address, outcome, answer, failure }) => {
      const http = answer?.status ?? failure?.status;
      await journal.write({
        event: "outcome",
        address,
        status: outcome.status,
        ...(http !== undefined && { http }),
        ...(answer?.requestId !== undefined && { request_id: answer.requestId }),
        ...(outcome.error !== undefined && { error: outcome.error }),
      });
    },
  };
}

const saveEvery = 2000;

/**
 * Remembers in the ledger what each write left; saved every two seconds, so that a kill forgets little. Once it could
 * not be saved, nothing else is sent.
 */
function remembering(ledger: Ledger, now: () => Date): Watcher {
  let saved = now().getTime();
  let trouble: string | undefined;
  return {
    intent: async () => trouble,
    outcome: async (event) => {
      if (event.outcome.status !== "applied" || !event.change) return;
      rememberWrite(ledger, event.change, event);
      if (now().getTime() - saved < saveEvery) return;
      saved = now().getTime();
      trouble ??= ledger.save();
    },
  };
}

function rememberWrite(ledger: Ledger, change: Change, { answer, outcome }: Happened): void {
  if (isRemoval(change)) {
    ledger.forget(change.address);
    return;
  }
  const resource = { kind: change.kind, key: change.key, fields: change.declared };
  const row = rowOf(answer);
  const reported = reportedFields(resource, row);
  const seen = {
    updatedAt: typeof row.updated_at === "string" ? row.updated_at : undefined,
    unkept: outcome.not_kept ?? [],
    unreported: Object.keys(change.declared).filter((name) => !(name in reported)),
  };
  ledger.remember(change.address, memoryOf(resource, change.address, seen, ledger.fingerprint));
}

function rowOf(answer: Answer | undefined): Readonly<Record<string, unknown>> {
  return isRow(answer?.body) ? answer.body : {};
}

/** Remembers what was found in sync, so that a later change on the server can be told from one in the manifests. */
function rememberSettled(ledger: Ledger, settled: readonly Settled[]): void {
  for (const { address, desired, live, unverified } of settled) {
    const before = ledger.recall(address);
    if (before && before.updated_at === live.updatedAt) continue;
    const seen = { updatedAt: live.updatedAt, unseen: unverified, unkept: before?.unkept ?? [] };
    ledger.remember(address, keeping(before, memoryOf(desired, address, seen, ledger.fingerprint), unverified));
  }
}

/** What was sent and cannot be seen stays as it was remembered. */
function keeping(before: Memory | undefined, now: Memory, unseen: readonly string[]): Memory {
  const kept = Object.entries(before?.sent ?? {}).filter(([name]) => unseen.includes(name));
  return { ...now, sent: { ...now.sent, ...Object.fromEntries(kept) } };
}
