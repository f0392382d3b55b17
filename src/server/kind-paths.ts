import { grouped } from "../base/grouped.ts";
import { integrationsAlias } from "../model/endpoints.ts";
import type { Owner } from "../model/owner.ts";
import { compareReleases } from "../model/releases.ts";
import {
  type CallName,
  callOfOwner,
  type FieldSchema,
  listFacts,
  precedingCall,
  type ResourceKind,
  writtenCall,
} from "../model/resource-kind.ts";

/** A request to a kind, with the values in its path and query. */
export interface KindMatch<Kind> {
  readonly kind: Kind;
  readonly call: ServedCall;
  /** The ID or the path of the project or group. */
  readonly owner: string;
  /** Values that the row must have, by part. */
  readonly named: Readonly<Record<string, string>>;
  /** Parameters of the query that narrow the match, and the parts of the row that they name. */
  readonly narrowing: Readonly<Record<string, string>>;
}

type Segment = { readonly text: string } | { readonly name: string };

interface KindRoute<Kind> {
  readonly kind: Kind;
  readonly call: ServedCall;
  readonly method: string;
  readonly segments: readonly Segment[];
  readonly narrowing: Readonly<Record<string, string>>;
}

/** Finds the call of a kind by method and path (relative to /api/v4); HEAD is like GET. */
export type KindRouter<Kind> = (method: string, path: string) => KindMatch<Kind> | "unknown" | "method";

export function kindRouter<Kind extends { readonly file: ResourceKind; readonly calls: KindCalls }>(
  kinds: readonly Kind[],
  release: string,
): KindRouter<Kind> {
  const routes = kinds.flatMap((kind) =>
    (Object.keys(kind.calls) as ServedCall[]).flatMap((call) => {
      const written = kind.calls[call];
      const filters = filtersIn(kind.file, release);
      return written === undefined
        ? []
        : spellings(written, release).map((each) => compileRoute(kind, call, each, filters));
    }),
  );
  const byLength = grouped(routes, ({ segments }) => segments.length);
  return (method, path) => {
    const segments = decodeSegments(path);
    const known = segments
      ? (byLength.get(segments.length) ?? []).filter((route) => matchesRoute(route, segments))
      : [];
    const route = known.find((each) => each.method === (method === "HEAD" ? "GET" : method));
    if (!segments || !route) return known.length > 0 ? "method" : "unknown";
    return toMatch(route, segments);
  };
}

/** The first release with the newer name of the path segment of integrations (docs/api.md#integrations). */
const renamedIn = "14.4";

function spellings(call: string, release: string): readonly string[] {
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

/** The calls for items of those fields that the server has. */
export function servedItemCalls(file: ResourceKind, of: Owner, fields: ReadonlyMap<string, FieldSchema>): KindCalls {
  const entries = Array.from(fields).flatMap(([field, { "x-items": { key: _, ...calls } = {} }]) =>
    Object.entries(calls).map(([name, written]) => {
      const { method, path } = callOfOwner(file, written, of);
      return [`${name}_item ${field}`, `${method} ${path}`] as const;
    }),
  );
  return Object.fromEntries(entries);
}

/**
 * The calls of a kind in a release. Servers also show a single resource at a path where it can be
 * changed or deleted, even if the kind does not say so.
 */
export function servedCalls(file: ResourceKind, of: Owner, has: (release: string) => boolean): KindCalls {
  const entries = Object.entries(file.calls).flatMap(([name, call]) => {
    const release = (typeof call === "object" && call.release) || (file.keys && name === "list" && listedIn);
    const isOwn = name !== "list" || listFacts(file).rows === undefined;
    const isThere = isOwn && (!release || has(release));
    const { method, path } = callOfOwner(file, call, of);
    const { before } = precedingCall(call);
    const first = before === undefined ? undefined : callOfOwner(file, before, of);
    if (!isThere) return [];
    return [
      [name, `${method} ${path}`] as const,
      ...(first ? [[`before_${name}`, `${first.method} ${first.path}`] as const] : []),
    ];
  });
  const calls: KindCalls = Object.fromEntries(entries);
  const one = calls.update ?? calls.delete;
  if (calls.show !== undefined || one === undefined) return calls;
  return { ...calls, show: `GET ${writtenCall(one).path}` };
}

/** The first release with a list of integrations. */
const listedIn = "12.7";

/** Tests whether a release finds resources by a field of their key. */
function filtersIn({ fields }: ResourceKind, release: string): (part: string) => boolean {
  return (part) => compareReleases(release, fields.properties[part]?.["x-filtered"] ?? release) >= 0;
}

function compileRoute<Kind>(
  kind: Kind,
  call: ServedCall,
  written: string,
  filters: (part: string) => boolean,
): KindRoute<Kind> {
  const { method, path } = writtenCall(written);
  const [place = "", query = ""] = path.split("?");
  const narrowing = [...new URLSearchParams(query)].flatMap(([parameter, value]) =>
    value.startsWith(":") && filters(stripPrefix(value)) ? [[parameter, stripPrefix(value)] as const] : [],
  );
  return { kind, call, method, segments: place.split("/").map(parseSegment), narrowing: Object.fromEntries(narrowing) };
}

const owner = ":id";

function parseSegment(text: string): Segment {
  if (text === owner) return { name: owner };
  return text.startsWith(":") ? { name: stripPrefix(text) } : { text };
}

/** Strips the prefix: `name` of `:name` and `:row.name`. */
function stripPrefix(parameter: string): string {
  return parameter.replace(/^:(row\.)?/, "");
}

function decodeSegments(path: string): readonly string[] | undefined {
  try {
    return path.split("/").map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function matchesRoute({ segments }: KindRoute<unknown>, given: readonly string[]): boolean {
  return segments.every((segment, index) => ("name" in segment ? given[index] !== "" : segment.text === given[index]));
}

function toMatch<Kind>(
  { kind, call, segments, narrowing }: KindRoute<Kind>,
  given: readonly string[],
): KindMatch<Kind> {
  const named = segments.flatMap((segment, index) =>
    "name" in segment ? [[segment.name, given[index] ?? ""] as const] : [],
  );
  const { [owner]: id = "", ...parts } = Object.fromEntries(named);
  return { kind, call, owner: id, named: parts, narrowing };
}
