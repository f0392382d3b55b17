import { type Catalogue, catalogueOf } from "../model/catalogue.ts";
import { call, type Endpoint } from "../model/endpoints.ts";
import type { KindRow } from "../model/kind-row.ts";
import { kindOf } from "../model/kinds.ts";
import { kindWord } from "../model/owner.ts";
import { isRemoval } from "../model/removal-changes.ts";
import type { Call, CallAction, Change, Fields, SecretReference } from "../model/types.ts";
import { referencesIn } from "../model/values.ts";

/** The calls that carry a change out, in order, their parameters still references where they are secret. */
export function callsOf(change: Change, catalogue: Catalogue = catalogueOf()): readonly [Call, ...Call[]] {
  const { action } = change;
  if (action !== "replace") return [callFor(change, action, catalogue)];
  return [callFor(change, "delete", catalogue), callFor(change, "create", catalogue)];
}

/** The first of them. */
export function callOf(change: Change, catalogue?: Catalogue): Call {
  return callsOf(change, catalogue)[0];
}

function callFor(change: Change, action: CallAction, catalogue: Catalogue): Call {
  const row = kindOf(catalogue, change.kind);
  const carrier = row.calls[action];
  const endpoint = typeof carrier === "function" ? carrier(change.key) : carrier;
  if (!endpoint) throw new RangeError(`no call for ${action} of a ${kindWord(change.kind)}`);
  return call(endpoint, segmentsOf(row, change), endpoint.body && parametersOf(row, change, endpoint));
}

/** What fills the path of its call: the project, the key, and the row as read. */
function segmentsOf({ read }: KindRow, { project, key, live }: Change): Readonly<Record<string, string>> {
  return { id: project, ...(read && { [read.key]: key }), "row.id": String(live?.id ?? key) };
}

/** The secrets that it sends. */
export function secretsSentBy(change: Change): readonly SecretReference[] {
  return isRemoval(change) ? [] : referencesIn(change.declared);
}

function parametersOf({ read }: KindRow, change: Change, { method }: Endpoint): Fields {
  const named = read && method === "POST" ? { [read.key]: change.key } : {};
  return { ...named, ...change.extraFields, ...change.declared };
}
