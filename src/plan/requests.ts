import type { JsonObject } from "../base/json.ts";
import { call, NamesNothing } from "../model/call.ts";
import { type Catalogue, catalogueOf } from "../model/catalogue.ts";
import type { Endpoint } from "../model/endpoints.ts";
import type { KindRow } from "../model/kind-row.ts";
import { kindOf } from "../model/kinds.ts";
import { kindWord } from "../model/owner.ts";
import { pathValues } from "../model/path-values.ts";
import { isRemoval } from "../model/removal-changes.ts";
import { keyValuesOf } from "../model/resource-kind.ts";
import type { Call, Change, Fields, SecretReference } from "../model/types.ts";
import { referencesWithin } from "../model/values.ts";
import { bodyOf, sentFields } from "./request-body.ts";

/** The calls that carry a change out, in order, their parameters still references where they are secret. */
export function callsOf(change: Change, catalogue: Catalogue = catalogueOf()): readonly [Call, ...Call[]] {
  const [first, ...others] = partsOfChange(change);
  const callFor = (part: Change) =>
    oneCall(part, catalogue, (row, endpoint) => endpoint.body && parametersOf(row, part));
  return [callFor(first), ...others.map(callFor)];
}

/** The call that carries a change out; of a replacement, which has two, the first. */
export function callOf(change: Change, catalogue?: Catalogue): Call {
  return callsOf(change, catalogue)[0];
}

/** The same without parameters, for which nothing but the path has to be known. */
export function bareCallsOf(change: Change, catalogue: Catalogue): readonly [Call, ...Call[]] {
  const [first, ...others] = partsOfChange(change);
  const callFor = (part: Change) => oneCall(part, catalogue, () => undefined);
  return [callFor(first), ...others.map(callFor)];
}

/** A change as what each of its requests does: a replacement deletes the resource, and creates it. */
export function partsOfChange(change: Change): readonly [Change, ...Change[]] {
  if (change.action !== "replace") return [change];
  const { before: _, live: __, liveDigest: ___, ...rest } = change;
  const creation = { ...rest, action: "create", before: null, after: change.declared } as const;
  return [
    { ...change, action: "delete", after: null },
    { ...creation, live: undefined, liveDigest: undefined },
  ];
}

type ParametersOf = (row: KindRow, endpoint: Endpoint) => Fields | undefined;

function oneCall(part: Change, catalogue: Catalogue, parameters: ParametersOf): Call {
  const row = kindOf(catalogue, part.kind);
  const endpoint = endpointFor(row, part);
  return call(endpoint, segmentsOf(row, part, endpoint), parameters(row, endpoint));
}

function endpointFor({ calls }: KindRow, { kind, key, action }: Change): Endpoint {
  const carrier = action === "replace" ? undefined : calls[action];
  const endpoint = typeof carrier === "function" ? carrier(key) : carrier;
  if (!endpoint) throw new RangeError(`no call for ${action} of a ${kindWord(kind)}`);
  return endpoint;
}

/** What fills the path of its call: the project, the key or fields, and the row as read. */
function segmentsOf(row: KindRow, change: Change, endpoint: Endpoint): Readonly<Record<string, string>> {
  const { project, key, declared, live } = change;
  const { file, read } = row;
  if (!file) return { id: project, ...(read && { [read.key]: key }), "row.id": String(live?.id ?? key) };
  const keys: Fields = keyValuesOf(file, key);
  const found: JsonObject = { ...keys, ...(live?.id !== undefined && { id: live.id }), ...live?.row };
  const fieldOf = (name: string) => (name.startsWith("row.") ? found[name.slice(4)] : (keys[name] ?? declared[name]));
  return pathValues(endpoint, (name) => (name === "id" ? project : fieldOf(name)));
}

/** Why no request can be made of a change; undefined if one can. */
export function whyNotCalled(change: Change, catalogue: Catalogue): string | undefined {
  try {
    bareCallsOf(change, catalogue);
    return undefined;
  } catch (error) {
    if (error instanceof NamesNothing) return error.message;
    throw error;
  }
}

/** The declared fields that a change sends: all, but of an update of a kind that is a file. */
export function sentFieldsOf(change: Change, catalogue: Catalogue): readonly string[] {
  const { file } = kindOf(catalogue, change.kind);
  return file ? sentFields(file, change) : Object.keys(change.declared);
}

/** The secrets that it sends. */
export function secretsSentBy(change: Change, catalogue: Catalogue): readonly SecretReference[] {
  if (isRemoval(change)) return [];
  return sentFieldsOf(change, catalogue).flatMap((name) => referencesWithin(change.declared[name] ?? null));
}

function parametersOf(row: KindRow, change: Change): Fields {
  const { file } = row;
  if (file) return bodyOf({ ...row, file }, change, change.action === "create" ? null : (change.live?.row ?? {}));
  return { ...change.extraFields, ...change.declared };
}
