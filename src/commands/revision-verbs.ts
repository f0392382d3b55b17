import { flags } from "./flags.ts";
import { type Verb, verb } from "./verb.ts";

/** Commands about revisions of the manifests. */
export const revisionVerbs: readonly Verb[] = [
  verb({
    name: "diff",
    arguments: "[rev]",
    summary: "what the manifests want otherwise than at a git revision; offline, no token needed",
    examples: [
      ["evenkeel diff", "since the branch left the remote's default branch"],
      ["evenkeel diff HEAD~1 --to HEAD", "what the last commit changed"],
      [
        "evenkeel diff --report markdown=diff.md --detailed-exitcode",
        "for a merge request; exit 2 if something differs",
      ],
    ],
    options: flags.diff,
    load: () => import("./diff.ts"),
  }),
];
