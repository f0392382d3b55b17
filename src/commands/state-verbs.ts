import { flags } from "./flags.ts";
import { type Verb, verb } from "./verb.ts";

/** `evenkeel runs`, `console`, `state`, `state copy` and `lock release` (docs/state.md). */
export const stateVerbs: readonly Verb[] = [
  verb({
    name: "runs",
    summary: "the history: who ran what and when, and how it ended",
    examples: [
      ["evenkeel runs", "plans, drifts and applies, newest first"],
      ["evenkeel runs --project payments/api", "those that concern one project"],
      ["evenkeel runs --report json", "for scripts"],
    ],
    options: flags.runs,
    load: () => import("./runs.ts"),
  }),
  verb({
    name: "console",
    summary: "pages over the state: how each project stands, its history, plans to review",
    examples: [
      ["evenkeel console", "on http://127.0.0.1:8090, for this machine"],
      ["evenkeel console --host 0.0.0.0 --trust-user-header X-Forwarded-User", "behind a proxy that signs people in"],
    ],
    options: flags.console,
    load: () => import("./console.ts"),
  }),
  verb({
    name: "state",
    summary: "where the state is, who holds the lease, and how much is kept",
    examples: [
      ["evenkeel state", "of the workspace of this folder"],
      ["evenkeel state --report json", "for scripts"],
    ],
    options: flags.state,
    load: () => import("./state.ts"),
  }),
  verb({
    name: "state copy",
    summary: "copy a state from one place to another",
    examples: [
      [
        "evenkeel state copy --from . --to postgres://evenkeel@db.example.com/evenkeel",
        "from this folder to a database",
      ],
      ["evenkeel state copy --from postgres://evenkeel@db.example.com/evenkeel --to backup", "and into a folder"],
    ],
    options: flags["state copy"],
    load: () => import("./state-copy.ts"),
  }),
  verb({
    name: "lock release",
    arguments: "<run>",
    summary: "take the lease away from a run that is gone",
    examples: [
      ["evenkeel lock release 20261121T072315Z-1f2e", "after asking"],
      ["evenkeel lock release 20261121T072315Z-1f2e --yes", "without asking"],
    ],
    options: flags["lock release"],
    load: () => import("./lock-release.ts"),
  }),
];
