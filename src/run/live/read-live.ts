import type { JsonObject } from "../../base/json.ts";
import { knownSecrets } from "../../base/known-secrets.ts";
import type { Reader } from "../../client/client.ts";
import { CallFailed, unusableAnswer } from "../../client/failure.ts";
import { call, pathValues } from "../../model/call.ts";
import { fieldOf, identityOf, kindOf } from "../../model/kinds.ts";
import { ownerOfKind, ownerOfName } from "../../model/owner.ts";
import { keyValuesOf } from "../../model/resource-kind.ts";
import type { Desired, DesiredProject, Fields, Kind, Live, Project, Resource } from "../../model/types.ts";
import { liveRow, returnedFields, shownFields, toLive, undeclared } from "./kind-resources.ts";
import { hasDeclaredFields, hasListedFields, isReadable, type ReadableKind, readKindRows } from "./kind-rows.ts";
import { hasLookUps, lookUpKeys, lookUpValues } from "./look-up-values.ts";
import { isSecret, type PartlyRead, separateUnread, type Trusts, toUnread, type Unread } from "./partly-read.ts";

/**
 * The live state of a project as far as policies declare it (docs/architecture.md): the list of each kind, and one GET
 * for each declared resource with fields that the list lacks. Secrets are dropped. @throws CallFailed if the project
 * cannot be read.
 */
export async function readLive(reader: Reader, desired: DesiredProject): Promise<Live[]> {
  return throwUnread(await readReadable(reader, desired));
}

function throwUnread({ live, unread: [part] }: PartlyRead): Live[] {
  if (part) throw part.failure;
  return live;
}

interface ReadOptions {
  readonly trusts?: Trusts | undefined;
  /** The project's own row, if this run has read it already. */
  readonly ownRow?: JsonObject | undefined;
}

/**
 * Like {@link readLive}, but returns unread parts as well. Expressions of the kinds must be loaded. @throws CallFailed
 * if it ends the run.
 */
export async function readReadable(
  reader: Reader,
  desired: DesiredProject,
  { trusts, ownRow }: ReadOptions = {},
): Promise<PartlyRead> {
  const read = [...desired.kinds].map((kind) =>
    readKind(reader, kind, desired, { trusts, ownRow }).catch((error) => [toUnread({ kind }, error)]),
  );
  const isLookingUp = hasLookUps(reader.catalogue, desired);
  const lookingUp = isLookingUp ? lookUpValues(reader, desired) : undefined;
  const [found, lookedUp] = await Promise.all([Promise.all(read), lookingUp]);
  const parts = separateUnread(found);
  const keys = isLookingUp ? await lookUpKeys(reader, desired, parts.live) : undefined;
  return lookedUp || keys ? { ...parts, lookedUp: { ...lookedUp, ...keys } } : parts;
}

/**
 * The active integrations of a project that can receive events and are `wanted`, without secrets. @throws CallFailed if
 * any of them cannot be read.
 */
export async function readActive(
  reader: Reader,
  project: Project,
  wanted: (key: string) => boolean,
): Promise<readonly Live[]> {
  return throwUnread(await readActiveReadable(reader, project, wanted));
}

/** Like {@link readActive}, but returns unread parts as well. @throws CallFailed if a list fails. */
export async function readActiveReadable(
  reader: Reader,
  project: Project,
  wanted: (key: string) => boolean,
): Promise<PartlyRead> {
  const listening = [...reader.catalogue.kinds].flatMap(([kind, { keys }]) =>
    keys && ownerOfKind(kind) === ownerOfName(project.name) ? kind : [],
  );
  const read = await Promise.all(listening.map((kind) => readInventory(reader, project, kind, wanted)));
  return { live: read.flatMap(({ live }) => live), unread: read.flatMap(({ unread }) => unread) };
}

/**
 * All live resources of a kind, declared or not, without secrets; `returned`: with values of `x-returned` that the row
 * does not mark as secret. `others`: keys that were not wanted, are unknown to the catalogue, or are listed but not
 * returned. @throws CallFailed if the list cannot be read.
 */
