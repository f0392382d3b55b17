import type { JsonObject } from "../base/json.ts";
import { json, type ServerReply } from "./reply.ts";
import type { ServerContext } from "./server-context.ts";
import type { ProjectState } from "./state.ts";

/** The project of a former path, if the server redirects to it. */
export function formerProject(
  { state, behaviour }: ServerContext,
  path: string,
): ProjectState | { readonly movedTo: number } | undefined {
  const project = state.formerPaths.get(path.toLowerCase());
  if (!project || behaviour.formerPaths === "unknown") return undefined;
  return behaviour.formerPaths === "followed" ? project : { movedTo: project.record.id };
}

/** The redirect of a request for a former path, which only reads follow. */
export function movedReply(method: string, address: string, raw: JsonObject, id: number): ServerReply {
  if (method !== "GET") return json(405, { message: "Non GET methods are not allowed for moved projects" });
  const query = new URLSearchParams(
    Object.entries(raw).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const location = address.replace(/\/projects\/[^/]+/, `/projects/${id}`) + (query.size > 0 ? `?${query}` : "");
  return json(301, `This resource has been moved permanently to ${location}`, { location });
}
