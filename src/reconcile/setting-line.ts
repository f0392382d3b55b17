import { linesOfFields } from "../manifest/deciding-lines.ts";
import type { Policy, Variable } from "../manifest/policies.ts";
import { projectNamed } from "../model/identity.ts";
import { isRemoval } from "../model/removal-changes.ts";
import type { Change, Place, Project } from "../model/types.ts";
import type { Checked } from "./context.ts";

/** Finds the line that sets the value of a change, where that is not the line of its resource. */
export type FindSettingLine = (change: Change) => Place | undefined;

/**
 * A change whose values all come from variables is set by the line of a variable, and a singleton whose changed fields
 * all stand in other policies than its nearest by the line of a field. With `--since`, a variable in a manifest that the
 * revision changed goes first: there a reviewer reads.
 */
export function settingLineFinder(
  { policies, since, loaded: { workspace } }: Pick<Checked, "policies" | "since" | "loaded">,
  projects: readonly Project[],
): FindSettingLine {
  const isChanged = since && changedSince(since.before.policies);
  const byName = new Map(projects.map((project) => [project.name, project]));
  const hasVariables = policies.some(({ vars }) => vars.length > 0);
  return (change) => {
    if (isRemoval(change) || (!hasVariables && change.key !== "")) return undefined;
    const fields = Object.keys(change.after ?? {});
    const project = byName.get(change.project) ?? projectNamed(change.project);
    const lines = linesOfFields(workspace.catalogue, policies, project, { ...change, fields });
    const variables = lines.flatMap((line) => line.variables);
    const changed = isChanged && variables.find(isChanged);
    if (changed) return changed.place();
    if (lines.every((line) => line.variables.length > 0)) return variables[0]?.place();
    return lines.every(({ elsewhere }) => elsewhere) ? lines[0]?.elsewhere?.place() : undefined;
  };
}

/** Whether a variable stands in a manifest that is not as it was. Both sides share the documents of equal files. */
function changedSince(before: readonly Policy[]): (variable: Variable) => boolean {
  const unchanged = new Set(before.map(({ document }) => document));
  return ({ document }) => !unchanged.has(document);
}
