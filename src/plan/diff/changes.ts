import { digestOf } from "../../base/json.ts";
import { addressOf } from "../../model/address.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { kindOrder } from "../../model/kind-order.ts";
import { kindOf } from "../../model/kinds.ts";
import { shownAsWritten } from "../../model/look-ups.ts";
import { readAs } from "../../model/normalise.ts";
import { policyEffectOf } from "../../model/policy-effect.ts";
import { isRemoval } from "../../model/removal-changes.ts";
import { extraFields } from "../../model/server-required.ts";
import type { Action, Change, Desired, Fields, Live, Resource, Value } from "../../model/types.ts";
import type { FullDiffOptions } from "./options.ts";

/** What is to change, and why. */
interface ChangeSubject extends Pick<Change, "project" | "live" | "reason" | "cause" | "resend" | "resets"> {
  readonly resource: Resource & Pick<Desired, "origin" | "lookedUp">;
}

/** The change that removes a live resource as its kind is removed. */
export function removalFrom(options: FullDiffOptions, subject: ChangeSubject & { readonly live: Live }): Change {
  const { removal, removed } = kindOf(options.catalogue, subject.resource.kind);
  const visible = { before: { ...removed.before, ...subject.live.fields }, after: removed.after };
  return changeFrom(options, subject, removal, visible);
}

/** One change, with a digest of what is live now. */
export function changeFrom(
  { catalogue, release }: Pick<FullDiffOptions, "catalogue" | "release">,
  { project, resource, live, ...why }: ChangeSubject,
  action: Action,
  visible: Pick<Change, "before" | "after">,
): Change {
  const { kind, key, fields, origin } = resource;
  const address = addressOf(project, kind, key);
  const liveDigest = live && liveDigestOf(catalogue, live);
  const more = isRemoval({ action }) ? undefined : extraFields(catalogue, resource, live, release);
  const sent = { declared: fields, ...(more && { extraFields: more }) };
  const shown = {
    before: written(catalogue, resource, visible.before),
    after: written(catalogue, resource, visible.after),
  };
  const policyEffect = policyEffectOf({ kind, ...shown }, catalogue);
  return {
    ...{ address, project, kind, key, action, ...shown, ...sent, live, liveDigest, ...why, origin },
    reason: withPending(why.reason, resource),
    ...(policyEffect && { policyEffect }),
    ...(resource.lookedUp && { lookUpAgain: resource.lookedUp.again }),
  };
}

function written(catalogue: Catalogue, resource: ChangeSubject["resource"], fields: Fields | null): Fields | null {
  return fields && shownAsWritten(catalogue, resource, fields);
}

function withPending(reason: string, { lookedUp }: ChangeSubject["resource"]): string {
  if (!lookedUp || lookedUp.pending.length === 0) return reason;
  return `${reason}, ${lookedUp.pending.join(", ")} known after apply`;
}

/** Of what is live, as it was read: another one means that someone changed it. */
function liveDigestOf(catalogue: Catalogue, live: Live): string {
  return digestOf({ active: live.active, fields: readAs(catalogue, live) });
}

/** Some of the fields; null for one that is not among them. */
export function pick(fields: Fields, names: readonly string[]): Fields {
  const picked: Record<string, Value> = {};
  for (const name of names) picked[name] = fields[name] ?? null;
  return picked;
}

/** Disabling comes first, for a server may allow one active issue tracker; deleting last, so that a rename never leaves a gap. */
const order: readonly Action[] = ["disable", "replace", "create", "update", "delete"];

/**
 * Sorts changes into the order in which they are applied: kinds that refer to others after those, and deleted before them.
 * What will fail unless a person acts keeps nothing else from it.
 */
export function inApplyOrder(catalogue: Catalogue): (a: Change, b: Change) => number {
  const places = kindOrder(catalogue);
  const placeOf = ({ kind, action }: Change) => (places.get(kind) ?? 0) * (action === "delete" ? -1 : 1);
  const isLast = (change: Change) => Number(change.action === "delete");
  return (a, b) =>
    Number(isOverride(a)) - Number(isOverride(b)) ||
    isLast(a) - isLast(b) ||
    placeOf(a) - placeOf(b) ||
    order.indexOf(a.action) - order.indexOf(b.action) ||
    (a.address < b.address ? -1 : 1);
}

/** An update of what the project has from its group. */
function isOverride({ action, live }: Change): boolean {
  return action === "update" && live?.inherited === true;
}
