import { isObject } from "../../base/json.ts";
import type { Answer, Reader } from "../../client/client.ts";
import type { EffectProbe } from "../../client/reader.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { itemsByKey, wireValue } from "../../model/field-meaning.ts";
import { fieldCheck } from "../../model/kind-schema.ts";
import { identityOf, kindOf } from "../../model/kinds.ts";
import { compareField } from "../../model/normalise.ts";
import { fieldInRow, rowWithoutSecrets, valueInRow } from "../../model/read-field.ts";
import { isRemoval } from "../../model/removal-changes.ts";
import { excludedNames, keyFieldsOf } from "../../model/resource-kind.ts";
import type { Change, Desired, DesiredProject, Fields, Live, Plain } from "../../model/types.ts";
import { definedFields, isList, referencesWithin } from "../../model/values.ts";
import { pick } from "../../plan/diff/changes.ts";
import type { ItemRequest } from "../../plan/requests.ts";
import { reportedFields } from "../live/kind-resources.ts";
import { updatedAtOf } from "../live/partly-read.ts";
import { readLive } from "../live/read-live.ts";

/** Reads whether a change was applied. Only for one that {@link isVisible}. @throws CallFailed. */
export async function isInPlace(reader: Reader, change: Change): Promise<boolean> {
  const live = await readLive(reader, subjectsOf(reader.catalogue, change.project, [change]));
  return lostOf(reader.catalogue, change, live).length === 0;
}

/**
 * True if reading can show that a change was applied; false if it affects only secrets or sends values that are already
 * live.
 */
export function isVisible(change: Change): boolean {
  const { action } = change;
  return (action !== "update" && action !== "replace") || shownNames(change).length > 0;
}

/** The fields of an update that reading can show: those that differed, without secrets. */
function shownNames({ before, declared }: Change): readonly string[] {
  return Object.keys(before ?? {}).filter(
    (name) => name in declared && referencesWithin(declared[name] ?? null).length === 0,
  );
}

/** The parameters of a change that are not live, or all. Only for one that {@link isVisible}. */
export function lostOf(catalogue: Catalogue, change: Change, live: readonly Live[]): "all" | readonly string[] {
  const subject = live.find((each) => isSubject(catalogue, change, each));
  if (isRemoval(change)) return subject?.active ? "all" : [];
  if (!subject || !(subject.active || "active" in change.declared)) return "all";
  const names = change.action === "update" ? shownNames(change) : Object.keys(change.declared);
  return names.filter((name) => {
    const compared = compareField(catalogue, change, name, change.declared[name] ?? null, subject.fields[name]);
    return change.action === "update" ? compared !== "same" : compared === "different";
  });
}

/** Compares IDs if possible, because keys may differ only in case; a replaced resource has another ID. */
function isSubject(catalogue: Catalogue, { kind, key, live, action }: Change, found: Live): boolean {
  if (found.kind !== kind) return false;
  if (live?.id !== undefined && action !== "replace") return found.id === live.id;
  return identityOf(catalogue, found) === identityOf(catalogue, { kind, key });
}

/**
 * The parts of a write's response for the ledger, without secrets. `unreported`: declared parameters that are missing
 * in the response.
 */
export function writtenState(catalogue: Catalogue, { kind, key, declared }: Change, answer: Answer | undefined) {
  const row = isObject(answer?.body) ? answer.body : {};
  const reported = reportedFields(catalogue, { kind, key, fields: declared }, row);
  return { updatedAt: updatedAtOf(row), unreported: Object.keys(declared).filter((name) => !(name in reported)) };
}

/** The resources of changes in one project, as a desired state to read. */
export function subjectsOf(catalogue: Catalogue, name: string, changes: readonly Change[]): DesiredProject {
  const resources = changes.map((change) => {
    const { kind, key, declared: fields, origin } = change;
    const presence: Desired["presence"] = isRemoval(change) ? "absent" : "present";
    return { kind, key, identity: identityOf(catalogue, change), fields, origin, presence };
  });
  return { project: { name }, kinds: new Set(changes.map(({ kind }) => kind)), resources, exclusive: new Map() };
}

/**
 * The creation of a deleted resource as it was read; undefined if it may have had a secret, which is never read, if its row
 * is not known, or if it has a value that no request can have.
 */
export function restorationOf(catalogue: Catalogue, creation: Change, { live }: Change): Change | undefined {
  const kind = kindOf(catalogue, creation.kind);
  const { row } = live ?? {};
  const { properties, required = [] } = kind.file.fields;
  const mayLose = Object.keys({ ...creation.declared, ...Object.fromEntries(required.map((name) => [name, true])) });
  if (!row || mayLose.some((name) => properties[name]?.writeOnly || properties[name]?.["x-items"])) return undefined;
  const keys = new Set(keyFieldsOf(kind.file));
  const found = definedFields(properties, (name, field): Plain | undefined =>
    keys.has(name) || field.writeOnly ? undefined : (fieldInRow(kind, name, row) ?? undefined),
  );
  const isPossible = (name: string) =>
    fieldCheck(properties[name] ?? {})(wireValue(properties[name] ?? {}, found[name] ?? null)).length === 0;
  const excluded = excludedNames(kind.file.fields, (name) => name in found && isPossible(name));
  const declared = definedFields(found, (name, value) => (excluded.has(name) ? undefined : value));
  if (!Object.keys(declared).every(isPossible)) return undefined;
  return { ...creation, declared, after: declared };
}

/** Drops the fields whose items have their own calls (`x-items`). */
export function withoutItems(catalogue: Catalogue, change: Change): Change {
  const items = kindOf(catalogue, change.kind).items ?? [];
  if (items.length === 0 || isRemoval(change)) return change;
  const names = new Set(items.map(({ field }) => field));
  const kept = (fields: Fields) => Object.keys(fields).filter((name) => !names.has(name));
  const drop = (fields: Fields) => pick(fields, kept(fields));
  const { before, after, declared } = change;
  return { ...change, before: before && drop(before), after: after && drop(after), declared: drop(declared) };
}

/** Reads the resource of a change; undefined if reading does not show it. @throws CallFailed. */
export async function readChanged(reader: Reader, change: Change): Promise<Live | undefined> {
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
export function probeItem(change: Change, { call, field: name, item }: ItemRequest): EffectProbe | undefined {
  if (call.method !== "POST" && call.method !== "DELETE") return undefined;
  return async (reader) => {
    const kind = kindOf(reader.catalogue, change.kind);
    const column = kind.items?.find(({ field }) => field === name);
    const row = (await readChanged(reader, change))?.row ?? {};
    const value = valueInRow(name, kind.file.fields.properties[name] ?? {}, row);
    return itemsByKey(column?.key ?? "", isList(value) ? value : []).has(item) === (call.method === "POST");
  };
}
