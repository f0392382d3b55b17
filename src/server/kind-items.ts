import type { JsonObject } from "../base/json.ts";
import { itemsByKey } from "../model/field-meaning.ts";
import type { Plain } from "../model/types.ts";
import { isList } from "../model/values.ts";
import type { ServedCall, ServedItemCall } from "./kind-paths.ts";
import { type Admitted, changeRow, findOrInitial } from "./kind-store.ts";
import { checkKindParameters } from "./kind-values.ts";
import { invalid, json, noContent, noRecord, type ServerReply } from "./reply.ts";

export function isItemCall(call: ServedCall): call is ServedItemCall {
  return call.includes("_item ");
}

/** Carries out a request for an item of a list (`x-items`). */
export function changeItem(admitted: Admitted, call: ServedItemCall): ServerReply {
  const { context, kind, request } = admitted;
  const { item = "", ...named } = admitted.named;
  const record = findOrInitial({ ...admitted, named });
  if ("status" in record) return record;
  const { row } = record;
  const [action = "", field = ""] = call.split("_item ");
  const { "x-items": { key = "", create } = {}, items: { properties = {} } = {} } =
    kind.file.fields.properties[field] ?? {};
  const value = row[field] as Plain;
  const items = new Map(itemsByKey(key, isList(value) ? value : []));
  const save = () => changeRow(admitted, record, { ...row, [field]: [...items.values()] });
  if (action === "delete") {
    if (!items.delete(item)) return noRecord;
    save();
    return noContent;
  }
  const checks = kind.itemChecks.get(field);
  if (!checks) return noRecord;
  const given = { ...request.query, ...request.body };
  const raw = action === "create" || create === undefined ? given : { ...given, [key]: item };
  const check = action === "create" ? checks.creation : checks.change;
  const { params, faults } = checkKindParameters(checks, check, raw, !context.behaviour.lenientParameters);
  if (faults.length > 0) return invalid(faults);
  const name = String(params[key] ?? item);
  if (action === "create" && items.has(name))
    return json(400, { message: { [key]: [`(${name}) has already been taken`] } });
  if (action === "update" && !items.has(name)) return noRecord;
  const defaults = Object.entries(properties).flatMap(([property, schema]) =>
    schema.default === undefined ? [] : [[property, schema.default] as const],
  );
  const written = { ...Object.fromEntries(defaults), ...(items.get(name) as JsonObject), ...params } as Plain;
  items.set(name, written);
  save();
  return json(action === "create" ? 201 : 200, written);
}
