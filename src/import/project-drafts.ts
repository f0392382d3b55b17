import type { Project } from "../model/types.ts";
import type { ImportedProject } from "./imported-project.ts";
import { fileOf } from "./names.ts";
import type { Draft } from "./policy.ts";

/** One policy for each project that has anything to declare. */
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

/** Its path; its ID where the path would be read as an ID or as a glob. */
export function selectorFor({ name, id }: Project): string | number {
  return /^\d+$|[*?[\]{}]/.test(name) && id !== undefined ? id : name;
}
