import { flags } from "./flags.ts";
import { verb } from "./verb.ts";

/** `evenkeel watch` (docs/watching.md). */
export const watchVerb = verb({
  name: "watch",
  summary: "check on a schedule and at each new commit, tell people what changed, and apply it where wanted",
  examples: [
    ["evenkeel watch", "every 30 minutes; writes nothing"],
    ["evenkeel watch --cron '7 * * * *' --follow --hooks 8095", "each hour, and at once what a push changes"],
    ["evenkeel watch --follow --apply pending", "carry out what commits ask for, within guards and rules"],
    ["evenkeel watch --max-checks 1", "one check, with the exit code of drift"],
  ],
  options: flags.watch,
  load: () => import("./watch.ts"),
});
