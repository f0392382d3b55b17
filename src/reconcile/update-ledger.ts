import type { ChangeEvent, Outcomes, Watcher } from "../apply/apply.ts";
import { writtenState } from "../apply/verify-write.ts";
import { canonical } from "../base/json.ts";
import type { InSync } from "../diff/diff.ts";
import { absence, type Memory, memoryOf } from "../diff/last-applied.ts";
import type { RefreshScope } from "../live/refresh-scope.ts";
import { isRemoval } from "../model/removal-changes.ts";
import type { Change, Problem } from "../model/types.ts";
import type { Plan } from "../plan/plan.ts";
import { sentFieldsOf } from "../plan/requests.ts";
import type { LeaseToken } from "../state/lease-store.ts";
import type { Ledger } from "../state/ledger/ledger.ts";

/** Milliseconds. */
const saveEvery = 2000;

/** A large ledger is saved less often, so that saving it takes at most this part of the time. */
const savingShare = 0.05;

/**
 * Remembers in the ledger what each write left; saved every two seconds, so that a kill forgets little. Once it could
 * not be saved, nothing else is sent.
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
  const memory = memoryOf(resource, change.address, seen, ledger.fingerprint);
  ledger.remember(change.address, keeping(ledger.recall(change.address), memory, unseen));
}

/** Remembers what of a project was found in sync, so that a later change on the server can be told from one in the manifests. */
export function inSyncRecorder(ledger: Ledger): NonNullable<RefreshScope["remember"]> {
  return ({ settled, absent }) => {
    for (const each of settled) rememberAccepted(ledger, each);
    for (const address of absent) if (!ledger.recall(address)?.absent) ledger.remember(address, absence);
  };
}

/** A resource as it is to be remembered. */
export type Remembered = Pick<InSync, "address" | "desired" | "live" | "unverified">;

/** Remembers that what the server has is right, whatever moved it; what cannot be seen stays as it was remembered. */
export function rememberAccepted(ledger: Ledger, { address, desired, live, unverified }: Remembered): void {
  const before = ledger.recall(address);
  const seen = {
    updatedAt: live.updatedAt,
    unseen: unverified,
    unkept: before?.unkept?.filter((name) => name in desired.fields) ?? [],
  };
  const now = keeping(before, memoryOf(desired, address, seen, ledger.fingerprint), unverified);
  if (!before || canonical(now) !== canonical(before)) ledger.remember(address, now);
}

/** What was sent and cannot be seen stays as it was remembered. */
function keeping(before: Memory | undefined, now: Memory, unseen: readonly string[]): Memory {
  const kept = Object.entries(before?.sent ?? {}).filter(([name]) => unseen.includes(name));
  return { ...now, sent: { ...now.sent, ...Object.fromEntries(kept) } };
}

/** What is told where something was not kept and no ledger remembers that: each plan will list it again. */
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
