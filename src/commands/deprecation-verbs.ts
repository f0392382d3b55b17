import { folder, quiet, report } from "./flags.ts";
import type { Verb } from "./verbs.ts";

const release = (description: string) => ({ flags: "--release <release>", description });

/** `evenkeel deprecations [scan PATH...]` (contract 8). */
export const deprecationVerbs: readonly Verb[] = [
  {
    name: "deprecations",
    summary: "the schedule of removals, and where files use what goes away",
    examples: [
      ["evenkeel deprecations", "the whole schedule, with what is due marked"],
      ["evenkeel deprecations --release 14.8", "what is removed up to that release"],
      ["evenkeel deprecations --as-of 2022-05-22 --report json", "by a day, for scripts"],
      ["evenkeel deprecations scan .", "uses of it below this folder"],
    ],
    options: [
      folder,
      release("only what is removed up to this release"),
      { flags: "--as-of <date>", description: "only what is removed by this day, such as 2022-05-22" },
      report,
      quiet,
    ],
    load: async () => (await import("./deprecations.ts")).run,
  },
  {
    name: "deprecations scan",
    arguments: "<path...>",
    summary: "find uses of what is removed, and rewrite them",
    examples: [
      ["evenkeel deprecations scan .", "files below this folder, for the workspace's release"],
      ["evenkeel deprecations scan --release 15.0 ci scripts", "exit 1 for what that release removes"],
      ["evenkeel deprecations scan . --fix", "rewrite what has a mechanical replacement"],
      ["evenkeel deprecations scan . --report json=uses.json", "a file for scripts beside the text"],
    ],
    options: [
      folder,
      release("hold uses against this release; the workspace's, else 14.5"),
      { flags: "--fix", description: "rewrite uses that have a mechanical replacement; comments and layout stay" },
      report,
      quiet,
    ],
    load: async () => (await import("./deprecations-scan.ts")).run,
  },
];
