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
  {
    name: "completion",
    arguments: "<shell>",
    summary: "print a script that makes a shell complete commands, options, slugs, projects and addresses",
    examples: [
      ["evenkeel completion bash > ~/.local/share/bash-completion/completions/evenkeel", "once"],
      ["evenkeel completion zsh > ~/.zsh/_evenkeel", "in a folder of $fpath"],
      ["evenkeel completion fish > ~/.config/fish/completions/evenkeel.fish", "once"],
    ],
    options: [],
    load: async () => (await import("./completion/completion.ts")).run,
  },
  {
    name: "__complete",
    arguments: "[word...]",
    summary: "what a completion script asks for: the words that may stand in place of the last one",
    examples: [["evenkeel __complete -- explain irc-", "one candidate a line, its meaning behind a tab"]],
    options: [],
    load: async () => (await import("./completion/completing.ts")).run,
    hidden: true,
  },
];
