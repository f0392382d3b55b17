import type { JsonObject } from "../../base/json.ts";
import { comparable } from "../../model/field-meaning.ts";
import type { KindRow } from "../../model/kind-row.ts";
import { fieldInRow, returnedMarks, rowWithoutSecrets } from "../../model/read-field.ts";
import { keyFieldsOf, type ResourceKind } from "../../model/resource-kind.ts";
import type { Fields, Filled, Live, Plain, Value } from "../../model/types.ts";
import { isAlike, replaceReferences, textsWithin } from "../../model/values.ts";
import { isSecret } from "./redacted-resources.ts";

/** The fields of what no policy declares. */
export const undeclared: Fields = {};

/**
 * A row as a resource: with the fields that are declared, or with all that may be shown of one that is to be removed. What
 * no policy declares has no fields, for a fleet has many of them.
 */
export function liveRow(
  kind: KindRow,
  named: Pick<Live, "kind" | "key">,
  row: JsonObject,
  declared: Fields | undefined,
): Live {
  const { only } = kind.file;
  const asked = declared ?? shownFields(kind.file);
  const reported = reportedByRow(kind, only === undefined ? asked : { [only]: asked[only] ?? null }, row);
  // Filled in one by one, as what is read from a list of the catalogue's is: a fleet has millions of them.
  const live: Filled<Live> = {
    kind: named.kind,
    key: named.key,
    fields: declared ? reported : notable(kind.file, reported),
    active: true,
  };
  if (kind.read?.numbered && typeof row.id === "number") live.id = row.id;
  const returned = declared && returnedMarks(kind, row, declared);
  if (returned) live.returned = returned;
  if (declared !== undeclared) live.row = rowWithoutSecrets(kind.file, row);
  return live;
}

/** Without what is as good as not set: it would hide the rest. */
function notable({ fields: { properties } }: ResourceKind, fields: Fields): Fields {
  const set = Object.entries(fields).filter(([name, value]) => {
    const field = properties[name] ?? {};
    const meant = comparable(field, value as Plain);
    const { default: filledIn = null } = field;
    return meant !== null && meant !== "" && !isAlike(meant, comparable(field, filledIn));
  });
  return Object.fromEntries(set);
}

/** Every field that the address does not tell, and the list does. */
export function shownFields(file: ResourceKind): Fields {
  const keys = new Set(keyFieldsOf(file));
  const names = Object.entries(file.fields.properties).flatMap(([name, field]) =>
    keys.has(name) || field["x-listed"] === false ? [] : [name],
  );
  return Object.fromEntries(names.map((name) => [name, null]));
}

/** The declared fields that a row reports; a value that repeats a known secret is dropped where the manifest has it not. */
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
