import { describe, expect, test } from "vitest";
import { stage } from "../support/stage.ts";
import { outcomes } from "./runs.ts";

const hook = { "https://hooks.example.com": {} };
const projects = [
  { path: "g/a", topics: ["critical"], last_activity_at: "2026-11-01T00:00:00Z" },
  { path: "g/b", default_branch: "trunk", resources: { settings: { visibility: "public" } } },
];

describe("where of a policy", () => {
  test.each([
    ['"critical" in project.topics', ["g/a"]],
    ['project.topics.exists(t, t == "critical") || project.default_branch == "trunk"', ["g/a", "g/b"]],
    ['project.visibility == "public"', ["g/b"]],
    ['project.last_activity_at < "2026-11-02"', ["g/a"]],
    ['project.namespace.full_path == "g" && project.path == "b" && project.path_with_namespace == "g/b"', ["g/b"]],
    ["project.id == 2", ["g/b"]],
    ["project.namespace.parent_id != null", []],
  ])("%s selects %j", async (where, selected) => {
    const { plan } = await stage({ projects, policy: { projects: ["g/*"], where, webhooks: hook } });
    const planned = (await plan()).plan;
    expect(planned.problems).toEqual([]);
    expect(planned.resource_changes.map(({ project }) => project)).toEqual(selected);
    const idle = planned.warnings.map(({ message }) => message);
    expect(idle).toEqual(selected.length > 0 ? [] : ["where holds for none of 2 projects"]);
  });

  test("looks up projects that are named by path or ID", async () => {
    const policy = { projects: ["g/a", 2], where: '"critical" in project.topics', webhooks: hook };
    const { plan, evenkeel } = await stage({ projects, policy });
    expect((await plan()).plan.resource_changes.map(({ project }) => project)).toEqual(["g/a"]);
    expect((await evenkeel("show", "g/b")).stderr).toContain("no policy selects g/b");
  });

  test("knows groups", async () => {
    const policy = { groups: ["**"], where: 'group.path == "g"', labels: { bug: { color: "#cc0000" } } };
    const { plan } = await stage({ projects: [...projects, { path: "h/c" }], policy });
    expect((await plan()).plan.resource_changes.map(({ project }) => project)).toEqual(["g/"]);
  });

  test("is a problem where it cannot be evaluated for a project", async () => {
    const policy = { projects: ["g/*"], where: "project.topics[0] == 'critical'", webhooks: hook };
    const { plan } = await stage({ projects, policy });
    const [problem, ...others] = (await plan()).plan.problems;
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ rule: "where", file: "all.yaml", line: 5 });
    expect(problem?.message).toMatch(
      /^where cannot be evaluated for g\/b: .*; a field that the server does not set is null$/,
    );
  });

  test.each([
    [
      "selects the project no more",
      { all: { projects: ["g/*"], where: "'critical' in project.topics", webhooks: hook } },
    ],
    [
      "leaves the project to another policy",
      {
        all: { projects: ["g/*"], where: "'critical' in project.topics", webhooks: hook },
        base: { projects: ["g/*"], labels: { bug: { color: "#cc0000" } } },
      },
    ],
  ])("makes only the project stale that it %s after the plan", async (_, policies) => {
    const critical = projects.map((each) => ({ ...each, topics: ["critical"] }));
    const { apply, evenkeel, ask, root } = await stage({ projects: critical, policies });
    await evenkeel("plan", "--out", "plan.json");
    await ask("PUT", "/projects/g%2Fb", { json: { topics: [] } });
    const applied = outcomes(await apply({ saved: `${root}/plan.json` }));
    expect(applied.filter((line) => line.startsWith("applied")).every((line) => line.includes("g/a:"))).toBe(true);
    expect(applied.filter((line) => line.startsWith("stale")).every((line) => line.includes("g/b:"))).toBe(true);
    expect(applied).toHaveLength(Object.keys(policies).length * 2);
  });
});
