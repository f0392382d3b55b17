import { isObject, objectOf } from "../../base/json.ts";
import type { Reader, Writer } from "../../client/client.ts";
import type { EffectProbe } from "../../client/reader.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { itemsByKey } from "../../model/field-meaning.ts";
import { kindOf } from "../../model/kinds.ts";
import { rowWithoutSecrets, valueInRow } from "../../model/read-field.ts";
import { isRemoval } from "../../model/removal-changes.ts";
import type { Call, Change, Fields, Live, Outcome } from "../../model/types.ts";
import { isList } from "../../model/values.ts";
import { type ItemRequest, itemRequestsOf } from "../../plan/requests.ts";

/** Sends a request of a change; returns the outcome unless it succeeded. */
type SendItem = (call: Call, probe?: EffectProbe) => Promise<Outcome | undefined>;

type ReadResource = (reader: Reader) => Promise<Live | undefined>;

/** A change without the fields whose items are written by calls of their own: what the calls of the resource achieve. */
export function withoutItems(catalogue: Catalogue, change: Change): Change {
  const items = kindOf(catalogue, change.kind).items ?? [];
  if (items.length === 0 || isRemoval(change)) return change;
  const names = new Set(items.map(({ field }) => field));
  const drop = (fields: Fields): Fields =>
    objectOf(
      Object.keys(fields).filter((name) => !names.has(name)),
      (name) => fields[name] ?? null,
    );
  const { before, after, declared } = change;
  return { ...change, before: before && drop(before), after: after && drop(after), declared: drop(declared) };
}

/**
 * Writes the items of a resource that was created or changed; `body` is the response. Returns the outcome of the first
 * request that failed. @throws CallFailed if the new resource cannot be read.
 */
export async function sendItems(
  writer: Writer,
  change: Change,
  body: unknown,
  read: ReadResource,
  send: SendItem,
): Promise<Outcome | undefined> {
  const { catalogue } = writer;
  if (isRemoval(change) || itemRequestsOf(change, catalogue).length === 0) return undefined;
  const live = answeredResource(catalogue, change, body) ?? (await read(writer));
  if (!live) return { status: "failed", error: "its response has no ID, and reading does not show it" };
  for (const request of itemRequestsOf({ ...change, live }, catalogue)) {
    const failed = await send({ ...request.call, finishes: true }, probeOf(change, request, read));
    if (failed) return failed;
  }
  return undefined;
}

/** The resource as in the response to its call; undefined if it must be read. */
function answeredResource(catalogue: Catalogue, change: Change, body: unknown): Live | undefined {
  const { kind, key, live } = change;
  if (!isObject(body)) return live;
  const row = rowWithoutSecrets(kindOf(catalogue, kind).file, body);
  if (live) return { ...live, row: { ...live.row, ...row } };
  const { id } = row;
  return typeof id === "number" ? { kind, key, id, row, fields: {}, active: true } : undefined;
}

/** Looks up the effect of a creation or removal; a lost update is sent again. */
function probeOf(
  change: Change,
  { call, field: name, item }: ItemRequest,
  read: ReadResource,
): EffectProbe | undefined {
  if (call.method !== "POST" && call.method !== "DELETE") return undefined;
  return async (reader) => {
    const kind = kindOf(reader.catalogue, change.kind);
    const column = kind.items?.find(({ field }) => field === name);
    const row = (await read(reader))?.row ?? {};
    const value = valueInRow(name, kind.file.fields.properties[name] ?? {}, row);
    return itemsByKey(column?.key ?? "", isList(value) ? value : []).has(item) === (call.method === "POST");
  };
}
