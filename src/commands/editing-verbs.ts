import { flags } from "./flags.ts";
import { type Verb, verb } from "./verb.ts";

/** What makes writing manifests pleasant. */
export const editingVerbs: readonly Verb[] = [
  verb({
    name: "accept",
    arguments: "<address...>",
    summary: "the live value is right: write it into the lines of the manifests that decide",
    examples: [
      ["evenkeel accept payments/api:integration/irc-gateway", "one thing; shows each line that it changes"],
      ["evenkeel accept --dry-run 'payments/*:license/*'", "every license that differs; changes no file"],
    ],
    options: flags.accept,
    load: () => import("./accept.ts"),
  }),
  verb({
    name: "blame",
    arguments: "<address>",
    summary: "the line that decides, the commit that wrote it, and the run that last applied it",
    examples: [
      ["evenkeel blame payments/api:integration/irc-gateway", "each parameter and variable, too"],
      ["evenkeel blame payments/api:license/MIT --report json", "for scripts"],
    ],
    options: flags.blame,
    load: () => import("./blame.ts"),
  }),
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
    name: "translate",
    summary: "say the manifests in the names of another dialect; comments and layout stay",
    examples: [
      ["evenkeel translate --to gitlab", "for a GitLab server; lists the files that it changed"],
      ["evenkeel translate --to neutral --check", "back again: what would change; changes nothing"],
    ],
    options: flags.translate,
    load: () => import("./translate.ts"),
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
