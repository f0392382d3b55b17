import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { pipelines } from "../../src/commands/init.ts";
import { parseSeed } from "../../src/server/seed.ts";
import { read } from "../readme.ts";
import { serving } from "../server/serving.ts";
import { databases } from "../state/databases.ts";
import type { Database } from "../support/database.mjs";
import { folder } from "../support/folder.ts";
import { type Comment, commentForge } from "./forge.ts";
import { actionFaults, type Happening, runWorkflow, workflowFaults } from "./github.ts";
import { expandPipeline, jobsOf, runJob } from "./gitlab.ts";
import { policyRepository } from "./repository.ts";
import { installation, type Variables } from "./shell.ts";

const [available] = await databases();
const hook = "https://chat.example.com/hooks/CANARY-of-ci";
const readToken = "token-that-reads-CANARY";
const writeToken = "token-that-writes-CANARY";
const workflow = pipelines.github.text;

describe("the forges' own parsers and schemas", () => {
  test("take the pipelines", async () => {
    expect(await workflowFaults(workflow)).toEqual([]);
    expect(await workflowFaults(read("examples/ci/github-release.yml"))).toEqual([]);
    expect(actionFaults(read("action.yml"))).toEqual([]);
    for (const [, name] of pipelines.gitlab.text.matchAll(/evenkeel\/(\w+)@/g))
      expect(read(`templates/${name}.yml`)).toMatch(/^spec:\n {2}inputs:/);
  });

  test("find what is wrong", async () => {
    const files = policyRepository();
    expect(await workflowFaults(workflow.replace("runs-on", "run-on"))).not.toEqual([]);
    expect(await workflowFaults(workflow.replace("steps.plan", "stips.plan"))).not.toEqual([]);
    expect(actionFaults(read("action.yml").replace("composite", "compost"))).not.toEqual([]);
    files.write("templates/drift.yml", files.read("templates/drift.yml").replace("rules:", "rulez:"));
    expect(await jobsOf(files.root, ".gitlab-ci.yml", {})).toContain("rulez");
    files.write(".gitlab-ci.yml", files.read(".gitlab-ci.yml").replace("stage: test", "stages: test"));
    expect(await jobsOf(files.root, ".gitlab-ci.yml", {})).toEqual(expect.any(String));
  });

  test("start these jobs on GitLab", async () => {
    const { root } = policyRepository();
    const main = { CI_COMMIT_BRANCH: "main", CI_DEFAULT_BRANCH: "main", EVENKEEL_READ_TOKEN: "t" };
    const proposed = { CI_COMMIT_BRANCH: "", CI_DEFAULT_BRANCH: "main", CI_PIPELINE_SOURCE: "merge_request_event" };
    const started = (variables: Variables) => jobsOf(root, ".gitlab-ci.yml", variables);
    const jobs = await Promise.all([
      started(proposed),
      started({ ...proposed, EVENKEEL_READ_TOKEN: "t" }),
      started({ ...main, CI_PIPELINE_SOURCE: "push" }),
      started({ ...main, CI_PIPELINE_SOURCE: "schedule" }),
      started({ ...main, CI_COMMIT_BRANCH: "x", CI_PIPELINE_SOURCE: "push" }),
    ]);
    expect(jobs).toEqual([
      ["evenkeel-check"],
      ["evenkeel-check", "evenkeel-propose"],
      ["evenkeel-check", "evenkeel-plan", "evenkeel-apply"],
      ["evenkeel-drift"],
      [],
    ]);
  });
});

