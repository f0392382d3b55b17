import { deploymentVerbs } from "./deployment-verbs.ts";
import { deprecationVerbs } from "./deprecation-verbs.ts";
import { editingVerbs } from "./editing-verbs.ts";
import { exportVerbs } from "./export-verbs.ts";
import { flags } from "./flags.ts";
import { fleetVerbs } from "./fleet-verbs.ts";
import { revisionVerbs } from "./revision-verbs.ts";
import { routesVerb } from "./routes-verb.ts";
import { stateVerbs } from "./state-verbs.ts";
import { type Verb, verb } from "./verb.ts";
import { watchVerb } from "./watch-verb.ts";

/** Every command of `evenkeel`, in the order in which help lists them. */
export const verbs: readonly Verb[] = [
  verb({
    name: "init",
    arguments: "[dir]",
    summary: "write a workspace that validates, with a commented example",
    examples: [
      ["evenkeel init", "in this folder"],
      ["evenkeel init policies-repo", "in a new one"],
      ["evenkeel init --url https://code.example.com --release 14.5 --tier ultimate", "without questions"],
    ],
    options: flags.init,
    load: () => import("./init.ts"),
  }),
  verb({
    name: "validate",
    summary: "check every manifest; offline, no token needed",
    examples: [
      ["evenkeel validate", "the workspace of this folder"],
      ["evenkeel validate -C policies-repo --report json", "for scripts"],
    ],
    options: flags.validate,
    load: () => import("./validate.ts"),
  }),
  verb({
    name: "plan",
    summary: "compare manifests with the server; sends only GET requests",
    examples: [
      ["evenkeel plan", "what apply would change"],
      ["evenkeel plan --target 'payments/*' --detailed-exitcode", "one team; exit 2 when changes are pending"],
      ["evenkeel plan --report json=plan.json", "text for people, and a file for scripts"],
      ["evenkeel plan --save", "keep the plan in the state, for apply --plan RUN"],
      ["evenkeel plan --report markdown=comment.md --report sarif=plan.sarif", "for a merge request"],
      ["evenkeel plan --resend 'payments/*:integration/*' --out plan.json", "rotated secrets, through review"],
    ],
    options: flags.plan,
    load: () => import("./plan.ts"),
  }),
  verb({
    name: "apply",
    arguments: "[plan]",
    summary: "plan, ask, and make the changes; or apply a saved plan",
    examples: [
      ["evenkeel apply", "show the plan, ask, apply"],
      ["evenkeel apply plan.json", "exactly what was planned and reviewed"],
      ["evenkeel apply --yes", "without asking, as in CI"],
      ["evenkeel apply --yes --lock-timeout 5m", "wait for another apply, five minutes at most"],
      ["evenkeel apply --yes --waves 1,5%,100%", "one project first, then a twentieth, then all"],
      ["evenkeel apply --dry-run", "every request that would be sent; sends none"],
      [
        "evenkeel apply --yes --record-deployment production --deployment-project ops/policies --sha 1f2e3d --ref main",
        "the same, as a deployment of the policies",
      ],
    ],
    options: flags.apply,
    load: () => import("./apply.ts"),
  }),
  verb({
    name: "drift",
    summary: "like plan --detailed-exitcode, for a schedule",
    examples: [
      ["evenkeel drift", "exit 0 in sync, 2 where live state differs"],
      ["evenkeel drift --quiet --report prometheus=/var/lib/node_exporter/evenkeel.prom", "nightly"],
    ],
    options: flags.drift,
    load: () => import("./drift.ts"),
  }),
  ...revisionVerbs,
  verb({
    name: "approve",
    arguments: "[plan]",
    summary: "sign a saved plan with your SSH key, for an apply that needs approvals",
    examples: [
      ["evenkeel approve plan.json", "adds your signature to plan.json.sig; sends nothing"],
      [
        "evenkeel approve plan.json --key ~/.ssh/id_ed25519",
        "with this key; a .pub if an agent holds the private half",
      ],
      ["evenkeel approve --plan 20261121T072315Z-1f2e", "a plan that plan --save kept in the state"],
    ],
    options: flags.approve,
    load: () => import("./approve.ts"),
  }),
  verb({
    name: "merge",
    arguments: "<plan...>",
    summary: "join the plans of shards into one",
    examples: [
      ["evenkeel merge shard-*.json --out plan.json", "one plan to review and apply"],
      ["evenkeel merge shard-*.json --report markdown=comment.md", "and one report"],
    ],
    options: flags.merge,
    load: () => import("./merge.ts"),
  }),
  verb({
    name: "show",
    arguments: "<project>",
    summary: "the effective desired state of one project, with the origin of each entry",
    examples: [
      ["evenkeel show payments/api", "after all layers are merged"],
      ["evenkeel show 42 --report json", "by ID, for scripts"],
    ],
    options: flags.show,
    load: () => import("./show.ts"),
  }),
  verb({
    name: "import",
    arguments: "[project...]",
    summary: "write policies from live state; secrets become references to set",
    examples: [
      ["evenkeel import payments/api", "one project, into policies/"],
      ["evenkeel import --group 'payments/**'", "a group"],
      ["evenkeel import --all --factor", "everything that the token can see; what projects share is said once"],
      ["evenkeel import --all --factor --secrets by-group", "one name for the hook that the projects of a group share"],
      ["evenkeel import --from gitlabform config.yml", "the integrations of a gitlabform configuration; offline"],
      ["evenkeel import --from terraform *.tf terraform.tfvars", "those of Terraform files, or of its state; offline"],
    ],
    options: flags.import,
    load: () => import("./import.ts"),
  }),
  ...exportVerbs,
  verb({
    name: "explain",
    arguments: "[slug]",
    summary: "the catalogue: integrations and their parameters",
    examples: [
      ["evenkeel explain", "all integrations"],
      ["evenkeel explain irc-gateway", "one, with an example to copy"],
      ["evenkeel explain irc-gateway.server_port", "one parameter"],
    ],
    options: flags.explain,
    load: () => import("./explain.ts"),
  }),
  verb({
    name: "journal",
    arguments: "[run]",
    summary: "what an apply did, request by request",
    examples: [
      ["evenkeel journal", "all runs of this workspace"],
      ["evenkeel journal 20261121T072315Z-1f2e", "one of them"],
    ],
    options: flags.journal,
    load: () => import("./journal.ts"),
  }),
  ...stateVerbs,
  ...fleetVerbs,
  watchVerb,
  ...deploymentVerbs,
  ...deprecationVerbs,
  routesVerb,
  ...editingVerbs,
  verb({
    name: "schema",
    arguments: "[dir]",
    summary: "write the JSON Schemas for editors",
    examples: [
      ["evenkeel schema .evenkeel/schemas", "where init puts them, and after each upgrade"],
      ["evenkeel schema", "in this folder"],
    ],
    options: flags.schema,
    load: () => import("./schema.ts"),
  }),
  verb({
    name: "storage status",
    arguments: "<storage>",
    summary: "count the repositories that are still on a storage",
    examples: [
      ["evenkeel storage status nfs-1", "projects; snippets and groups if the server lists their moves"],
      ["evenkeel storage status nfs-1 --report json", "for scripts"],
    ],
    options: flags["storage status"],
    load: () => import("./storage-status.ts"),
  }),
  verb({
    name: "whoami",
    summary: "who the token is, what each command needs of it, and what is missing",
    examples: [
      ["evenkeel whoami", "in a workspace also its role in a project that policies name; else EVENKEEL_URL is enough"],
      ["evenkeel whoami --project payments/api --report json", "its role in this project, for scripts"],
    ],
    options: flags.whoami,
    load: () => import("./whoami.ts"),
  }),
  verb({
    name: "serve",
    summary: "run an embedded server with the whole API, for trials and rehearsals",
    examples: [
      ["evenkeel serve --seed seed.yaml", "on a free port, in memory"],
      ["evenkeel serve --port 8080 --data server.db", "keeps its data over restarts"],
    ],
    options: flags.serve,
    load: () => import("./serve.ts"),
  }),
  verb({
    name: "__complete",
    arguments: "[word...]",
    summary: "for completion scripts: the words that can replace the last one",
    examples: [["evenkeel __complete -- explain irc-", "one candidate per line, then a tab and its meaning"]],
    options: flags.completion,
    load: async () => ({ run: (await import("./completion/completing.ts")).completing(verbs) }),
    hidden: true,
  }),
];
