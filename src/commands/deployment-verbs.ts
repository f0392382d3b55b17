import { connected } from "./flags.ts";
import type { Verb } from "./verbs.ts";

/** `evenkeel deployments …` (contract 8). Values are checked by the endpoint table, not here. */
export const deploymentVerbs: readonly Verb[] = [
  {
    name: "deployments list",
    arguments: "<project>",
    summary: "the deployments of a project",
    examples: [
      ["evenkeel deployments list payments/api --status failed", "what went wrong"],
      ["evenkeel deployments list 42 --updated-after 2021-11-01 --report json", "since then, for scripts"],
    ],
    options: [
      ...connected,
      { flags: "--order-by <field>", description: "id, iid, created_at, updated_at or ref" },
      { flags: "--sort <direction>", description: "asc or desc" },
      { flags: "--updated-after <time>", description: "ISO 8601, such as 2021-11-21T07:30:00Z" },
      { flags: "--updated-before <time>", description: "ISO 8601" },
      { flags: "--environment <name>", description: "deployments to this environment" },
      { flags: "--status <status>", description: "created, running, success, failed or canceled" },
    ],
    load: async () => (await import("./deployments/list.ts")).run,
  },
  {
    name: "deployments show",
    arguments: "<project> <id>",
    summary: "one deployment, with its job, commit and pipeline",
    examples: [
      ["evenkeel deployments show payments/api 7", "by the ID that the list shows"],
      ["evenkeel deployments show payments/api 7 --report json", "for scripts"],
    ],
    options: connected,
    load: async () => (await import("./deployments/show.ts")).run,
  },
  {
    name: "deployments merge-requests",
    arguments: "<project> <id>",
    summary: "the merge requests that a deployment shipped",
    examples: [
      ["evenkeel deployments merge-requests ops/policies 7", "which policy changes went out"],
      ["evenkeel deployments merge-requests ops/policies 7 --report json", "for scripts"],
    ],
    options: connected,
    load: async () => (await import("./deployments/merge-requests.ts")).run,
  },
  {
    name: "deployments create",
    arguments: "<project>",
    summary: "record a deployment",
    examples: [
      [
        "evenkeel deployments create payments/api --environment production --sha 1f2e3d --ref main --no-tag --status running",
        "a branch is being deployed",
      ],
      [
        "evenkeel deployments create 42 --environment staging --sha 1f2e3d --ref v1.2.0 --tag --status success",
        "a tag has been",
      ],
    ],
    options: [
      ...connected,
      { flags: "--environment <name>", description: "where to" },
      { flags: "--sha <sha>", description: "the commit" },
      { flags: "--ref <ref>", description: "the branch or tag" },
      { flags: "--tag", description: "the ref is a tag" },
      { flags: "--no-tag", description: "the ref is a branch" },
      { flags: "--status <status>", description: "created, running, success, failed or canceled" },
    ],
    load: async () => (await import("./deployments/create.ts")).run,
  },
  {
    name: "deployments update",
    arguments: "<project> <id>",
    summary: "set the status of a deployment",
    examples: [
      ["evenkeel deployments update payments/api 7 --status success", "it is done"],
      ["evenkeel deployments update payments/api 7 --status failed", "it went wrong"],
    ],
    options: [
      ...connected,
      { flags: "--status <status>", description: "created, running, success, failed or canceled" },
    ],
    load: async () => (await import("./deployments/update.ts")).run,
  },
];
