import { onError, UserError } from "../base/exit.ts";
import { grouped } from "../base/grouped.ts";
import { canonical } from "../base/json.ts";
import type { DesiredFleet } from "../manifest/desired-fleet.ts";
import { addressParts } from "../model/address.ts";
import { addressScope } from "../model/identity.ts";
import { isRemoval } from "../model/removal-changes.ts";
import { isMove } from "../model/repository-kinds.ts";
import type { Change, Problem } from "../model/types.ts";
import type { InSync } from "../plan/diff/diff.ts";
import { absence, type Memory, toMemory } from "../plan/diff/last-applied.ts";
import type { Plan } from "../plan/plan.ts";
import { sentFieldsOf } from "../plan/requests.ts";
import type { LeaseToken } from "../state/lease.ts";
import type { Ledger } from "../state/ledger/ledger.ts";
import { locator, type ProjectObservation, type RunObservation } from "../state/snapshots/observed.ts";
import { recordObservation } from "../state/snapshots/record.ts";
import type { SyncStatusCounts } from "../state/snapshots/snapshot.ts";
import type { ChangeEvent, Outcomes, Watcher } from "./apply/apply.ts";
import { writtenState } from "./apply/live-effect.ts";
import type { Context } from "./context.ts";
import type { RefreshScope } from "./live/refresh-scope.ts";
import type { Applied } from "./request.ts";

/** Milliseconds. */
const saveEvery = 2000;

/** Maximum share of the time that saving a large ledger may take. */
const savingShare = 0.05;

/**
 * Records the result of each write in the ledger, saved every two seconds so that a kill loses little. If saving
 * fails, nothing else is sent.
 */
export function ledgerWatcher(ledger: Ledger, token: LeaseToken, now: () => Date): Watcher {
  let due = now().getTime() + saveEvery;
  let error: string | undefined;
  return {
    intent: async () => error,
    outcome: async (event) => {
      if (event.outcome.status !== "applied" || !event.change) return;
      rememberWrite(ledger, event.change, event);
      const began = now().getTime();
      if (began < due) return;
      due = Number.POSITIVE_INFINITY;
      error ??= await ledger.save(token);
      due = now().getTime() + Math.max(saveEvery, (now().getTime() - began) / savingShare);
    },
  };
}

function rememberWrite(ledger: Ledger, change: Change, event: ChangeEvent): void {
  if (isRemoval(change)) {
    ledger.remember(change.address, absence);
    return;
  }
  const resource = { kind: change.kind, key: change.key, fields: change.declared };
  const written = writtenState(ledger.catalogue, change, event.answer);
  const sent = sentFieldsOf(change, ledger.catalogue);
  const unseen = written.unreported.filter((name) => !sent.includes(name));
  const seen = { ...written, unseen, unkept: event.outcome.not_kept ?? [] };
  const memory = toMemory(resource, change.address, seen, ledger.fingerprint);
  ledger.remember(change.address, keepUnseen(ledger.recall(change.address), memory, unseen));
}

/**
 * Records resources found in sync, so that a later change on the server can be distinguished from one in the
 * manifests.
 */
export function inSyncRecorder(ledger: Ledger): NonNullable<RefreshScope["remember"]> {
  return ({ settled, absent }) => {
    for (const each of settled) rememberAccepted(ledger, each);
    for (const address of absent) if (!ledger.recall(address)?.absent) ledger.remember(address, absence);
  };
}

export type Remembered = Pick<InSync, "address" | "desired" | "live" | "unverified">;

/** Records the live values as accepted; fields that cannot be read keep their recorded values. */
export function rememberAccepted(ledger: Ledger, { address, desired, live, unverified }: Remembered): void {
  const before = ledger.recall(address);
  const seen = {
    updatedAt: live.updatedAt,
    unseen: unverified,
    unkept: before?.unkept?.filter((name) => name in desired.fields) ?? [],
  };
  const now = keepUnseen(before, toMemory(desired, address, seen, ledger.fingerprint), unverified);
  if (!before || canonical(now) !== canonical(before)) ledger.remember(address, now);
}

function keepUnseen(before: Memory | undefined, now: Memory, unseen: readonly string[]): Memory {
  const previous = Object.entries(before?.sent ?? {}).filter(([name]) => unseen.includes(name));
  return { ...now, sent: { ...now.sent, ...Object.fromEntries(previous) } };
}

