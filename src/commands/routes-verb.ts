import { branchKinds } from "../model/branch-kinds.ts";
import { connected } from "./flags.ts";
import type { Verb } from "./verbs.ts";

/** `evenkeel routes` (contract 8). */
export const routesVerb: Verb = {
  name: "routes",
  arguments: "<project>",
  summary: "who hears of an event, and in which channel",
  examples: [
    ["evenkeel routes payments/api --event pipeline --pipeline-status failed", "as manifests say"],
    ["evenkeel routes payments/api --event push --branch-kind protected --live", "as the server has it"],
    ["evenkeel routes payments/api --diff", "who stops and who starts hearing of what by an apply"],
  ],
  options: [
    ...connected,
    { flags: "--event <kind>", description: "push, pipeline, issues, ...: a flag's name without _events" },
    { flags: "--branch <branch>", description: "on this branch, for integrations that list branches" },
    { flags: "--branch-kind <kind>", description: "on a branch of this kind", choices: branchKinds },
    { flags: "--pipeline-status <status>", description: "how the pipeline ended", choices: ["success", "failed"] },
    { flags: "--live", description: "from the server, not from manifests" },
    { flags: "--diff", description: "live against desired; with --event, as far as that goes" },
  ],
  load: async () => (await import("./routes.ts")).run,
};
