import { isRemoval } from "../model/turns-off.ts";
import type { Change, DesiredProject } from "../model/types.ts";

/** The resources of changes in one project, to be read as the changes want them. */
export function subjectsOf(name: string, changes: readonly Change[]): DesiredProject {
  const resources = changes.map((change) => {
    const { kind, key, declared, origin } = change;
    return { kind, key, fields: declared, origin, presence: isRemoval(change) ? "absent" : "present" } as const;
  });
  return { project: { name }, kinds: new Set(changes.map(({ kind }) => kind)), resources, exclusive: new Map() };
}
