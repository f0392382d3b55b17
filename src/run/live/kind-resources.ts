import type { JsonObject } from "../../base/json.ts";
import { comparable } from "../../model/field-meaning.ts";
import type { KindRow } from "../../model/kind-row.ts";
import { fieldInRow, returnedMarks, rowWithoutSecrets } from "../../model/read-field.ts";
import { keyFieldsOf, type ResourceKind } from "../../model/resource-kind.ts";
import type { Fields, Filled, Live, Plain, Value } from "../../model/types.ts";
import { isAlike, replaceReferences, textsWithin } from "../../model/values.ts";
import { isSecret } from "./redacted-resources.ts";

/** Fields of undeclared resources. */
export const undeclared: Fields = {};

/**
 * A row as a resource with the declared fields or, if it is to be removed, with all visible ones. Undeclared resources
 * have no fields, because a fleet has many of them.
 */
export function liveRow(
  kind: KindRow,
  named: Pick<Live, "kind" | "key">,
  row: JsonObject,
  declared: Fields | undefined,
): Live {
  const { only } = kind.file;
  const requested = declared ?? shownFields(kind.file);
  const reported = reportedByRow(kind, only === undefined ? requested : { [only]: requested[only] ?? null }, row);
  // Filled in one by one to save memory: a fleet has millions of them.
  const live: Filled<Live> = {
    kind: named.kind,
    key: named.key,
    fields: declared ? reported : dropDefaults(kind.file, reported),
    active: true,
  };
  if (kind.read?.numbered && typeof row.id === "number") live.id = row.id;
  const returned = declared && returnedMarks(kind, row, declared);
  if (returned) live.returned = returned;
  if (declared !== undeclared) live.row = rowWithoutSecrets(kind.file, row);
  return live;
}

/** Drops fields with a default or empty value, which would hide the others. */
function dropDefaults({ fields: { properties } }: ResourceKind, fields: Fields): Fields {
  const set = Object.entries(fields).filter(([name, value]) => {
    const field = properties[name] ?? {};
    const normalised = comparable(field, value as Plain);
    const { default: filledIn = null } = field;
    return normalised !== null && normalised !== "" && !isAlike(normalised, comparable(field, filledIn));
  });
  return Object.fromEntries(set);
}

/** Every field that is neither in the address nor missing in lists. */
export function shownFields(file: ResourceKind): Fields {
  const keys = new Set(keyFieldsOf(file));
  const names = Object.entries(file.fields.properties).flatMap(([name, field]) =>
    keys.has(name) || field["x-listed"] === false ? [] : [name],
  );
  return Object.fromEntries(names.map((name) => [name, null]));
}

/** Fields whose values servers return, declared as literals so that the values are visible. */
export function returnedFields({ fields: { properties } }: ResourceKind): Fields {
  const names = Object.keys(properties).filter((name) => properties[name]?.["x-returned"]);
  return Object.fromEntries(names.map((name) => [name, ""]));
}

/** The declared fields in a row. A value that repeats a known secret is dropped unless the manifest contains it. */
export function reportedByRow(kind: KindRow, declared: Fields, row: JsonObject): Fields {
  const reported: Record<string, Value> = {};
  for (const name in declared) {
    const wanted = declared[name];
    const found = fieldInRow(kind, name, row, wanted);
    if (found !== undefined && (!holdsSecret(found) || isDeclared(kind, name, wanted, found))) reported[name] = found;
  }
  return reported;
}

function holdsSecret(value: Plain): boolean {
  return textsWithin(value).some(isSecret);
}

function isDeclared({ file }: KindRow, name: string, wanted: Value | undefined, found: Plain): boolean {
  const field = file.fields.properties[name] ?? {};
  const visible = wanted === undefined ? undefined : replaceReferences(wanted, () => undefined);
  return visible !== undefined && isAlike(comparable(field, visible), comparable(field, found));
}
