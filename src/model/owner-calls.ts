import { groupsWithPaths, projectsWithPaths } from "./endpoints.ts";
import type { Owner } from "./owner.ts";

/** The calls about owners; none for the instance, which is not listed and has neither ID nor path. */
const calls = {
  project: {
    list: "listProjects",
    one: "getProject",
    auditEvents: "listAuditEvents",
    rows: projectsWithPaths,
    path: "path_with_namespace",
  },
  group: {
    list: "listGroups",
    one: "getGroup",
    auditEvents: "listGroupAuditEvents",
    rows: groupsWithPaths,
    path: "full_path",
  },
  instance: undefined,
} as const;

export function ownerCalls(owner: Owner): (typeof calls)[Owner] {
  return calls[owner];
}
