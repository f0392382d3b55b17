import { diff } from "../diff/diff.ts";
import type { RefreshScope } from "../live/refresh.ts";
import { desiredOf } from "../manifest/layers.ts";
import { type Catalogue, catalogueOf } from "../model/catalogue.ts";
import { identityOf } from "../model/kinds.ts";
import { compareField } from "../model/normalise.ts";
import type { Desired, DesiredProject, Live, Problem } from "../model/types.ts";
import type { Context } from "../reconcile/context.ts";
import { rememberAccepted } from "../reconcile/update-ledger.ts";
import type { LiveTarget, ManifestDraft } from "./accept-change.ts";

/** What is left to say of something that was accepted. */
export interface Judgement {
  readonly notes: readonly string[];
  readonly problems: readonly Problem[];
}

interface Judging {
  readonly context: Context;
  readonly scope: RefreshScope;
}

/** Lets the ledger learn that what is live is right, and says what a plan would list all the same. */
export function ledgerAfterAccept(
  draft: ManifestDraft,
  { thing, change, live }: LiveTarget,
  { context, scope }: Judging,
): Judgement {
  const { ledger, loaded } = context;
  const catalogue = catalogueOf(loaded.workspace.server.dialect);
  const { desired } = desiredOf(draft.manifests.policies, thing.project);
  const identity = identityOf(thing);
  const only: DesiredProject = {
    ...desired,
    resources: desired.resources.filter((each) => identityOf(each) === identity),
  };
  const [wanted] = only.resources;
  const { address, origin } = change;
  const before = ledger?.recall(address);
  if (ledger && live && wanted?.presence === "present") {
    rememberAccepted(ledger, { address, desired: wanted, live, unverified: unverifiedOf(catalogue, wanted, live) });
  } else if (before) ledger?.forget(address);
  const [left] = diff(only, live ? [live] : [], scope.diff(thing.project)).changes;
  const isIdle = draft.hunks.length === 0;
  if (!left) return { notes: isIdle && before ? [hiddenWords(catalogue, wanted, live)] : [], problems: [] };
  if (ledger && isIdle && before) ledger.remember(address, before);
  const why = [
    ...draft.left,
    ...(draft.left.length > 0 ? [] : unreportedWords(catalogue, wanted, live)),
    `the plan still says: ${left.reason}`,
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
  return `nothing visible differs: the ledger takes the server's state for known${unreported ? `; ${unreported}` : ""}`;
}
