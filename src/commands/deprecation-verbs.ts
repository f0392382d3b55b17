import { flags } from "./flags.ts";
import { type Verb, verb } from "./verb.ts";

/** `evenkeel deprecations [scan PATH...]` (docs/deprecations.md). */
export const deprecationVerbs: readonly Verb[] = [
  verb({
    name: "deprecations",
    summary: "the schedule of removals, and where your files use what is removed",
    examples: [
      ["evenkeel deprecations", "the whole schedule; due changes are marked"],
      ["evenkeel deprecations --release 14.8", "removals up to that release"],
      ["evenkeel deprecations --as-of 2022-05-22 --report json", "removals by that day, for scripts"],
      ["evenkeel deprecations scan .", "uses of removed features below this folder"],
    ],
    options: flags.deprecations,
    load: () => import("./deprecations.ts"),
  }),
  verb({
    name: "deprecations scan",
    arguments: "<path...>",
    summary: "find uses of removed features, and rewrite them",
    examples: [
      ["evenkeel deprecations scan .", "files below this folder, checked for the workspace's release"],
      ["evenkeel deprecations scan --release 15.0 ci scripts", "exit 1 if that release removes something in use"],
      ["evenkeel deprecations scan . --fix", "rewrite what has an exact replacement"],
      ["evenkeel deprecations scan . --report json=uses.json", "a file for scripts beside the text"],
    ],
    options: flags["deprecations scan"],
    load: () => import("./deprecations-scan.ts"),
  }),
];
