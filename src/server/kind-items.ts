import type { JsonObject } from "../base/json.ts";
import { itemsByKey } from "../model/field-meaning.ts";
import type { Plain } from "../model/types.ts";
import { isList } from "../model/values.ts";
import type { ServedItemCall } from "./kind-paths.ts";
import { checkKindParameters } from "./kind-values.ts";
import type { ServedKind } from "./kinds.ts";
import { invalid, json, noContent, noRecord, type ServerReply } from "./reply.ts";

interface ItemRequest {
  readonly call: ServedItemCall;
  /** The key in the path; omitted for a creation. */
  readonly item?: string | undefined;
  readonly given: JsonObject;
  readonly strict: boolean;
}

/** The effect of a request for an item of a list (`x-items`): the field with its new items, and the response. */
export function writeItem(
  kind: ServedKind,
  row: JsonObject,
  { call, item = "", given, strict }: ItemRequest,
): { readonly reply: ServerReply; readonly changed?: JsonObject } {
  const [action = "", field = ""] = call.split("_item ");
  const { key = "", create } = kind.file.fields.properties[field]?.["x-items"] ?? {};
  const value = row[field] as Plain;
  const items = new Map(itemsByKey(key, isList(value) ? value : []));
  const withItems = () => ({ [field]: [...items.values()] });
  if (action === "delete") return items.delete(item) ? { reply: noContent, changed: withItems() } : { reply: noRecord };
  const checks = kind.itemChecks.get(field);
  if (!checks) return { reply: noRecord };
  const raw = action === "create" || create === undefined ? given : { ...given, [key]: item };
  const check = action === "create" ? checks.creation : checks.change;
  const { params, faults } = checkKindParameters(checks, check, raw, strict);
  if (faults.length > 0) return { reply: invalid(faults) };
  const name = String(params[key] ?? item);
  if (action === "create" && items.has(name))
    return { reply: json(400, { message: { [key]: [`(${name}) has already been taken`] } }) };
  if (action === "update" && !items.has(name)) return { reply: noRecord };
  const defaults = Object.entries(kind.file.fields.properties[field]?.items?.properties ?? {}).flatMap(
    ([property, schema]) => (schema.default === undefined ? [] : [[property, schema.default] as const]),
  );
  const written = { ...Object.fromEntries(defaults), ...(items.get(name) as JsonObject), ...params } as Plain;
  items.set(name, written);
  return { reply: json(action === "create" ? 201 : 200, written), changed: withItems() };
}
