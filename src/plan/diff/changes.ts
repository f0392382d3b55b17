import { digestOf, objectOf } from "../../base/json.ts";
import { memoized } from "../../base/memoize.ts";
import { compile } from "../../base/schema.ts";
import { addressOf } from "../../model/address.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { comparable, defaultValue, wireValue } from "../../model/field-meaning.ts";
import type { KindRow } from "../../model/kind-row.ts";
import { kindOf } from "../../model/kinds.ts";
import { shownAsWritten } from "../../model/look-ups.ts";
import { readAs } from "../../model/normalise.ts";
import { ownerOfKind } from "../../model/owner.ts";
import { effectOfChange } from "../../model/policy-effect.ts";
import { fieldInRow } from "../../model/read-field.ts";
import { isRemoval } from "../../model/removal-changes.ts";
import { excludedNames, keyFieldsOf } from "../../model/resource-kind.ts";
import { extraFields } from "../../model/server-required.ts";
import type { Action, Change, Desired, Fields, Kind, Live, Resource, Value } from "../../model/types.ts";
import { isAlike } from "../../model/values.ts";
import type { FullDiffOptions } from "./options.ts";

interface ChangeSubject extends Pick<Change, "project" | "live" | "reason" | "cause" | "resend" | "resets"> {
  readonly resource: Resource & Pick<Desired, "origin" | "lookedUp">;
}

/** The creation of a resource; `why`: its reason and cause. */
export function createCreation(
  options: FullDiffOptions,
  project: string,
  resource: Desired,
  why: Pick<Change, "reason" | "cause" | "resend">,
): Change {
  const sides = { before: null, after: resource.fields };
  return createChange(options, { project, resource, live: undefined, ...why }, "create", sides);
}

export function createRemoval(options: FullDiffOptions, subject: ChangeSubject & { readonly live: Live }): Change {
  const { removal, removed } = kindOf(options.catalogue, subject.resource.kind);
  const visible = { before: { ...removed.before, ...subject.live.fields }, after: removed.after };
  return createChange(options, subject, removal, visible);
}

export function createChange(
  { catalogue, release }: Pick<FullDiffOptions, "catalogue" | "release">,
  { project, resource, live, ...why }: ChangeSubject,
  action: Action,
  visible: Pick<Change, "before" | "after">,
): Change {
  const { kind, key, fields, origin } = resource;
  const address = addressOf(project, kind, key);
  // As read, to detect later changes by others.
  const liveDigest = live && digestOf({ active: live.active, fields: readAs(catalogue, live) });
  const more = isRemoval({ action }) ? undefined : extraFields(catalogue, resource, live, release);
  const sent = { declared: fields, ...(more && { extraFields: more }) };
  const written = (fields: Fields | null) => fields && shownAsWritten(catalogue, resource, fields);
  const shown = { before: written(visible.before), after: written(visible.after) };
  const pending = Object.keys(resource.lookedUp?.pending ?? {});
  const policyEffect = effectOfChange({ kind, key, action, ...visible, live, declared: fields }, catalogue);
  return {
    ...{ address, project, kind, key, action, ...shown, ...sent, live, liveDigest, ...why, origin },
    reason: pending.length === 0 ? why.reason : `${why.reason}, ${pending.join(", ")} known after apply`,
    ...(policyEffect && { policyEffect }),
    ...(resource.lookedUp && { lookedUp: resource.lookedUp.results, pending: resource.lookedUp.pending }),
  };
}

/** The named fields; null if missing. */
export function pick(fields: Fields, names: readonly string[]): Fields {
  return objectOf(names, (name) => fields[name] ?? null);
}

/**
 * Disabling comes first, because a server may allow only one active issue tracker; deleting comes last, so that a
 * rename never leaves a gap.
 */
const order: readonly Action[] = ["disable", "replace", "create", "update", "delete"];

/**
 * Sorts changes into the order of their application: kinds that refer to others come after those, and are deleted
 * before them. Overrides of inherited settings come last, so that their failure prevents nothing else.
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

/** An update of a resource that is inherited from a group. */
function isOverride({ action, live }: Change): boolean {
  return action === "update" && live?.inherited === true;
}

/** Undeclared fields that a replacement resets to the server's defaults, because the live values differ from them. */
export function resetFields(kind: KindRow, declared: Fields, { row }: Live): readonly string[] {
  if (!row) return [];
  const { file } = kind;
  const keys = new Set(keyFieldsOf(file));
  const readable: string[] = [];
  const set = Object.entries(file.fields.properties).flatMap(([name, field]) => {
    if (keys.has(name) || name in declared) return [];
    const value = fieldInRow(kind, name, row);
    if (value === undefined || compile(field)(wireValue(field, value)).length > 0) return [];
    readable.push(name);
    const meant = comparable(field, value);
    const isEmpty = meant === null || meant === "" || (Array.isArray(meant) && meant.length === 0);
    return isEmpty || isAlike(meant, comparable(field, field.default ?? null)) ? [] : [name];
  });
  const excluded = [
    ...excludedNames(file.fields, (name) => name in declared),
    ...excludedNames(file.fields, (name) => readable.includes(name)),
  ];
  return set.filter((name) => !excluded.includes(name));
}

/** Live values of fields that a replacement resets, and the defaults that they get. */
export function resetSides(kind: KindRow, names: readonly string[], { row = {} }: Live) {
  return {
    before: objectOf(names, (name): Value => fieldInRow(kind, name, row) ?? null),
    after: objectOf(names, (name) => defaultValue(kind.file, name)),
  };
}

/**
 * The order in which resources of a project are written: a kind comes after those that its file names in `after`,
 * because its resources refer to theirs. Other kinds share a position.
 */
export const kindOrder = memoized(({ kinds }: Catalogue): ReadonlyMap<Kind, number> => {
  const named = new Map(Array.from(kinds, ([kind, { policy }]) => [`${ownerOfKind(kind)} ${policy?.section}`, kind]));
  const placeOf = (kind: Kind, above: readonly Kind[]): number => {
    const before = (kinds.get(kind)?.file.after ?? []).flatMap(
      (name) => named.get(`${ownerOfKind(kind)} ${name}`) ?? [],
    );
    const others = before.filter((each) => each !== kind && !above.includes(each));
    return others.reduce((most, each) => Math.max(most, 1 + placeOf(each, [...above, kind])), 0);
  };
  return new Map(Array.from(kinds.keys(), (kind) => [kind, placeOf(kind, [])]));
}, new WeakMap());
