import { exit, UserError } from "../base/exit.ts";
import { readPolicies } from "../manifest/policies.ts";
import { ownerOfName } from "../model/owner.ts";
import { whoamiJson, whoamiText } from "../report/server-texts.ts";
import { canPlan, readTokenAccess } from "../run/live/token-access.ts";
import { loadWorkspace, workspaceAbove } from "../workspace/load.ts";
import type { Run } from "./command.ts";
import { reading } from "./connected.ts";
import { folderOf } from "./run-request.ts";
import type { Options } from "./table.ts";

/** `evenkeel whoami`: exit code 1 if `plan` could not read. */
export const run: Run<Options<"whoami">> = async (terminal, options) => {
  if (options.project?.trim() === "")
    throw new UserError("--project is empty; expected the ID or the path of a project", exit.usage);
  const project = options.project ?? firstNamed(folderOf(terminal, options));
  let isEnough = true;
  const code = await reading(terminal, options, async (reader) => {
    const access = await readTokenAccess(reader, project);
    isEnough = canPlan(access);
    return { text: () => whoamiText(access, terminal.palette), json: () => whoamiJson(access) };
  });
  return code === exit.done && !isEnough ? exit.problem : code;
};

/** The first project, else the first group, that policies of the surrounding workspace name without a wildcard. */
function firstNamed(folder: string): string | undefined {
  if (workspaceAbove(folder) === undefined) return undefined;
  const { policies } = readPolicies(loadWorkspace(folder));
  const named = policies.flatMap(({ projects }) =>
    projects.flatMap(({ form, written }) => (form === "glob" ? [] : written)),
  );
  return named.find((name) => ownerOfName(name) === "project") ?? named[0];
}
