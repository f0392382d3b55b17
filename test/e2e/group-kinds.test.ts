import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Setting, scene, told } from "./workspace.ts";

const observed = { dialect: "gitlab", release: "17.9", behaviour: "observed", tier: "ultimate" } as const;
const site = { dialect: "gitlab", release: "17.9", tier: "ultimate" };
const seed: NonNullable<Setting["seed"]> = {
  projects: [{ id: 1, path: "payments/services/ledger" }],
  groups: [
    {
      id: 1,
      path: "payments",
      resources: {
        labels: [
          { name: "bug", color: "#cc0000" },
          { name: "old", color: "#cccccc" },
        ],
      },
    },
  ],
};

describe("kinds of groups", () => {
  test("are planned, applied, and then in sync", async () => {
    const policies = {
      groups: {
        groups: ["payments/**"],
        variables: { DEPLOY: { value: { secret: "env:DEPLOY" }, masked: true } },
        webhooks: { "https://hooks.example.com/ci": { push_events: true, token: { secret: "env:HOOK" } } },
        badges: { pipeline: { link_url: "https://ci.example.com", image_url: "https://ci.example.com/b.svg" } },
      },
      // A group below payments cannot have the labels of payments.
      top: {
        groups: ["payments"],
        settings: { description: "Payments of ${group.name}" },
        labels: { bug: { color: "#00cc00" }, idea: { color: "#0000cc", description: "for ${group.path}" } },
        exclusive: ["labels"],
      },
      projects: { projects: ["payments/**"], labels: { own: { color: "#00cc00" } } },
    };
    const secrets = { DEPLOY: "deploy-secret-1", HOOK: "hook-secret-2" };
    const workspace = { ledger: ".evenkeel/ledger.ndjson" };
    const { evenkeel, root } = await scene({ ...observed, site, seed, policies, secrets, workspace });
    const planned = await evenkeel("plan", "--report", "json");
    expect([planned.stderr, planned.plan().problems]).toEqual(["", []]);
    expect(
      told(planned.plan())
        .filter((line) => line.includes("payments/:"))
        .map((line) => line.replace(/\/$/, "")),
    ).toEqual([
      "create payments/:badge/pipeline",
      "update payments/:label/bug",
      "create payments/:label/idea",
      "delete payments/:label/old",
      "update payments/:settings",
      "create payments/:variable/DEPLOY",
      "create payments/:webhook/https://hooks.example.com/ci",
    ]);
    expect(planned.plan().resource_changes.map(({ kind }) => kind)).not.toContain(expect.stringContaining("group:"));
    const applied = await evenkeel("apply", "--yes", "--allow-deletes", "1");
    expect([applied.code, applied.stderr]).toEqual([0, ""]);
    const again = await evenkeel("plan", "--report", "json");
    expect(told(again.plan())).toEqual([]);
    const kept = readdirSync(join(root, ".evenkeel"), { recursive: true, encoding: "utf8", withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => readFileSync(join(each.parentPath, each.name), "utf8"));
    const all = [planned, applied, again].flatMap(({ stdout, stderr }) => [stdout, stderr]);
    expect([...all, ...kept].join("")).not.toMatch(/-secret-|group:/);
  });

  test("are counted as groups in words", async () => {
    const policies = {
      groups: {
        groups: ["payments", "web"],
        badges: { ci: { link_url: "https://a.test", image_url: "https://b.test" } },
      },
    };
    const groups = [{ path: "payments" }, { path: "web" }];
    const { evenkeel } = await scene({ ...observed, site, seed: { groups }, policies });
    const planned = await evenkeel("plan");
    expect(planned.stdout).toContain("+ 2 groups: badge/ci created");
    expect((await evenkeel("unmanaged")).stdout).toContain("Nothing unmanaged in 2 groups.");
    await evenkeel("apply", "--yes");
    expect((await evenkeel("plan")).stdout).toContain("No changes: 2 groups in sync.");
  });
});
