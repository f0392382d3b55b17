import { flags } from "./flags.ts";
import { type Verb, verb } from "./verb.ts";

/** `evenkeel deployments …` (docs/deployments.md). Values are checked by the endpoint table, not here. */
export const deploymentVerbs: readonly Verb[] = [
  verb({
    name: "deployments list",
    arguments: "<project>",
    summary: "the deployments of a project",
    examples: [
      ["evenkeel deployments list payments/api --status failed", "only the failed ones"],
      ["evenkeel deployments list 42 --updated-after 2021-11-01 --report json", "from that day on, for scripts"],
    ],
    options: flags["deployments list"],
    load: () => import("./deployments/list.ts"),
  }),
  verb({
    name: "deployments show",
    arguments: "<project> <id>",
    summary: "one deployment, with its job, commit and pipeline",
    examples: [
      ["evenkeel deployments show payments/api 7", "by the ID that the list shows"],
      ["evenkeel deployments show payments/api 7 --report json", "for scripts"],
    ],
    options: flags["deployments show"],
    load: () => import("./deployments/show.ts"),
  }),
  verb({
    name: "deployments merge-requests",
    arguments: "<project> <id>",
    summary: "the merge requests that a deployment shipped",
    examples: [
      ["evenkeel deployments merge-requests ops/policies 7", "which policy changes went out"],
      ["evenkeel deployments merge-requests ops/policies 7 --report json", "for scripts"],
    ],
    options: flags["deployments merge-requests"],
    load: () => import("./deployments/merge-requests.ts"),
  }),
  verb({
    name: "deployments create",
    arguments: "<project>",
    summary: "record a deployment",
    examples: [
      [
        "evenkeel deployments create payments/api --environment production --sha 1f2e3d --ref main --no-tag --status running",
        "a branch, still running",
      ],
      [
        "evenkeel deployments create 42 --environment staging --sha 1f2e3d --ref v1.2.0 --tag --status success",
        "a tag, done",
      ],
    ],
    options: flags["deployments create"],
    load: () => import("./deployments/create.ts"),
  }),
  verb({
    name: "deployments update",
    arguments: "<project> <id>",
    summary: "set the status of a deployment",
    examples: [
      ["evenkeel deployments update payments/api 7 --status success", "it is done"],
      ["evenkeel deployments update payments/api 7 --status failed", "it went wrong"],
    ],
    options: flags["deployments update"],
    load: () => import("./deployments/update.ts"),
  }),
  verb({
    name: "deployments delete",
    arguments: "<project> <id>",
    summary: "delete the record of a deployment, after asking; from release 15.3 on",
    examples: [
      ["evenkeel deployments delete payments/api 7", "shows it, and asks"],
      ["evenkeel deployments delete payments/api 7 --yes", "without asking"],
    ],
    options: flags["deployments delete"],
    load: () => import("./deployments/delete.ts"),
  }),
];
