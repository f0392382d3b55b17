import { type EndpointName, endpoints, type Parameter } from "../model/endpoints.ts";
import { compareReleases } from "../model/releases.ts";
import type { Call } from "../model/types.ts";

interface Route {
  readonly method: Call["method"];
  readonly path: string;
  readonly body?: "form" | "json";
  readonly parameters?: Readonly<Record<string, Parameter>>;
  readonly introduced?: string | undefined;
  /** Exists on deployed servers only. */
  readonly observed?: true;
}

const repositories = ["project", "snippet", "group"] as const;

const moveRoutes = {
  oneMove: (one) => ({ method: "GET", path: `/${one}_repository_storage_moves/:move_id`, observed: true }),
  ownMoves: (one) => ({ method: "GET", path: `/${one}s/:id/repository_storage_moves`, observed: true }),
  ownMove: (one) => ({ method: "GET", path: `/${one}s/:id/repository_storage_moves/:move_id`, observed: true }),
  addMove: (one) => ({
    method: "POST",
    path: `/${one}s/:id/repository_storage_moves`,
    body: "form",
    parameters: { destination_storage_name: { type: "string" } },
    observed: true,
  }),
} as const satisfies Record<string, (one: (typeof repositories)[number]) => Route>;

/** Routes for looking up users, for creating projects and groups, and for making a project read-only. */
const otherRoutes = {
  createProject: { method: "POST", path: "/projects", body: "json" },
  createGroup: { method: "POST", path: "/groups", body: "json" },
  listGroupProjects: { method: "GET", path: "/groups/:id/projects" },
  listSubgroups: { method: "GET", path: "/groups/:id/subgroups" },
  archiveProject: { method: "POST", path: "/projects/:id/archive" },
  unarchiveProject: { method: "POST", path: "/projects/:id/unarchive" },
  listCommits: {
    method: "GET",
    path: "/projects/:id/repository/commits",
    parameters: { ref_name: { type: "string" } },
  },
  getFile: {
    method: "GET",
    path: "/projects/:id/repository/files/:file/raw",
    parameters: { ref: { type: "string" } },
  },
  getMergeRequest: { method: "GET", path: "/projects/:id/merge_requests/:iid" },
  listUsers: { method: "GET", path: "/users", parameters: { username: { type: "string" } } },
} as const satisfies Record<string, Route>;

type MoveRoute = `${keyof typeof moveRoutes}:${(typeof repositories)[number]}`;

export type RouteName = EndpointName | MoveRoute | keyof typeof otherRoutes;

/** All routes: the endpoints that Evenkeel calls, and those of other clients. */
export const routes: Readonly<Record<RouteName, Route>> = {
  ...endpoints,
  ...otherRoutes,
  ...(Object.fromEntries(
    Object.entries(moveRoutes).flatMap(([name, route]) => repositories.map((one) => [`${name}:${one}`, route(one)])),
  ) as Record<MoveRoute, Route>),
};

export const endpointPaths: ReadonlySet<string> = new Set(
  Object.values(routes).map(({ method, path }) => `${method} ${path}`),
);

type Method = Call["method"];

interface Compiled {
  readonly method: Method;
  readonly endpoint: RouteName;
  readonly pattern: RegExp;
}

export interface Match {
  readonly endpoint: RouteName;
  readonly segments: Readonly<Record<string, string>>;
}

/** The endpoint of a request; HEAD is like GET. `unknown`: no such path; `method`: the path does not support the method. */
export type Router = (method: string, path: string) => Match | "unknown" | "method";

/** Compiles the routes into patterns. `path` is relative to /api/v4, without the query. */
export function router(release: string, withObserved: boolean): Router {
  const compiled = Object.entries(routes)
    .filter(([, { observed }]) => withObserved || !observed)
    .filter(([, { introduced }]) => !introduced || compareReleases(release, introduced) >= 0)
    .map(([name, { method, path }]): Compiled => {
      return { method, endpoint: name as RouteName, pattern: toPattern(path) };
    });
  return (method, path) => {
    const known = compiled.filter(({ pattern }) => pattern.test(path));
    const route = known.find((each) => each.method === (method === "HEAD" ? "GET" : method));
    if (!route) return known.length > 0 ? "method" : "unknown";
    const segments = readSegments(path, route);
    return segments ? { endpoint: route.endpoint, segments } : "unknown";
  };
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
}

/** Undefined if a segment is not percent-encoded UTF-8. */
function readSegments(path: string, { pattern }: Compiled): Match["segments"] | undefined {
  try {
    const groups = Object.entries(pattern.exec(path)?.groups ?? {});
    return Object.fromEntries(groups.map(([name, segment]) => [name, decodeURIComponent(segment)]));
  } catch {
    return undefined;
  }
}
