import type { EndpointName } from "../model/endpoints.ts";
import { answers, type HandlerRow } from "./answers.ts";
import { readParameters } from "./parameters.ts";
import { forbidden, invalid, notFound, type ServerReply } from "./reply.ts";
import { type Caller, findProject, roles } from "./state.ts";
import { accessRefusal, type Visit, type World } from "./world.ts";

const noProject = notFound("Project");

export interface RoutedRequest {
  readonly endpoint: EndpointName;
  readonly caller: Caller;
  readonly segments: Visit["segments"];
  readonly raw: Visit["raw"];
  readonly address: string;
  /** Why the body could not be read; said when the caller may know. */
  readonly unreadable?: ServerReply | undefined;
}

/** Checks in the platform's order (project, role, parameters; where the row says so, parameters first), then answers. */
export function answer(world: World, { endpoint, unreadable, ...asked }: RoutedRequest): ServerReply {
  const row = answers[endpoint];
  const { values, faults } = readParameters(world.parameters[endpoint], asked.raw);
  const unread = unreadable ?? (faults.length > 0 ? invalid(faults) : undefined);
  const visit: Visit = { ...asked, given: values };
  if ("instance" in row) return refusalOf(row, asked.caller, unread) ?? row.instance(world, visit);
  const project = findProject(world.state, asked.segments.id ?? "");
  if (unread && !row.roleFirst) return unread;
  if (!project) return noProject;
  return accessRefusal(project) ?? refusalOf(row, asked.caller, unread) ?? row.project(world, visit, project);
}

function refusalOf(row: HandlerRow, { role }: Caller, unread: ServerReply | undefined): ServerReply | undefined {
  const isAllowed = roles.indexOf(role) >= roles.indexOf(row.role);
  return isAllowed ? unread : forbidden;
}