export async function readInventory(
  reader: Reader,
  project: Project,
  kind: Kind,
  wanted: (key: string) => boolean,
  returned = false,
): Promise<PartlyRead & { readonly others: readonly string[] }> {
  const row = kindOf(reader.catalogue, kind);
  if (!isReadable(row)) return { live: [], unread: [], others: [] };
  const rows = await readKindRows(reader, project, row, () => true);
  const isKnown = (key: string) => (row.keys ? row.keys.has(key) : !knownSecrets.isIn(key));
  const ofKind = { ...shownFields(row.file), ...(returned && returnedFields(row.file)) };
  const read = await Promise.all(
    rows.map((listed) => {
      const { key } = listed;
      if (!isKnown(key) || !wanted(key)) return undefined;
      const parameters = row.keys?.get(key)?.parameters;
      const fields = parameters ? Object.fromEntries([...parameters.keys()].map((name) => [name, null])) : ofKind;
      return readResource(reader, project, row, { kind, key, fields }, listed.row);
    }),
  );
  return {
    ...separateUnread([read.flatMap((each) => each ?? [])]),
    others: rows.flatMap(({ key }, index) => (read[index] ? [] : [knownSecrets.clean(key)])),
  };
}

/**
 * The live resources of a kind as far as policies declare them: one list, and one GET for each resource with a declared
 * field that the list lacks. @throws CallFailed if the list cannot be read.
 */
async function readKind(
  reader: Reader,
  kind: Kind,
  desired: DesiredProject,
  { trusts, ownRow }: ReadOptions,
): Promise<readonly (Live | Unread)[]> {
  const { catalogue } = reader;
  const { project, resources, exclusive } = desired;
  const row = kindOf(catalogue, kind);
  if (!isReadable(row)) return [];
  const declared = new Map<string, Desired>();
  for (const one of resources) if (one.kind === kind) declared.set(one.identity ?? identityOf(catalogue, one), one);
  const identify = (key: string) => identityOf(catalogue, { kind, key });
  const known = ownRow && hasDeclaredFields(row, ownRow, [...declared.values()]) ? ownRow : undefined;
  const rows = await readKindRows(reader, project, row, (key) => declared.has(identify(key)), known);
  const isStill = trusts?.(project.name);
  const listed = rows.map(({ key, row: found }) => {
    const one = declared.get(identify(key));
    if (!one && isSecret(key)) {
      const what = "answered with a name that holds a secret, which is dropped on reading";
      const failure = unusableAnswer(call(row.read.list, { id: project.name }), what);
      return { kind, key: knownSecrets.clean(key), failure };
    }
    const { updated_at: updatedAt } = found;
    if (row.keys && one && typeof updatedAt === "string" && isStill?.({ desired: one, updatedAt }))
      return toLive(catalogue, one, found, one.fields);
    const isRemoved = one ? one.presence === "absent" : exclusive.has(kind);
    const fields = isRemoved && !row.keys ? undefined : (one?.fields ?? undeclared);
    return readResource(reader, project, row, { kind, key, fields }, found);
  });
  for (const { key } of rows) declared.delete(identify(key));
  // Disabled integrations are not listed.
  const others = [...declared.values()].flatMap((one) => {
    const mayBeOff = row.keys && one.presence === "present" && fieldOf(catalogue, one, "active");
    return mayBeOff ? readSingle(reader, project, row, one, undefined) : [];
  });
  return (await Promise.all([...listed, ...others])).filter((live) => live !== undefined);
}

/** A resource to read; without fields, all visible ones are. */
type Wanted = Pick<Resource, "kind" | "key"> & { readonly fields: Fields | undefined };

function readResource(
  reader: Reader,
  project: Project,
  row: ReadableKind,
  wanted: Wanted,
  found: JsonObject,
): Live | Promise<Live | Unread | undefined> {
  const isListed = !row.read.single || hasListedFields(reader.catalogue, row, wanted, found);
  return isListed ? toResource(reader, row, wanted, found) : readSingle(reader, project, row, wanted, found);
}

function toResource({ catalogue }: Reader, row: ReadableKind, { fields, ...named }: Wanted, found: JsonObject): Live {
  return row.keys ? toLive(catalogue, { ...named, fields: fields ?? {} }, found) : liveRow(row, named, found, fields);
}

/** Reads one resource. An integration that is off may be missing. @throws CallFailed if it ends the run. */
async function readSingle(
  reader: Reader,
  project: Project,
  row: ReadableKind,
  wanted: Wanted,
  found: JsonObject | undefined,
): Promise<Live | Unread | undefined> {
  const { kind, key } = wanted;
  const { read, file } = row;
  if (!read.single) return undefined;
  try {
    const keys: Fields = keyValuesOf(file, key);
    const fieldOf = (name: string) => (name.startsWith("row.") ? found?.[name.slice(4)] : keys[name]);
    const segments = pathValues(read.single, (name) => (name === "id" ? project.name : fieldOf(name)));
    const { body } = await reader.get(call(read.single, segments));
    return toResource(reader, row, wanted, body as JsonObject);
  } catch (error) {
    if (row.keys && error instanceof CallFailed && error.saysGone) return undefined;
    return toUnread({ kind, key }, error);
  }
}
