import { isObject, type JsonObject } from "../base/json.ts";
import { type FieldSchema, writtenCall } from "../model/resource-kind.ts";
import { changeRow, type RowPlace, recordsOf } from "./kind-store.ts";
import type { ServedKind } from "./kinds.ts";
import type { ServerContext } from "./server-context.ts";

/** What is deleted is gone from the lists of other resources of the project or group that refer to it by its ID. */
export function dropReferences({ state, kinds }: ServerContext, { kind, owner }: RowPlace, { id }: JsonObject): void {
  if (id === undefined) return;
  for (const other of kinds.all) {
    const names = other.of === kind.of ? referringFields(other, kind) : [];
    const place = { kind: other, owner };
    for (const record of names.length > 0 ? recordsOf(state, place) : []) {
      const kept = names.flatMap((name) => listWithout(name, record.row[name], id));
      if (kept.length > 0) changeRow(state, place, record, { ...record.row, ...Object.fromEntries(kept) });
    }
  }
}

function listWithout(name: string, list: unknown, id: unknown): readonly (readonly [string, readonly unknown[]])[] {
  if (!Array.isArray(list)) return [];
  const kept = list.filter((each) => (isObject(each) ? each.id : each) !== id);
  return kept.length < list.length ? [[name, kept]] : [];
}

/** The lists of a kind whose entries are looked up among the resources of another. */
function referringFields({ fields }: ServedKind, { calls }: ServedKind): readonly string[] {
  const path = calls.list === undefined ? undefined : writtenCall(calls.list).path.split("?")[0];
  const refers = ({ "x-lookup": lookUp = "" }: FieldSchema) => writtenCall(lookUp).path === `${path}/:value`;
  return fields.flatMap(({ name, field }) => (field.items && refers(field.items) ? [name] : []));
}
