import { counted, thousands } from "../base/text-format.ts";
import { ownerOfName } from "../model/owner.ts";
import type { Summary } from "./plan.ts";

/** `214 projects`, `3 groups`, or `217 projects and groups (214 and 3)`. */
export function ownersCounted({ projects, groups = 0 }: Pick<Summary, "projects" | "groups">): string {
  if (groups === 0) return counted(projects, "project");
  if (groups === projects) return counted(groups, "group");
  return `${thousands(projects)} projects and groups (${thousands(projects - groups)} and ${thousands(groups)})`;
}

/** The same of their names: a group's ends in a slash. */
export function namesCounted(names: readonly string[]): string {
  return ownersCounted({
    projects: names.length,
    groups: names.filter((name) => ownerOfName(name) === "group").length,
  });
}
