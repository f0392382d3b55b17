import { flags } from "./flags.ts";
import { type Verb, verb } from "./verb.ts";

/** What makes writing manifests pleasant. */
export const editingVerbs: readonly Verb[] = [
  verb({
    name: "fmt",
    arguments: "[path...]",
    summary: "sort the keys of manifests; comments and values stay",
    examples: [
      ["evenkeel fmt", "the workspace of this folder; lists the files that it changed"],
      ["evenkeel fmt --check", "for CI: changes nothing, exit 1 if a file would change"],
      ["evenkeel fmt policies/payments.yaml", "one file"],
    ],
    options: flags.fmt,
    load: () => import("./fmt.ts"),
  }),
  verb({
    name: "completion",
    arguments: "<shell>",
    summary: "print a shell completion script for commands, options, slugs, projects and addresses",
    examples: [
      ["evenkeel completion bash > ~/.local/share/bash-completion/completions/evenkeel", "once"],
      ["evenkeel completion zsh > ~/.zsh/_evenkeel", "in a folder of $fpath"],
      ["evenkeel completion fish > ~/.config/fish/completions/evenkeel.fish", "once"],
    ],
    options: flags.completion,
    load: () => import("./completion/completion.ts"),
  }),
];