test("the guide explains every variable that the pipelines read", () => {
  const texts = ["plan", "apply", "drift"].map((name) => read(`templates/${name}.yml`));
  const names = [...texts, workflow].flatMap((text) => [
    ...text.matchAll(/(?:secrets|vars)\.(\w+)|\$\{?((?:EVENKEEL_(?!PLAN)|ALLOW_)\w+)/g),
  ]);
  const guide = read("examples/ci/README.md");
  const missing = names.map(([, one, other]) => one ?? other ?? "").filter((name) => !guide.includes(`\`${name}\``));
  expect([...new Set(missing)]).toEqual(["NAME"]);
});

test("only the jobs that apply have the token that writes; merge requests have no state", async () => {
  const { jobs } = parse(workflow);
  const { root } = policyRepository();
  const gitlab = parse(await expandPipeline(root, ".gitlab-ci.yml"));
  const all = Object.entries({ ...jobs, ...gitlab });
  const holding = (word: string) => all.filter(([, job]) => JSON.stringify(job).includes(word)).map(([name]) => name);
  expect(holding("WRITE_TOKEN")).toEqual(["apply", "evenkeel-apply"]);
  expect(holding("EVENKEEL_STATE")).toEqual(["plan", "apply", "drift", "evenkeel-plan", "evenkeel-apply"]);
});

describe.each([
  ["without a state", false],
  ["with a state (needs postgresql)", true],
])("on clean runners, %s", (_, isShared) => {
  const isSkipped = isShared && !available;
  let database: Database | undefined;
  const bin = installation;

  beforeAll(async () => {
    if (isShared) database = await available?.started();
  });

  /** A server with the quickstart's projects, a forge with somebody else's look-alike comment, and a repository. */
  async function scene(me: string) {
    const parsed = parseSeed(read("examples/quickstart/seed.yaml"));
    if ("problems" in parsed) throw new Error("the seed of the quickstart is not valid");
    const tokens = [
      { token: readToken, role: "maintainer", scopes: ["read_api"] },
      { token: writeToken, role: "maintainer", scopes: ["api"] },
    ] as const;
    const { server, ask } = await serving({ seed: { ...parsed.seed, tokens }, token: "administrator" });
    const talk = Array.from({ length: 130 }, (_, id) => ({ id, by: "grace", body: `talk ${id}` }));
    const hostile: Comment = { id: 777, by: "mallory", body: "<!-- evenkeel:plan -->\nAll is well, merge me." };
    const forge = await commentForge({ "token-that-comments": me }, [hostile, ...talk]);
    const repository = policyRepository(`policies-of-${me.length}`);
    const changedByHand = () =>
      ask("POST", "/projects/1/managed_licenses", {
        token: "administrator",
        form: { name: "Beerware", approval_status: "allowed" },
      });
    return { server, forge, state: database?.url() ?? "", repository, hostile, changedByHand };
  }

  /** Our comment, which is the only one that changed. */
  function ours(comments: readonly Comment[], hostile: Comment): Comment | undefined {
    expect(hostile.body).toBe("<!-- evenkeel:plan -->\nAll is well, merge me.");
    const [comment, ...more] = comments.filter(({ id }) => id >= 1000);
    expect(more).toEqual([]);
    return comment;
  }

  test.skipIf(isSkipped)("GitHub: a pull request, a fork, the merge, a waiver, the night", async () => {
    const { server, forge, state, repository, hostile, changedByHand } = await scene("github-actions[bot]");
    const approving = '"${{ inputs.options }}", approvals: "${{ vars.RULES }}", signers: "${{ vars.SIGNERS }}" }';
    const text = workflow
      .replace('"${{ inputs.options }}" }', approving)
      .replace("# One line", "PAYMENTS_HOOK: ${{ secrets.PAYMENTS_HOOK }}\n          # One line");
    const secrets = { EVENKEEL_READ_TOKEN: readToken };
    const plans = { ...secrets, EVENKEEL_STATE: state };
    const production = { ...plans, EVENKEEL_WRITE_TOKEN: writeToken, PAYMENTS_HOOK: hook };
    const common = { repository: "acme/policies", token: "token-that-comments" };
    let run = 7000;
    const variables = () => ({
      GITHUB_ACTIONS: "true",
      GITHUB_API_URL: forge.url,
      GITHUB_GRAPHQL_URL: `${forge.url}/graphql`,
      GITHUB_REPOSITORY: common.repository,
      GITHUB_RUN_ID: String(++run),
    });
    const happens = (github: object, more: Partial<Happening> = {}) =>
      runWorkflow(text, {
        github: { ...common, ...github },
        vars: { EVENKEEL_URL: server.url },
        secrets,
        environments: { plans, production },
        variables: variables(),
        checkout: () => repository.checkout("main", 1),
        bin: bin(),
        ...more,
      });
    const pull = (repository: string) => ({
      event_name: "pull_request",
      event: { pull_request: { number: 3, head: { repo: { full_name: repository } } } },
    });
    const merged = { checkout: () => repository.checkout("merged", 2) };

    const proposed = await happens(pull("acme/policies"), merged);
    expect(Object.keys(proposed)).toEqual(["check", "propose"]);
    expect(proposed.check).toMatchObject({ exit: 0, lacking: [] });
    expect(proposed.propose).toMatchObject({ exit: 3, lacking: [] });
    expect(ours(forge.comments, hostile)?.body).toMatch(/^<!-- evenkeel:plan -->\n<!-- evenkeel:run 7001 -->\n/);

    server.requests.reset();
    const forked = await happens(pull("mallory/policies"), { ...merged, secrets: {}, environments: {} });
    expect(Object.entries(forked).map(([name, { exit }]) => [name, exit])).toEqual([["check", 0]]);
    expect([server.requests.writes, server.requests.count("GET")]).toEqual([0, 0]);

    const refused = await happens({ event_name: "push" });
    expect(refused.plan).toMatchObject({ exit: 0, lacking: [], outputs: { pending: "true" } });
    expect(refused.apply).toMatchObject({ exit: 3 });
    expect(server.requests.writes).toBe(0);

    const inputs = { options: "--allow-deletes 2" };
    const dispatched = { event_name: "workflow_dispatch" };
    const vars = {
      EVENKEEL_URL: server.url,
      RULES: "signers: allowed_signers\nrules:\n  - { when: removals, count: 1 }",
      SIGNERS: "ann@example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBPNJVuyKSBoqNSOFN+Tp/zCvVVhjaNIGXFqqjZCnAhc",
    };
    const unsigned = await happens(dispatched, { inputs, vars });
    expect(unsigned.apply?.exit).toBe(3);
    expect(unsigned.apply?.ran.at(-1)?.output).toContain("needs 1 approval");
    expect(server.requests.writes).toBe(0);
    const applied = await happens(dispatched, { inputs });
    expect(applied.apply?.exit).toBe(0);
    expect(applied.apply?.ran[0]?.output).not.toContain(hook);
    expect(server.requests.writes).toBe(14);

    expect(Object.keys(await happens({ event_name: "push" }))).toEqual(["check", "plan"]);
    const resolved = await happens(pull("acme/policies"), merged);
    expect(resolved.propose).toMatchObject({ exit: 0, lacking: [] });
    expect(ours(forge.comments, hostile)?.body).toContain("<!-- evenkeel:run 7007 -->");
    expect(forge.asked.filter((line) => line.startsWith("PATCH"))).toHaveLength(1);

    expect((await happens({ event_name: "schedule" })).drift).toMatchObject({ exit: 0, lacking: [] });
    await changedByHand();
    expect((await happens({ event_name: "schedule" })).drift).toMatchObject({ exit: 2, lacking: [] });
    expect(JSON.stringify([proposed, refused, applied, resolved, forge.comments])).not.toContain("CANARY");
  });

  test.skipIf(isSkipped)("GitLab: a merge request, a fork, the merge, a waiver, the night", async () => {
    const { server, forge, state, repository, hostile, changedByHand } = await scene("project_7_bot");
    const file = await expandPipeline(repository.root, ".gitlab-ci.yml");
    const open = { EVENKEEL_URL: server.url };
    const branch = { ...open, EVENKEEL_READ_TOKEN: readToken, COMMENT_TOKEN: "token-that-comments" };
    const safe = { ...branch, EVENKEEL_WRITE_TOKEN: writeToken, EVENKEEL_STATE: state, PAYMENTS_HOOK: hook };
    const request = {
      CI_API_V4_URL: forge.url,
      CI_DEFAULT_BRANCH: "main",
      CI_MERGE_REQUEST_DIFF_BASE_SHA: repository.base,
      CI_MERGE_REQUEST_IID: "3",
      CI_PROJECT_ID: "7",
    };
    const installed = bin();
    let pipeline = 500;
    const propose = (name: string, variables: Variables) => {
      const given = { ...request, ...variables, CI_PIPELINE_ID: String(++pipeline), CI_COMMIT_SHA: repository.head };
      return runJob(file, name, { folder: repository.checkout("head"), variables: given, bin: installed });
    };
    /** A job of the default branch, with the artifacts of another one. */
    const merge = (name: string, more: Variables = {}, from?: string) => {
      const given = { ...safe, ...more, CI_COMMIT_BRANCH: "main", CI_COMMIT_SHA: repository.base };
      const at = repository.checkout("main", 1);
      if (from !== undefined) cpSync(join(from, "plan.json"), join(at, "plan.json"));
      return runJob(file, name, { folder: at, variables: given, bin: installed });
    };

    server.requests.reset();
    expect(await propose("evenkeel-check", open)).toMatchObject({ exit: 0, lacking: [] });
    expect(server.requests.count("GET")).toBe(0);

    const proposed = await propose("evenkeel-propose", branch);
    expect(proposed).toMatchObject({ exit: 3, lacking: [] });
    expect(proposed.ran.map(({ exit }) => exit)).toEqual([3, 0]);
    expect(ours(forge.comments, hostile)?.body).toContain("<!-- evenkeel:run 502 -->");

    const saved = await merge("evenkeel-plan");
    expect(saved).toMatchObject({ exit: 0, lacking: [] });
    expect(saved.handed).toMatchObject({ EVENKEEL_PLAN_PENDING: "true", EVENKEEL_PLAN_CREATE: "10" });
    const apply = (more: Variables = {}) => merge("evenkeel-apply", { ...saved.handed, ...more }, saved.folder);
    expect((await apply()).exit).toBe(3);
    const waived = { ALLOW_DELETES: "2", ...(isShared && approvals()) };
    if (isShared) {
      const unsigned = await apply(waived);
      expect(unsigned.exit).toBe(3);
      expect(unsigned.ran[0]?.output).toContain("needs 1 approval");
      const desk = { folder: repository.checkout("main"), variables: { EVENKEEL_STATE: state }, bin: installed };
      const command = `evenkeel approve --plan ${saved.handed.EVENKEEL_PLAN_RUN} --key ${waived.KEY}`;
      expect(await runJob(`approve:\n  script: [${command}]\n`, "approve", desk)).toMatchObject({ exit: 0 });
    }
    expect(server.requests.writes).toBe(0);
    const applied = await apply(waived);
    // A shared state keeps the journal.
    expect(applied).toMatchObject({ exit: 0, lacking: isShared ? ["./.evenkeel/journal/"] : [] });
    expect(server.requests.writes).toBe(14);

    const after = await merge("evenkeel-plan");
    expect(after.handed).toMatchObject({ EVENKEEL_PLAN_PENDING: "false" });
    expect(await merge("evenkeel-apply", after.handed, after.folder)).toMatchObject({ exit: 0 });
    expect(await propose("evenkeel-propose", branch)).toMatchObject({ exit: 0, lacking: [] });
    expect(forge.asked.filter((line) => line.startsWith("PUT"))).toHaveLength(1);

    expect((await merge("evenkeel-drift")).exit).toBe(0);
    await changedByHand();
    expect(await merge("evenkeel-drift")).toMatchObject({ exit: 2, lacking: [] });
    expect(JSON.stringify([proposed, saved, applied, forge.comments])).not.toContain("CANARY");
  });
});

/** Variables of type File, which are in one folder, and the key of the only person who may approve. */
function approvals() {
  const {
    root: files,
    write,
    read: text,
  } = folder({
    EVENKEEL_APPROVALS: "signers: EVENKEEL_ALLOWED_SIGNERS\nrules:\n  - { when: removals, count: 1 }\n",
  });
  const KEY = join(files, "ann");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", KEY]);
  write("EVENKEEL_ALLOWED_SIGNERS", `ann@example.com ${text("ann.pub")}`);
  return { KEY, EVENKEEL_APPROVALS: join(files, "EVENKEEL_APPROVALS") };
}
