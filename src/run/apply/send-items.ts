import { isObject, objectOf } from "../../base/json.ts";
import type { Reader } from "../../client/client.ts";
import type { EffectProbe } from "../../client/reader.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { itemsByKey } from "../../model/field-meaning.ts";
import { kindOf } from "../../model/kinds.ts";
import { rowWithoutSecrets, valueInRow } from "../../model/read-field.ts";
import { isRemoval } from "../../model/removal-changes.ts";
import type { Change, Fields, Live } from "../../model/types.ts";
import { isList } from "../../model/values.ts";
import type { ItemRequest } from "../../plan/requests.ts";
import { readLive } from "../live/read-live.ts";
import { isSubject, subjectsOf } from "./live-effect.ts";

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

/** Reads the resource of a change; undefined if reading does not show it. @throws CallFailed. */
export async function readResource(reader: Reader, change: Change): Promise<Live | undefined> {
  const live = await readLive(reader, subjectsOf(reader.catalogue, change.project, [change]));
  return live.find((each) => isSubject(reader.catalogue, change, each));
}

/** The resource as in the response to its call; undefined if it must be read. */
export function answeredResource(catalogue: Catalogue, change: Change, body: unknown): Live | undefined {
  const { kind, key, live } = change;
  if (!isObject(body)) return live;
  const row = rowWithoutSecrets(kindOf(catalogue, kind).file, body);
  if (live) return { ...live, row: { ...live.row, ...row } };
  const { id } = row;
  return typeof id === "number" ? { kind, key, id, row, fields: {}, active: true } : undefined;
}

/** Looks up the effect of a creation or removal; a lost update is sent again. */
export function probeOf(change: Change, { call, field: name, item }: ItemRequest): EffectProbe | undefined {
  if (call.method !== "POST" && call.method !== "DELETE") return undefined;
  return async (reader) => {
    const kind = kindOf(reader.catalogue, change.kind);
    const column = kind.items?.find(({ field }) => field === name);
    const row = (await readResource(reader, change))?.row ?? {};
    const value = valueInRow(name, kind.file.fields.properties[name] ?? {}, row);
    return itemsByKey(column?.key ?? "", isList(value) ? value : []).has(item) === (call.method === "POST");
  };
}
