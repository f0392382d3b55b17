import type { JsonObject } from "../../base/json.ts";
import type { Reader } from "../../client/client.ts";
import { call } from "../../model/call.ts";
import { identityOf } from "../../model/kinds.ts";
import { pathValues } from "../../model/path-values.ts";
import { keyValuesOf } from "../../model/resource-kind.ts";
import type { Desired, DesiredProject, Fields, Kind, Live, Project } from "../../model/types.ts";
import { liveRow, returnedFields, shownFields, undeclared } from "./kind-resources.ts";
import { hasDeclaredFields, type KeyedRow, type ReadKind, readKindRows } from "./kind-rows.ts";
import { awaitParts, toUnread, type Unread } from "./partly-read.ts";
import { mayShowKey, redactedResource } from "./redacted-resources.ts";

/**
 * The live resources of a kind as far as policies declare them: one list, and one GET for each resource with a declared
 * field that the list lacks. `ownRow`: the project's own row, if this run has read it. @throws CallFailed if the list
 * cannot be read.
 */
export async function readFileKind(
  reader: Reader,
  name: Kind,
  kind: ReadKind,
  desired: DesiredProject,
  ownRow?: JsonObject,
): Promise<readonly (Live | Unread)[]> {
  const { catalogue } = reader;
  const { project, exclusive } = desired;
  const { resources } = desired;
  const declared = new Map<string, Desired>();
  for (const one of resources) if (one.kind === name) declared.set(one.identity ?? identityOf(catalogue, one), one);
  const isDeclared = (key: string) => declared.has(identityOf(catalogue, { kind: name, key }));
  const known = ownRow && hasDeclaredFields(kind, ownRow, [...declared.values()]) ? ownRow : undefined;
  const rows = await readKindRows(reader, project, kind, isDeclared, known);
  const read = rows.map((keyed): Live | Unread | Promise<Live | Unread> => {
    const named = { kind: name, key: keyed.key };
    if (!mayShowKey(catalogue, named, resources)) return redactedResource(catalogue, project, name, keyed.key);
    const one = declared.get(identityOf(catalogue, named));
    const isRemoved = one ? one.presence === "absent" : exclusive.has(name);
    const asked = isRemoved ? undefined : (one?.fields ?? undeclared);
    if (!asked || !needsShow(kind, asked)) return liveRow(kind, named, keyed.row, asked);
    return readShown(reader, project, kind, keyed).then(
      (row) => liveRow(kind, named, row, asked),
      (error) => toUnread(named, error),
    );
  });
  return awaitParts(read);
}

/** True if only a GET of the single resource returns a declared field. */
function needsShow({ file, read }: ReadKind, asked: Fields): boolean {
  if (!read.single) return false;
  return Object.keys(asked).some((name) => file.fields.properties[name]?.["x-listed"] === false);
}

/** @throws CallFailed. */
async function readShown(
  reader: Reader,
  project: Project,
  { read, file }: ReadKind,
  { key, row }: KeyedRow,
): Promise<JsonObject> {
  if (!read.single) return row;
  const keys: Fields = keyValuesOf(file, key);
  const fieldOf = (name: string) => (name.startsWith("row.") ? row[name.slice(4)] : keys[name]);
  const segments = pathValues(read.single, (name) => (name === "id" ? project.name : fieldOf(name)));
  const { body } = await reader.get(call(read.single, segments));
  return body as JsonObject;
}

/** All resources of a kind with all visible fields; `returned`: also those of `x-returned`. @throws CallFailed. */
export async function readAllOfKind(
  reader: Reader,
  project: Project,
  name: Kind,
  kind: ReadKind,
  returned = false,
): Promise<readonly Live[]> {
  const rows = await readKindRows(reader, project, kind, () => true);
  const asked = { ...shownFields(kind.file), ...(returned && returnedFields(kind.file)) };
  return rows.map(({ key, row }) => liveRow(kind, { kind: name, key }, row, asked));
}
