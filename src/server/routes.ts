import { type EndpointName, endpoints, type Parameter } from "../model/endpoints.ts";
import type { Call } from "../model/types.ts";

/** What the server routes by. */
interface Route {
  readonly method: Call["method"];
  readonly path: string;
  readonly body?: "form" | "json";
  readonly parameters?: Readonly<Record<string, Parameter>> | "integration";
  readonly introduced?: string | undefined;
  /** Seen on deployed servers only. */
  readonly observed?: true;
}

const repositories = ["project", "snippet", "group"] as const;

/** Moves by their ID, and those of one repository. */
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

type MoveRoute = `${keyof typeof moveRoutes}:${(typeof repositories)[number]}`;

export type RouteName = EndpointName | MoveRoute;

/** Everything that the server answers: the endpoints that the program calls, and what other clients of the platform call. */
export const routes: Readonly<Record<RouteName, Route>> = {
  ...endpoints,
  ...(Object.fromEntries(
    Object.entries(moveRoutes).flatMap(([name, route]) => repositories.map((one) => [`${name}:${one}`, route(one)])),
  ) as Record<MoveRoute, Route>),
};
