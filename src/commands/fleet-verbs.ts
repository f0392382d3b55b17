import { flags } from "./flags.ts";
import { type Verb, verb } from "./verb.ts";

/** `evenkeel worker` (docs/fleets.md). */
export const fleetVerbs: readonly Verb[] = [
  verb({
    name: "worker",
    summary: "work for the runs of a shared state that are started with --workers",
    examples: [
      ["evenkeel worker", "until it is interrupted; needs EVENKEEL_STATE, EVENKEEL_URL and a token"],
      ["evenkeel worker --once --concurrency 16", "for one run, with at most 16 requests in flight"],
    ],
    options: flags.worker,
    load: () => import("./worker.ts"),
  }),
];
