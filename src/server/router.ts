import { compareReleases } from "../model/availability.ts";
import { type EndpointName, endpoints, integrationsAlias } from "../model/endpoints.ts";
import type { Call } from "../model/types.ts";

type Method = Call["method"];

interface Node {
  readonly literals: Map<string, Node>;
  wild?: { readonly name: string; readonly node: Node };
  readonly methods: Map<Method, EndpointName>;
}

export interface Match {
  readonly endpoint: EndpointName;
  readonly segments: Readonly<Record<string, string>>;
}

/** The endpoint that a request means. `unknown`: no such path; `method`: the path has no such method. */
export type Router = (method: string, path: string) => Match | "unknown" | "method";

/** The release from which on the newer name of the integrations segment is routed (spec: Versioning 2). */
const renamedIn = "14.4";

/** Compiles the endpoint table into a tree of segments. `path` is relative to /api/v4, without the query. */
export function router(release: string, withObserved: boolean): Router {
  const root = emptyNode();
  for (const [name, { method, path, observed, introduced }] of Object.entries(endpoints)) {
    if (observed && !withObserved) continue;
    if (introduced && compareReleases(release, introduced) < 0) continue;
    for (const spelling of spellings(path, release)) grow(root, spelling, method, name as EndpointName);
  }
  return (method, path) => find(root, method as Method, path);
}

function spellings(path: string, release: string): string[] {
  const { segment, alias } = integrationsAlias;
  if (!path.includes(segment)) return [path];
  const older = path.replace(segment, alias);
  return compareReleases(release, renamedIn) < 0 ? [older] : [path, older];
}

function emptyNode(): Node {
  return { literals: new Map(), methods: new Map() };
}

function grow(root: Node, path: string, method: Method, name: EndpointName): void {
  let node = root;
  for (const segment of path.slice(1).split("/")) node = child(node, segment);
  node.methods.set(method, name);
}

function child(node: Node, segment: string): Node {
  if (segment.startsWith(":")) {
    node.wild ??= { name: segment.slice(1), node: emptyNode() };
    return node.wild.node;
  }
  const known = node.literals.get(segment) ?? emptyNode();
  node.literals.set(segment, known);
  return known;
}

function find(root: Node, method: Method, path: string): Match | "unknown" | "method" {
  const segments: Record<string, string> = {};
  let node = root;
  for (const segment of path.slice(1).split("/")) {
    const next = node.literals.get(segment);
    if (next) {
      node = next;
      continue;
    }
    const value = node.wild && decoded(segment);
    if (!node.wild || !value) return "unknown";
    segments[node.wild.name] = value;
    node = node.wild.node;
  }
  if (node.methods.size === 0) return "unknown";
  const endpoint = node.methods.get(method);
  return endpoint ? { endpoint, segments } : "method";
}

function decoded(segment: string): string | undefined {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
