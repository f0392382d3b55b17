import type { JsonObject } from "../../src/base/json.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { compareMeaning } from "../../src/model/field-meaning.ts";
import type { KindRow } from "../../src/model/kind-row.ts";
import { valueInRow } from "../../src/model/read-field.ts";
import { keyTextOf, type ResourceKind } from "../../src/model/resource-kind.ts";
import { kindRowOf } from "../../src/model/resource-kind-row.ts";
import type { Change, Fields, Value } from "../../src/model/types.ts";
import { bodyOf, itemRequestsOf } from "../../src/plan/requests.ts";
import { liveRow } from "../../src/run/live/kind-resources.ts";

/** The parameters that the engine sends to create a resource (row: null), or to change one to what is declared. */
export function sentParameters(file: ResourceKind, want: Fields, row: JsonObject | null): Fields {
  const kind = kindRowOf(file);
  const key = keyTextOf(file, want);
  const names = row ? changedNames(kind, want, row) : Object.keys(want);
  const after = Object.fromEntries(names.map((name) => [name, want[name] ?? null]));
  return bodyOf(kind, { key, declared: want, after, action: row ? "update" : "create" }, row);
}

/** The requests that the engine sends for items after that, in the order in which it sends them. */
export function itemRequests(file: ResourceKind, want: Fields, row: JsonObject | null): readonly unknown[] {
  const kind = kindRowOf(file);
  const catalogue = { ...catalogueOf(), kinds: new Map([[file.name, kind]]) };
  const names = row ? changedNames(kind, want, row) : Object.keys(want);
  const after = Object.fromEntries(names.map((name) => [name, want[name] ?? null]));
  const key = keyTextOf(file, want);
  const named = { kind: file.name, key };
  const live = row ? liveRow(kind, named, row, want) : undefined;
  const change = { ...named, project: "p", declared: want, after, action: row ? "update" : "create", live };
  return itemRequestsOf(change as Change, catalogue).map(({ call: { method, path, parameters } }) =>
    parameters ? { [`${method} ${path}`]: parameters } : `${method} ${path}`,
  );
}

function changedNames(kind: KindRow & { readonly file: ResourceKind }, want: Fields, row: JsonObject): string[] {
  return Object.entries(want).flatMap(([name, value]): string[] => {
    const field = kind.file.fields.properties[name] ?? {};
    const live = valueInRow(name, field, row) as Value | undefined;
    return compareMeaning(field, value, live) === "same" ? [] : [name];
  });
}
