import { integrationsAlias } from "../model/endpoints.ts";
import type { Owner } from "../model/owner.ts";
import { compareReleases } from "../model/releases.ts";
import {
  type CallName,
  callDetails,
  callOfOwner,
  type FieldSchema,
  type ResourceKind,
  writtenCall,
} from "../model/resource-kind.ts";

/** The first release with the newer name of the path segment of integrations (docs/api.md#integrations). */
const renamedIn = "14.4";

/** A call, and its older spelling on servers that know both. */
export function spellings(call: string, release: string): readonly string[] {
  const { segment, alias } = integrationsAlias;
  const older = call.replace(segment, alias);
  if (older === call) return [call];
  return compareReleases(release, renamedIn) < 0 ? [older] : [call, older];
}

/** The calls of a kind on a server, as methods and paths. */
export type KindCalls = Readonly<Partial<Record<ServedCall, string>>>;

/** A call of a kind, the one before it, or one for an item of a field. */
export type ServedCall = CallName | `before_${"update" | "delete"}` | ServedItemCall;

export type ServedItemCall = `${"create" | "update" | "delete"}_item ${string}`;

/**
 * The calls of a kind in a release, also for items of the fields that the server has. Servers also show a single resource
 * at a path where it can be changed or deleted, even if the kind does not say so.
 */
export function servedCalls(
  file: ResourceKind,
  of: Owner,
  release: string,
  fields: ReadonlyMap<string, FieldSchema>,
): KindCalls {
  const own = Object.entries(file.calls).flatMap(([name, call]) => {
    const { before, rows, release: first = file.keys && name === "list" ? listedIn : release } = callDetails(call);
    const isPart = name === "list" && rows !== undefined;
    if (isPart || compareReleases(release, first) < 0) return [];
    return [[name, call] as const, ...(before === undefined ? [] : [[`before_${name}`, before] as const])];
  });
  const ofItems = Array.from(fields).flatMap(([field, { "x-items": { key: _, ...calls } = {} }]) =>
    Object.entries(calls).map(([name, call]) => [`${name}_item ${field}`, call] as const),
  );
  const written = [...own, ...ofItems].map(([name, call]) => {
    const { method, path } = callOfOwner(file, call, of);
    return [name, `${method} ${path}`] as const;
  });
  const calls: KindCalls = Object.fromEntries(written);
  const one = calls.update ?? calls.delete;
  if (calls.show !== undefined || one === undefined) return calls;
  return { ...calls, show: `GET ${writtenCall(one).path}` };
}

/** The first release with a list of integrations. */
const listedIn = "12.7";

/** The parts of a row by the parameters of a query that narrow a match, if the release filters by them. */
export function narrowingOf({ fields }: ResourceKind, query: string, release: string) {
  const narrowing = [...new URLSearchParams(query)].filter(([, value]) => {
    const since = fields.properties[partName(value)]?.["x-filtered"] ?? release;
    return value.startsWith(":") && compareReleases(release, since) >= 0;
  });
  return Object.fromEntries(narrowing.map(([parameter, value]) => [parameter, partName(value)]));
}

/** The part of a row that a parameter names: `name` of `:name` and `:row.name`. */
export function partName(parameter: string): string {
  return parameter.replace(/^:?(row\.)?/, "");
}
