import { flags } from "./flags.ts";
import { verb } from "./verb.ts";

/** `evenkeel routes` (contract 8). */
export const routesVerb = verb({
  name: "routes",
  arguments: "<project>",
  summary: "who hears of an event, and in which channel",
  examples: [
    ["evenkeel routes payments/api --event pipeline --pipeline-status failed", "as manifests say"],
    ["evenkeel routes payments/api --event push --branch-kind protected --live", "as the server has it"],
    ["evenkeel routes payments/api --diff", "who stops and who starts hearing of what by an apply"],
  ],
  options: flags.routes,
  load: () => import("./routes.ts"),
});
