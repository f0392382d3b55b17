import { expect, test } from "vitest";
import { outcomes, type Setting, scene, told } from "./workspace.ts";

const seed: NonNullable<Setting["seed"]> = {
  groups: [{ id: 1, path: "payments" }],
  projects: [
    { id: 1, path: "payments/web" },
    { id: 2, path: "payments/other" },
  ],
  tokens: [{ token: "develops", role: "developer" }],
};
const site = { dialect: "gitlab", release: "17.5" };
const policies = {
  groups: {
    groups: ["payments"],
    create: {
      projects: { api: { description: "The API", visibility: "internal", topics: ["a"] }, Web: {} },
      subgroups: { services: { description: "Below ${group.name}" } },
    },
  },
  top: { instance: true, create: { groups: { billing: {}, payments: { description: "Money" } } } },
  labels: { projects: ["payments/api"], labels: { bug: { color: "#ff0000" } } },
};
const setting = { ...site, site, seed, policies } as const;

test("what is missing is created, what differs is updated, and other policies apply from the next run on", async () => {
  const { evenkeel, ask } = await scene(setting);
  const planned = await evenkeel("plan", "--report", "json");
  expect(planned.code).toBe(0);
  expect(planned.stderr).toContain("project payments/api does not exist yet: this plan creates it");
  expect(told(planned.plan())).toEqual([
    "create instance:group/billing",
    "update instance:group/payments",
    "create payments/:project/api",
    "create payments/:subgroup/services",
  ]);
  expect(planned.plan().summary.unmanaged).toBe(0);
  expect(planned.plan().resource_changes[2]?.notes?.join()).toContain("never deletes, archives or moves a project");
  const applied = await evenkeel("apply", "--yes", "--report", "json");
  expect(applied.code).toBe(0);
  expect(outcomes(applied.plan()).every((line) => line.startsWith("applied"))).toBe(true);
  expect((await ask("GET", "/projects/payments%2Fapi")).json).toMatchObject({
    name: "api",
    description: "The API",
    visibility: "internal",
    topics: ["a"],
    namespace: { id: 1 },
  });
  expect((await ask("GET", "/groups/payments%2Fservices")).json).toMatchObject({
    parent_id: 1,
    name: "services",
    description: "Below payments",
  });
  expect(told((await evenkeel("plan", "--report", "json")).plan())).toEqual(["create payments/api:label/bug"]);
  await evenkeel("apply", "--yes");
  expect((await evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
});

test("the ID of a group is looked up beside a list of projects too", async () => {
  const wide = { projects: ["**"], settings: { merge_method: "merge" } };
  const { evenkeel } = await scene({ ...setting, policies: { groups: policies.groups, wide } });
  const { code, requests } = await evenkeel("apply", "--yes");
  expect(code).toBe(0);
  expect(requests).toContain("GET /groups/payments?with_projects=false");
  expect((await evenkeel("plan", "--target", "payments/", "--detailed-exitcode")).code).toBe(0);
});

test("a saved plan creates below the ID of its group, and a rehearsal names its path", async () => {
  const { evenkeel } = await scene(setting);
  expect((await evenkeel("apply", "--dry-run")).stdout).toContain('POST /projects\n    namespace_id: "payments"');
  await evenkeel("plan", "--out", "plan.json");
  const { code, requests } = await evenkeel("apply", "plan.json", "--yes");
  expect([code, requests.filter((line) => line.startsWith("POST"))]).toEqual([
    0,
    ["POST /groups", "POST /projects", "POST /groups"],
  ]);
});

test("what a policy no longer lists stays, and a refused creation is a problem of that change alone", async () => {
  const { evenkeel, policy, ask } = await scene(setting);
  await evenkeel("apply", "--yes");
  policy({ groups: ["payments"], create: { projects: { web: {} } } }, "groups");
  expect((await evenkeel("plan", "--target", "payments/")).code).toBe(0);
  expect((await ask("GET", "/projects/payments%2Fapi")).status).toBe(200);
  policy({ groups: ["payments"], create: { projects: { new: {} } } }, "groups");
  const { evenkeelWith } = await scene({ ...setting, policies: { groups: policies.groups } });
  const refused = await evenkeelWith({ EVENKEEL_TOKEN: "develops" }, "apply", "--yes", "--report", "json");
  expect(refused.code).toBe(1);
  expect(outcomes(refused.plan())).toEqual(["failed payments/:project/api", "skipped payments/:subgroup/services"]);
});