/** Warns of values that the server did not keep and no ledger records: each plan will list them again. */
export function warnUnkept(
  ledger: Ledger | undefined,
  { resource_changes }: Plan,
  outcomes: Outcomes,
): readonly Problem[] {
  const unkept = resource_changes.some(({ address }) => outcomes.get(address)?.not_kept?.length);
  if (ledger || !unkept) return [];
  const message =
    "without a ledger each plan changes again what the server does not keep; set ledger in evenkeel.yaml " +
    "to report it once";
  return [{ severity: "warning", rule: "not-kept", message }];
}

export type KeptSnapshots =
  | { readonly fleet: SyncStatusCounts }
  | { readonly unseen: string }
  | Readonly<Record<never, never>>;

/** Stores the state of each project as found by a run and left by an apply. If that fails, the run still succeeds. */
export async function recordSnapshots(context: Context, result: Applied): Promise<KeptSnapshots> {
  const { request, state } = context;
  if (!request.command || !result.compared) return {};
  const observation = observationOf(context, result);
  if (observation.projects.length === 0 && !observation.covers) return {};
  return recordObservation(state, observation).then(
    (fleet) => ({ fleet }),
    onError(UserError, ({ message }) => ({ unseen: message })),
  );
}

function observationOf(context: Context, result: Applied): RunObservation {
  const { request, claim, heading, ledger } = context;
  const { targets, excludes, shard, since, command } = request;
  const authors = new Map(result.plan.resource_changes.map((change) => [change.address, change.changed_by]));
  const isLimited = addressScope(targets, excludes).isLimited || since !== undefined || !result.desired;
  return {
    run: claim.run,
    at: new Date().toISOString(),
    commit: heading.manifests.commit,
    server: heading.url,
    whole: !isLimited && !shard,
    ...(!isLimited && { covers: shard ?? (() => true) }),
    ...(result.desired ? observeCompared(result.desired, context, result) : observeApplied(result)),
    exceptions: context.rules
      .filter(({ except }) => except.length > 0)
      .map(({ name, except, until }) => ({ rule: name, except: except.slice(0, 50), ...(until && { until }) })),
    overrides: result.plan.overrides ?? [],
    hasLedger: ledger !== undefined,
    authorOf: (address) => authors.get(address),
    cause: command === "plan" || command === "apply" ? "pending" : "drift",
  };
}

type SeenProjects = Pick<RunObservation, "projects" | "observe" | "locate">;

function observeCompared({ projects, at }: DesiredFleet, { request }: Context, result: Applied): SeenProjects {
  // Both lists have the same order, and some projects could not be read.
  let next = 0;
  const differences = projects.map(({ name }) =>
    result.differences[next]?.project === name ? result.differences[next++] : undefined,
  );
  const problems = grouped(result.plan.problems, ({ project }) => project ?? "");
  const unreadable = (problems.get("") ?? []).filter(({ rule }) => rule === "unreadable");
  const { isLimited, covers } = addressScope(request.targets, request.excludes);
  const observe = (index: number): ProjectObservation => {
    const project = projects[index] ?? { name: "" };
    const difference = differences[index];
    const reported = problems.get(project.name) ?? (difference ? [] : unreadable);
    const includes = (rest: string) => covers(`${project.name}:${rest}`, project);
    return {
      project,
      desired: () => at(index).resources,
      ...(difference && { changes: difference.changes.filter(({ address }) => !isApplied(address, result)) }),
      includes: isLimited ? includes : () => true,
      unverified: Object.fromEntries(
        (difference?.unverified ?? []).map((each) => [addressParts(each.address)[1], each.fields]),
      ),
      ...(difference?.inherited && { inherited: difference.inherited.map((address) => addressParts(address)[1]) }),
      unmanaged: difference?.unmanaged ?? 0,
      problems: reported.slice(0, 3).map(({ message }) => message.slice(0, 500)),
    };
  };
  return { projects, observe, locate: locator() };
}

/** The changes of a saved plan that were applied; its apply observed nothing else. */
function observeApplied(result: Applied): SeenProjects {
  const applied = result.plan.resource_changes.filter((each) => !isMove(each) && isApplied(each.address, result));
  const observed = [...grouped(applied, ({ project }) => project)].map(([name, changes]): ProjectObservation => {
    const addresses = new Set(changes.map(({ address }) => addressParts(address)[1]));
    return {
      project: { name },
      changes: [],
      includes: (rest) => addresses.has(rest),
      unverified: {},
      unmanaged: 0,
      problems: [],
    };
  });
  const observe = (index: number) => observed[index] as ProjectObservation;
  return { projects: observed.map(({ project }) => project), observe, locate: () => undefined };
}

function isApplied(address: string, { outcomes }: Applied): boolean {
  return outcomes?.get(address)?.status === "applied";
}
