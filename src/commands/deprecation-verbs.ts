import { flags } from "./flags.ts";
import { type Verb, verb } from "./verb.ts";

/** `evenkeel deprecations [scan PATH...]` (contract 8). */
export const deprecationVerbs: readonly Verb[] = [
  verb({
    name: "deprecations",
    summary: "the schedule of removals, and where files use what goes away",
    examples: [
      ["evenkeel deprecations", "the whole schedule, with what is due marked"],
      ["evenkeel deprecations --release 14.8", "what is removed up to that release"],
      ["evenkeel deprecations --as-of 2022-05-22 --report json", "by a day, for scripts"],
      ["evenkeel deprecations scan .", "uses of it below this folder"],
    ],
    options: flags.deprecations,
    load: () => import("./deprecations.ts"),
  }),
  verb({
    name: "deprecations scan",
    arguments: "<path...>",
    summary: "find uses of what is removed, and rewrite them",
    examples: [
      ["evenkeel deprecations scan .", "files below this folder, for the workspace's release"],
      ["evenkeel deprecations scan --release 15.0 ci scripts", "exit 1 for what that release removes"],
      ["evenkeel deprecations scan . --fix", "rewrite what has a mechanical replacement"],
      ["evenkeel deprecations scan . --report json=uses.json", "a file for scripts beside the text"],
    ],
    options: flags["deprecations scan"],
    load: () => import("./deprecations-scan.ts"),
  }),
];
