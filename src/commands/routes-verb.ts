import { flags } from "./flags.ts";
import { verb } from "./verb.ts";

/** `evenkeel routes` (docs/reviewing.md). */
export const routesVerb = verb({
  name: "routes",
  arguments: "<project>",
  summary: "who is notified of an event, and in which channel",
  examples: [
    ["evenkeel routes payments/api --event pipeline --pipeline-status failed", "from the manifests"],
    ["evenkeel routes payments/api --event push --branch-kind protected --live", "from the server"],
    ["evenkeel routes payments/api --diff", "who will receive more or fewer events after an apply"],
  ],
  options: flags.routes,
  load: () => import("./routes.ts"),
});
