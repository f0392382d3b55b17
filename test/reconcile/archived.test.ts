import { describe, expect, test } from "vitest";
import { stage } from "../support/stage.ts";
import { outcomes } from "./runs.ts";

const projects = [
  { path: "g/a" },
  { path: "g/old", archived: true },
  { path: "g/leaving", marked_for_deletion_on: "2026-11-20" },
];
const policy = { projects: ["g/*"], webhooks: { "https://hooks.example.com": {} } };

describe("archived projects", () => {
  test("are left alone and counted where the list of projects is read", async () => {
    const { evenkeel } = await stage({ projects, policy });
    const planned = await evenkeel("plan", "--report", "json");
    expect(planned.plan().summary).toMatchObject({ projects: 1, archived: 2, create: 1 });
    const applied = await evenkeel("apply", "--yes");
    expect(applied).toMatchObject({ code: 0, writes: 1 });
    expect((await evenkeel("drift")).stdout).toContain("2 archived projects skipped.");
    const targeted = await evenkeel("plan", "--target", "g/old");
    expect(targeted).toMatchObject({ code: 1 });
    expect(targeted.stderr).toContain("archived projects are skipped");
    expect((await evenkeel("show", "g/old")).stderr).toContain("it is archived");
  });

  test.each([
    ["a policy", { ...policy, archived: "include" }, {}],
    ["a workspace", policy, { archived: "include" }],
  ])("are selected by %s that includes them, and their refusals say why", async (_, including, workspace) => {
    const { plan, apply } = await stage({ projects, policy: including, workspace });
    const planned = (await plan()).plan.summary;
    expect(planned).toMatchObject({ projects: 3, create: 3 });
    expect(planned).not.toHaveProperty("archived");
    const { outcomes: ended } = await apply();
    expect(ended?.get("g/old:webhook/https://hooks.example.com")).toMatchObject({ status: "failed" });
    expect(ended?.get("g/leaving:webhook/https://hooks.example.com")).toMatchObject({ status: "applied" });
  });

  test("are noticed by the first refused write where no list is read, which is no failure", async () => {
    const named = { ...policy, projects: ["g/a", "g/old"], labels: { bug: { color: "#cc0000" } } };
    const { evenkeel } = await stage({ projects, policy: named });
    const applied = await evenkeel("apply", "--yes", "--report", "json");
    expect(applied).toMatchObject({ code: 0, writes: 3 });
    const skipped = applied.plan().resource_changes.filter(({ outcome }) => outcome?.status === "skipped");
    expect(skipped.map(({ project, outcome }) => [project, outcome?.error])).toEqual([
      ["g/old", "the project is archived"],
      ["g/old", "the project is archived"],
    ]);
  });

  test("are noticed by a refused read, too", async () => {
    const variables = { ...policy, projects: ["g/a", "g/old"], variables: { KEY: { value: { secret: "env:KEY" } } } };
    const { evenkeelWith } = await stage({ projects, policy: variables });
    const planned = await evenkeelWith({ KEY: "value" }, "plan", "--report", "json");
    expect(planned).toMatchObject({ code: 0 });
    expect(planned.plan().summary).toMatchObject({ archived: 1, create: 2 });
  });

  test("make the changes of a saved plan stale, and no others", async () => {
    const { evenkeel, apply, ask, root } = await stage({ projects: [{ path: "g/a" }, { path: "g/b" }], policy });
    await evenkeel("plan", "--out", "plan.json");
    await ask("POST", "/projects/g%2Fb/archive");
    const applied = await apply({ saved: `${root}/plan.json` });
    expect(outcomes(applied)).toEqual([
      "applied g/a:webhook/https://hooks.example.com",
      "stale g/b:webhook/https://hooks.example.com",
    ]);
    expect(applied.outcomes?.get("g/b:webhook/https://hooks.example.com")?.error).toBe(
      "g/b is archived now; plan again",
    );
  });

  test("are left out of import --all", async () => {
    const { evenkeel, files } = await stage({
      projects: projects.map((each) => ({ ...each, licenses: { MIT: "allowed" } })),
    });
    const imported = await evenkeel("import", "--all");
    expect(imported.stdout).toContain("2 archived projects skipped.");
    expect(Object.keys(files()).filter((name) => name.startsWith("policies/"))).toEqual(["policies/g/a.yaml"]);
  });
});
