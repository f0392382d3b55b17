import type { AnswerShape } from "./answer-shape.ts";
import { type EndpointName, groupsWithPaths, projectsWithPaths } from "./endpoints.ts";
import { type NamedOwner, type Owner, ownerOfName } from "./owner.ts";

interface OwnerCalls {
  readonly list: EndpointName;
  readonly rows: AnswerShape;
  readonly one: EndpointName;
  readonly auditEvents: EndpointName;
  readonly path: string;
}

const calls: Readonly<Record<NamedOwner, OwnerCalls>> = {
  project: {
    list: "listProjects",
    rows: projectsWithPaths,
    one: "getProject",
    auditEvents: "listAuditEvents",
    path: "path_with_namespace",
  },
  group: {
    list: "listGroups",
    rows: groupsWithPaths,
    one: "getGroup",
    auditEvents: "listGroupAuditEvents",
    path: "full_path",
  },
};

/** Undefined for the instance, which is not listed and has neither ID nor path. */
export function ownerCalls(owner: Owner): OwnerCalls | undefined {
  return owner === "instance" ? undefined : calls[owner];
}

export function callsOfOwner(name: string): OwnerCalls | undefined {
  return ownerCalls(ownerOfName(name));
}
