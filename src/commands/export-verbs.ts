import { flags } from "./flags.ts";
import { type Verb, verb } from "./verb.ts";

/** What policies say, in another format. */
export const exportVerbs: readonly Verb[] = [
  verb({
    name: "export license-policy",
    arguments: "[project...]",
    summary: "desired licenses as the YAML of a security-policy project; offline",
    examples: [
      ["evenkeel export license-policy > policy.yml", "all projects; approved by maintainers"],
      ["evenkeel export license-policy --release 17.3 --approvers group:legal", "as a later release reads it"],
      [
        "evenkeel export license-policy payments/api --no-allow-list",
        "one project; only denied licenses need approval",
      ],
    ],
    options: flags["export license-policy"],
    load: () => import("./export-license-policy.ts"),
  }),
];
