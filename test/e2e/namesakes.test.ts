import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scene } from "./workspace.ts";

const twice = "https://hooks.example.com/twice";
const alike = "https://hooks.example.com/alike";
const once = "https://hooks.example.com/once";

async function withNamesakes(policy: object) {
  const made = await scene({
    projects: [{ path: "p" }],
    behaviour: "observed",
    policy: { projects: ["p"], ...policy },
  });
  const hooks = [
    { url: twice, push_events: true },
    { url: twice, push_events: false },
    { url: alike, push_events: false },
    { url: alike, push_events: false },
    { url: once, push_events: false },
  ];
  for (const json of hooks) expect((await made.ask("POST", "/projects/p/hooks", { json })).status).toBe(201);
  return made;
}

test("exclusive removes none of several resources of one name, and says so; the rest of the project is planned", async () => {
  const { evenkeel } = await withNamesakes({ webhooks: {}, exclusive: ["webhooks"] });
  const { code, plan } = await evenkeel("plan", "--report", "json");
  expect(code).toBe(1);
  expect(plan().resource_changes.map(({ address }) => address)).toEqual([`p:webhook/${once}`]);
  expect(plan().problems.map(({ message }) => message)).toEqual(
    [twice, alike].map((url, at) =>
      expect.stringMatching(
        `^the server has 2 webhooks named ${url} \\(ids ${at * 2 + 1}, ${at * 2 + 2}\\), so exclusive removes none of them`,
      ),
    ),
  );
  expect(plan().summary.unmanaged).toBe(4);
});

test("a saved plan that leaves them alone is applied", async () => {
  const { evenkeel } = await withNamesakes({ webhooks: {}, exclusive: ["webhooks"] });
  await evenkeel("plan", "--out", "plan.json");
  expect((await evenkeel("apply", "plan.json")).stdout).toContain("Apply: 1 applied.");
});

test("a project that has several is named once", async () => {
  const { evenkeel } = await withNamesakes({ webhooks: { [once]: { push_events: false } } });
  const { stdout } = await evenkeel("unmanaged");
  expect(stdout).toContain(`webhook/${twice}\n    in p\n`);
});

test("import writes those that are alike once, and leaves out those that differ", async () => {
  const { evenkeel, root, read } = await withNamesakes({ webhooks: {} });
  rmSync(join(root, "all.yaml"));
  const { code, stderr } = await evenkeel("import", "p", "--kinds", "webhooks");
  expect([code, stderr]).toEqual([0, ""]);
  const written = read("policies/p.yaml");
  expect(written.split(`  ${alike}:`)).toHaveLength(2);
  expect(written).not.toContain(`  ${twice}:`);
  expect(written).toContain(
    `webhook ${twice} is left out: the server has 2 of that name, and they differ; keep one of them`,
  );
  const planned = await evenkeel("plan", "--report", "json");
  expect([planned.code, planned.plan().resource_changes]).toEqual([0, []]);
});
