import { canonical } from "../../base/json.ts";
import { desiredOf } from "../../manifest/layers.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { identityOf } from "../../model/kinds.ts";
import { lookUpFields } from "../../model/look-ups.ts";
import { compareField } from "../../model/normalise.ts";
import type { Change, Desired, DesiredProject, Live, Problem } from "../../model/types.ts";
import { diff } from "../../plan/diff/diff.ts";
import type { Context } from "../../run/context.ts";
import { rememberAccepted } from "../../run/keep-results.ts";
import type { RefreshScope } from "../../run/live/refresh-scope.ts";
import type { AsCompared, LiveTarget, ManifestDraft } from "./accept-change.ts";

/** What to report about an accepted resource. */
export interface LedgerOutcome {
  readonly notes: readonly string[];
  readonly problems: readonly Problem[];
}

interface LedgerScope {
  readonly context: Context;
  readonly scope: RefreshScope;
}

/** Records the live state in the ledger as accepted, and reports what a plan would still list. */
export function ledgerAfterAccept(
  draft: ManifestDraft,
  { ref, change, live, asCompared }: LiveTarget,
  { context, scope }: LedgerScope,
): LedgerOutcome {
  const { ledger, loaded } = context;
  const catalogue = loaded.workspace.catalogue;
  const { desired } = desiredOf(draft.manifests.policies, ref.project);
  const identity = identityOf(catalogue, ref);
  const only: DesiredProject = {
    ...desired,
    resources: desired.resources.filter((each) => each.identity === identity).map(asCompared),
  };
  const [wanted] = only.resources;
  const { address, origin } = change;
  const before = ledger?.recall(address);
  if (ledger && live && wanted?.presence === "present") {
    rememberAccepted(ledger, { address, desired: wanted, live, unverified: unverifiedOf(catalogue, wanted, live) });
  } else if (before) ledger?.forget(address);
  const [left] = diff(only, live ? [live] : [], scope.diff(ref.project)).changes;
  const isIdle = draft.hunks.length === 0;
  if (!left) return { notes: isIdle && before ? [hiddenWords(catalogue, wanted, live)] : [], problems: [] };
  if (ledger && isIdle && before) ledger.remember(address, before);
  const why = [
    ...draft.left,
    ...(draft.left.length > 0 ? [] : unreportedWords(catalogue, wanted, live)),
    `the plan still reports: ${left.reason}`,
  ];
  const message = `${address} ${isIdle ? "was not accepted" : "was accepted in part"}: ${why.join("; ")}`;
  return { notes: [], problems: [{ severity: "error", rule: "not-accepted", message, place: origin.place() }] };
}

function unverifiedOf(catalogue: Catalogue, desired: Desired, live: Live): readonly string[] {
  return Object.entries(desired.fields)
    .filter(([name, value]) => compareField(catalogue, desired, name, value, live.fields[name]) === "unverified")
    .map(([name]) => name);
}

function unreportedWords(
  catalogue: Catalogue,
  desired: Desired | undefined,
  live: Live | undefined,
): readonly string[] {
  const names = desired && live ? unverifiedOf(catalogue, desired, live) : [];
  return names.length > 0 ? [`the server does not report ${names.join(", ")}, so there is no value to accept`] : [];
}

function hiddenWords(catalogue: Catalogue, desired: Desired | undefined, live: Live | undefined): string {
  const [unreported] = unreportedWords(catalogue, desired, live);
  return `no visible difference; the ledger now records the server's state${unreported ? `; ${unreported}` : ""}`;
}

/**
 * Puts what look-ups gave for a change in place of what was written `before`, as far as it is still written so: the
 * server has IDs where manifests have names.
 */
export function asComparedBy(
  catalogue: Catalogue,
  before: Desired | undefined,
  { kind, declared }: Change,
): AsCompared {
  const file = catalogue.kinds.get(kind)?.file;
  if (!file || !before) return (desired) => desired;
  const names = lookUpFields(file).filter((name) => name in before.fields && name in declared);
  const written = new Map(names.map((name) => [name, canonical(before.fields[name])]));
  return (desired) => {
    const same = names.filter(
      (name) => name in desired.fields && canonical(desired.fields[name]) === written.get(name),
    );
    if (same.length === 0) return desired;
    const found = Object.fromEntries(same.map((name) => [name, declared[name] ?? null]));
    return { ...desired, fields: { ...desired.fields, ...found } };
  };
}
