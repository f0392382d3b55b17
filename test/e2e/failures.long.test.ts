import { expect, test } from "vitest";
import { scripted } from "./workspace.ts";

test("a saved plan fails what cannot be read any more, which is not stale", async () => {
  let broken = false;
  const [old, now] = ["https://old.example.com", "https://wiki.example.com"];
  const { run } = await scripted(
    ({ method, path }) => {
      if (path.includes("managed_licenses")) return broken ? { status: 403, body: {} } : { body: [] };
      const properties = { external_wiki_url: method === "PUT" ? now : old };
      const row = { id: 1, slug: "external-wiki", active: true, properties };
      return { body: path.includes("/external-wiki") ? row : [row] };
    },
    {
      policy: {
        projects: ["p"],
        integrations: { "external-wiki": { external_wiki_url: now } },
        licenses: { MIT: "allowed" },
      },
    },
  );
  expect((await run("plan", "--out", "plan.json")).code).toBe(0);
  broken = true;
  const applied = await run("apply", "plan.json");
  expect(applied.code).toBe(1);
  expect(applied.stdout).toMatch(/failed p:license\/MIT: GET .*answered 403/);
  expect(applied.stdout).not.toContain("stale");
});

test("fields and slugs that nobody has heard of are tolerated", async () => {
  const row = { id: 1, slug: "from-the-future", active: true, novelty: { deep: [1] } };
  const { run } = await scripted(
    ({ path }) => ({
      body: path.endsWith("/integrations") ? [row] : [{ id: 9, name: "MIT", approval_status: "allowed", more: null }],
    }),
    { policy: { projects: ["p"], licenses: { MIT: "allowed" }, exclusive: ["integrations", "licenses"] } },
  );
  const ran = await run("drift");
  expect(ran.code).toBe(0);
  expect(ran.stderr).toMatch(/warning: .*from-the-future is not in the catalogue/);
  expect(ran.stdout).toContain("1 unmanaged");
});
