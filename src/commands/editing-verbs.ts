import { folder } from "./flags.ts";
import type { Verb } from "./verbs.ts";

/** What makes writing manifests pleasant. */
export const editingVerbs: readonly Verb[] = [
  {
    name: "fmt",
    arguments: "[path...]",
    summary: "put the keys of manifests in order; comments and values stay",
    examples: [
      ["evenkeel fmt", "the workspace of this folder; names the files that it changed"],
      ["evenkeel fmt --check", "for CI: changes nothing, exit 1 where something would change"],
      ["evenkeel fmt policies/payments.yaml", "one file"],
    ],
    options: [folder, { flags: "--check", description: "name the files that would change, and change none" }],
    load: async () => (await import("./fmt.ts")).run,
  },
];
