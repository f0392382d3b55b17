import { bareName, ownerOfName } from "../../model/owner.ts";
import type { Project } from "../../model/types.ts";
import type { ImportedProject } from "./imported-project.ts";
import { fileOf } from "./names.ts";
import type { Draft } from "./policy.ts";

/** A policy for each project with anything to declare. */
export function draftsOf(imported: readonly ImportedProject[]): readonly Draft[] {
  return imported
    .filter(({ entries, remarks }) => entries.length + remarks.length > 0)
    .map(({ project, entries, remarks }) => ({
      file: fileOf(project),
      name: project.name,
      projects: [selectorFor(project)],
      except: [],
      heading: [],
      entries,
      remarks,
    }));
}

/** The path of a project, or its ID if the path looks like an ID or a glob. */
export function selectorFor({ name, id }: Project): string | number {
  if (id === undefined || !/^\d+$|[*?[\]{}]/.test(bareName(name))) return name;
  return ownerOfName(name) === "group" ? `${id}/` : id;
}
