import { exit, Refusal } from "../base/exit.ts";
import { canPlan, readTokenAccess } from "../live/token-access.ts";
import { whoamiJson, whoamiText } from "../report/whoami.ts";
import { reading } from "./deployments/connected.ts";
import type { Options } from "./flags.ts";
import type { Run } from "./verb.ts";

/** `evenkeel whoami`: exit 1 where `plan` could not read. */
export const run: Run<Options<"whoami">> = async (terminal, options) => {
  const { project } = options;
  if (project?.trim() === "")
    throw new Refusal("--project is empty; expected the ID or the path of a project", exit.usage);
  let isEnough = true;
  const code = await reading(terminal, options, async (reader) => {
    const access = await readTokenAccess(reader, project);
    isEnough = canPlan(access);
    return { text: () => whoamiText(access, terminal.palette), json: () => whoamiJson(access) };
  });
  return code === exit.done && !isEnough ? exit.problem : code;
};
