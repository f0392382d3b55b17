import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ResourceKind } from "../../src/model/resource-kind.ts";
import { readYaml } from "../kinds/kinds.ts";
import { outcomes, type Setting, scene } from "./workspace.ts";

const gates = readYaml(join(import.meta.dirname, "../laws/own/gates.yaml")) as ResourceKind;
const site = { dialect: "gitlab", release: "19.9", tier: "ultimate" };
const label = (color: string) => ({ color });

/** A kind of the workspace and a bundled one, of projects and of a group. */
const policies = {
  projects: {
    projects: ["pay/*"],
    gates: { door: { level: "maintainer", mode: "closed" } },
    labels: { bug: label("#ff0000") },
  },
  groups: { groups: ["pay"], gates: { door: { level: "developer" } }, labels: { idea: label("#0000ff") } },
};
const seed = { projects: [{ path: "pay/api" }, { path: "pay/web" }, { path: "ops/policies", deployments: [] }] };

async function made(setting: Setting = {}) {
  const stage = await scene({
    ...{ release: "19.9", tier: "ultimate", behaviour: "observed", kinds: [gates], seed, site, policies },
    ...setting,
  });
  stage.write("gates.yaml", JSON.stringify(gates));
  return stage;
}

const ruleHead = { apiVersion: "evenkeel/v1", kind: "Rule" };

const everything = [
  "create pay/:gate/door",
  "create pay/:label/idea",
  "create pay/api:gate/door",
  "create pay/api:label/bug",
  "create pay/web:gate/door",
  "create pay/web:label/bug",
];

function git(root: string, ...args: string[]): string {
  const as = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
  return execFileSync("git", [...as, ...args], { cwd: root, encoding: "utf8" });
}

function commit(root: string): void {
  git(root, "init", "-q");
  git(root, "add", ".");
  git(root, "commit", "-q", "-m", "first");
}

test("rules see the fields of every kind, of groups too", async () => {
  const { evenkeel, write } = await made();
  const rules = [
    ["weak", 'change.kind == "gate" && change.after.?level.orValue("") == "developer"', "only maintainers open gates"],
    ["grouped", 'change.kind == "label" && change.project.endsWith("/")', "groups have no labels"],
    ["many", 'plan.changes.filter(c, c.kind == "gate").size() > 2', "too many gates", "plan"],
  ].map(([name, when, message, on = "change"]) => ({ ...ruleHead, name, on, when, message }));
  write("rules.yaml", rules.map((rule) => JSON.stringify(rule)).join("\n---\n"));
  const planned = await evenkeel("plan", "--report", "json");
  expect(planned.plan().objections.map(({ message }) => message)).toEqual([
    "rule grouped: groups have no labels (rules.yaml:3): pay/:label/idea",
    "rule many: too many gates (rules.yaml:5)",
    "rule weak: only maintainers open gates (rules.yaml:1): pay/:gate/door",
  ]);
});

test("waves, a deployment, blame and history name what they did", async () => {
  const { evenkeel, root, ask } = await made({ workspace: { ledger: "state" } });
  commit(root);
  const record = "--record-deployment production --deployment-project ops/policies --sha 1f2e --ref main".split(" ");
  const applied = await evenkeel("apply", "--yes", "--waves", "1,100%", "--report", "json", ...record);
  expect([applied.code, outcomes(applied.plan())]).toEqual([
    0,
    everything.map((each) => each.replace("create", "applied")),
  ]);
  expect(applied.plan().summary.waves).toMatchObject([{ projects: 1 }, { projects: 2 }]);
  expect((await ask("GET", "/projects/ops%2Fpolicies/deployments")).json).toMatchObject([{ status: "success" }]);
  expect((await evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
  for (const [address, place] of [
    ["pay/:gate/door", "groups.yaml:5:"],
    ["pay/api:gate/door", "projects.yaml:5:"],
  ] as const) {
    const { stdout } = await evenkeel("blame", address);
    expect(stdout).toMatch(new RegExp(`${place}\\d+ +level .*applied by run`, "s"));
  }
  expect((await evenkeel("runs", "--project", "pay/")).stdout).toMatch(/apply/);
});

describe("--since", () => {
  test("and diff know a kind that is gone by now, with what was declared of it", async () => {
    const { evenkeel, policy, root } = await made();
    commit(root);
    rmSync(join(root, "gates.yaml"));
    for (const [name, { gates: _, ...rest }] of Object.entries(policies)) policy(rest, name);
    const compared = await evenkeel("diff", "HEAD");
    expect(compared).toMatchObject({ code: 0, stderr: "" });
    expect(compared.stdout).toContain("gate/door");
    expect(await evenkeel("plan", "--since", "HEAD")).toMatchObject({ code: 0 });
  });
});
