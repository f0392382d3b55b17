import { ifPossible, UserError } from "../base/exit.ts";
import { type Catalogue, catalogueOf } from "./catalogue.ts";
import { comparable } from "./field-meaning.ts";
import { evaluateKind } from "./kind-expressions.ts";
import type { KindRow } from "./kind-row.ts";
import { kindOf } from "./kinds.ts";
import { fieldInRow } from "./read-field.ts";
import { excludedNames, keyValuesOf, type ResourceKind } from "./resource-kind.ts";
import { compareStrictness, strictGroups } from "./strictness.ts";
import type { Change, Fields, Plain, PolicyEffect, Value } from "./types.ts";
import { definedFields, replaceReferences } from "./values.ts";

type Sides = Pick<Change, "kind" | "before" | "after">;

/**
 * The effect of a change by the strict fields and the policy expressions of its kind; `loosened` takes precedence.
 * Undefined if there is none, or the kind is not a policy.
 */
export function policyEffectOf(sides: Sides, catalogue: Catalogue = catalogueOf()): PolicyEffect | undefined {
  const { file } = kindOf(catalogue, sides.kind);
  if (!isPolicy(file) || (sides.before === null && sides.after === null)) return undefined;
  const given = { before: visibleFields(file, sides.before), after: visibleFields(file, sides.after) };
  const { before, after } = given;
  const shift = before && after ? compareStrictness(file, before, after) : undefined;
  if (shift?.looser || isTrue(file.loosened, given)) return "loosened";
  return shift?.stricter || isTrue(file.tightened, given) ? "tightened" : undefined;
}

type KnownChange = Pick<Change, "action" | "key" | "live" | "declared"> & Sides;

export function effectOfChange(change: KnownChange, catalogue: Catalogue): PolicyEffect | undefined {
  const row = kindOf(catalogue, change.kind);
  return isPolicy(row.file) ? policyEffectOf(wholeSides(row, change), catalogue) : undefined;
}

function isPolicy({ loosened, tightened, fields }: ResourceKind): boolean {
  return loosened !== undefined || tightened !== undefined || strictGroups(fields).length > 0;
}

/** The effect of the fields that both sides have, where the rest of the resource is not known. */
export function effectOfCommonFields({ kind, before, after }: Sides, catalogue: Catalogue): PolicyEffect | undefined {
  if (before === null || after === null) return policyEffectOf({ kind, before, after }, catalogue);
  const common = (own: Fields, other: Fields) =>
    Object.fromEntries(Object.entries(own).filter(([name]) => name in other));
  return policyEffectOf({ kind, before: common(before, after), after: common(after, before) }, catalogue);
}

/**
 * A resource before and after a change as a whole: with its key, with live fields that no policy declares, and with the
 * defaults that a creation or a replacement leaves to the server.
 */
function wholeSides(row: KindRow, change: KnownChange): Sides {
  const { kind, key, action, before, after, live, declared } = change;
  const { file } = row;
  const keys = keyValuesOf(file, key);
  const names = Object.keys(file.fields.properties);
  const read = live?.row ?? {};
  const found = definedFields(file.fields.properties, (name) => fieldInRow(row, name, read));
  const was = before === null ? null : { ...found, ...live?.fields, ...before, ...keys };
  if (after === null) return { kind, before: was, after };
  const isNew = action === "create" || action === "replace";
  const stays = isNew ? defaultFields(file) : (was ?? {});
  const excluded = excludedNames(file.fields, (name) => name in declared);
  const kept = Object.fromEntries(
    names.filter((name) => name in stays && !excluded.has(name)).map((name) => [name, stays[name] ?? null]),
  );
  return { kind, before: was, after: { ...kept, ...after, ...declared, ...keys } };
}

/** The fields that a server fills in, but for those that exclude another one of them. */
export function defaultFields({ fields }: Pick<ResourceKind, "fields">): Fields {
  return definedFields(fields.properties, (_, { default: value }) => value);
}

/** An expression that cannot be evaluated counts as true: an unknown effect must not pass for none. */
function isTrue(text: string | undefined, given: Readonly<Record<string, unknown>>): boolean {
  return text !== undefined && (ifPossible(() => evaluateKind(text, given) === true, UserError) ?? true);
}

function visibleFields({ fields }: ResourceKind, own: Fields | null): Readonly<Record<string, Plain>> | null {
  if (!own) return null;
  return definedFields(own as Readonly<Record<string, Value>>, (name, value) => {
    const field = fields.properties[name] ?? {};
    const visible = replaceReferences(value, () => undefined);
    const meant = visible === undefined ? undefined : comparable(field, visible);
    return field.type === "integer" && typeof meant === "string" ? undefined : meant;
  });
}
