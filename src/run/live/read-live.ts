import type { JsonObject } from "../../base/json.ts";
import { knownSecrets } from "../../base/known-secrets.ts";
import type { Reader } from "../../client/client.ts";
import { CallFailed } from "../../client/failure.ts";
import { call } from "../../model/call.ts";
import { catalogueEntry, fieldOf, kindOf } from "../../model/kinds.ts";
import { ownerOfKind, ownerOfName } from "../../model/owner.ts";
import type { Desired, DesiredProject, Kind, Live, Project, Resource } from "../../model/types.ts";
import { refuseOtherDialect } from "./find-dialect.ts";
import { isReadByFile } from "./kind-rows.ts";
import { hasLookUps, lookUpKeys, lookUpValues } from "./look-up-values.ts";
import { awaitParts, type PartlyRead, separateUnread, type Trusts, toUnread, type Unread } from "./partly-read.ts";
import { readAllOfKind, readFileKind } from "./read-kind.ts";
import { mayShowKey, redactedResource } from "./redacted-resources.ts";
import { assumeDeclared, isWhole, toLive } from "./resource-rows.ts";

/** A validated row of a list, and the key of its resource. */
interface ListedRow {
  readonly key: string;
  readonly row: JsonObject;
}

/**
 * The live state of a project as far as policies declare it (docs/architecture.md): the list of each kind, and one GET
 * for each declared resource with fields that the list lacks. Secrets are dropped. @throws CallFailed if the project
 * cannot be read.
 */
export async function readLive(reader: Reader, desired: DesiredProject): Promise<Live[]> {
  const { live, unread } = await readReadable(reader, desired);
  for (const { failure } of unread) throw failure;
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
  const lookingUp = hasLookUps(reader.catalogue, desired) ? lookUpValues(reader, desired) : undefined;
  const parts = separateUnread(await Promise.all(read));
  const lookedUp = lookingUp && (await lookingUp);
  const keys = lookingUp && (await lookUpKeys(reader, desired, parts.live));
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
  const { live, unread } = await readActiveReadable(reader, project, wanted);
  for (const { failure } of unread) throw failure;
  return live;
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

/** A project's resources of one kind, as far as they could be read. */
export interface Inventory extends PartlyRead {
  /** Keys that were not wanted, are unknown to the catalogue, or are listed but not returned. */
  readonly others: readonly string[];
}

/**
 * All live resources of a kind, declared or not, without secrets; `returned`: with values of `x-returned` that the row
 * does not mark as secret. @throws CallFailed if the list cannot be read.
 */
export async function readInventory(
  reader: Reader,
  project: Project,
  kind: Kind,
  wanted: (key: string) => boolean,
  returned = false,
): Promise<Inventory> {
  const { catalogue } = reader;
  const row = kindOf(catalogue, kind);
  if (isReadByFile(row)) {
    const all = await readAllOfKind(reader, project, kind, row, returned);
    const live = all.filter(({ key }) => !knownSecrets.isIn(key) && wanted(key));
    const others = all.filter((each) => !live.includes(each)).map(({ key }) => knownSecrets.clean(key));
    return { live, unread: [], others };
  }
  const rows = await readRows(reader, project, kind);
  const spec = (key: string) => catalogueEntry(catalogue, { kind, key });
  const isKnown = (key: string) => (row.keys ? spec(key) !== undefined : !knownSecrets.isIn(key));
  const read = await Promise.all(
    rows.map(({ key, row }) => {
      const fields = Object.fromEntries([...(spec(key)?.parameters.keys() ?? [])].map((name) => [name, null]));
      return isKnown(key) && wanted(key) ? readOne(reader, project, { kind, key, fields }, row) : undefined;
    }),
  );
  return {
    ...separateUnread([read.flatMap((each) => each ?? [])]),
    others: rows.flatMap(({ key }, index) => (read[index] ? [] : [knownSecrets.clean(key)])),
  };
}

/** Rows without duplicates, which occur if the list changes while its pages are read. */
async function readRows(reader: Reader, project: Project, kind: Kind): Promise<readonly ListedRow[]> {
  const { read } = kindOf(reader.catalogue, kind);
  if (!read) return [];
  const listing = call(read.list, { id: project.name });
  const rows = (await reader.list(listing)) as readonly JsonObject[];
  if (kindOf(reader.catalogue, kind).keys) refuseOtherDialect(reader.catalogue, listing, rows);
  const distinct = new Map<unknown, ListedRow>();
  for (const row of rows) distinct.set(row[read.numbered ? "id" : read.key], { key: String(row[read.key]), row });
  return [...distinct.values()];
}

async function readKind(
  reader: Reader,
  kind: Kind,
  desired: DesiredProject,
  { trusts, ownRow }: ReadOptions,
): Promise<readonly (Live | Unread)[]> {
  const { catalogue } = reader;
  const row = kindOf(catalogue, kind);
  if (isReadByFile(row)) return readFileKind(reader, kind, row, desired, ownRow);
  const { project } = desired;
  const rows = await readRows(reader, project, kind);
  const { resources } = desired;
  const declared = new Map<string, Desired>();
  for (const one of resources) if (one.kind === kind && one.presence === "present") declared.set(one.key, one);
  const isStill = trusts?.(project.name);
  const listed = rows.map(({ key, row }) => {
    const one = declared.get(key);
    if (!one)
      return mayShowKey(catalogue, { kind, key }, resources)
        ? toLive(catalogue, { kind, key, fields: {} }, row)
        : redactedResource(catalogue, project, kind, key);
    const { updated_at: updatedAt } = row;
    if (typeof updatedAt === "string" && isStill?.({ desired: one, updatedAt }))
      return assumeDeclared(catalogue, one, row);
    return isWhole(catalogue, one, row) ? toLive(catalogue, one, row) : readOne(reader, project, one, row);
  });
  for (const { key } of rows) declared.delete(key);
  const unlisted = [...declared.values()].map((one) => readOne(reader, project, one, undefined));
  return (await awaitParts([...listed, ...unlisted])).filter((live) => live !== undefined);
}

/** Disabled resources are not listed, if the kind has that state. @throws CallFailed if it ends the run. */
async function readOne(
  reader: Reader,
  project: Project,
  resource: Resource,
  row: JsonObject | undefined,
): Promise<Live | Unread | undefined> {
  const { catalogue } = reader;
  const { kind, key } = resource;
  const { read } = kindOf(catalogue, kind);
  if (!row && !fieldOf(catalogue, resource, "active")) return undefined;
  if (row && isWhole(catalogue, resource, row)) return toLive(catalogue, resource, row);
  if (!read?.single) return undefined;
  try {
    const { body } = await reader.get(call(read.single, { id: project.name, [read.key]: key }));
    return toLive(catalogue, resource, body as JsonObject);
  } catch (error) {
    if (error instanceof CallFailed && error.saysGone) return undefined;
    return toUnread({ kind, key }, error);
  }
}
