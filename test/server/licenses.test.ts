import { expect, test } from "vitest";
import type { Seed } from "../../src/server/seed.ts";
import { serving } from "./serving.ts";

const seed: Seed = { projects: [{ id: 1, path: "a/b", licenses: { MIT: "allowed", "Old One": "blacklisted" } }] };
const path = "/projects/a%2Fb/managed_licenses";

test("licenses are created, changed by name or ID in any case, and deleted", async () => {
  const { ask } = await serving({ seed });
  const created = await ask("POST", path, { form: { name: "GPL v2/v3", approval_status: "denied" } });
  expect([created.status, created.json]).toEqual([201, { id: 3, name: "GPL v2/v3", approval_status: "denied" }]);
  const changed = await ask("PATCH", `${path}/gpl%20V2%2Fv3`, { form: { approval_status: "allowed" } });
  expect([changed.status, changed.json.approval_status]).toEqual([200, "allowed"]);
  expect((await ask("GET", `${path}/3`)).json.name).toBe("GPL v2/v3");
  expect((await ask("DELETE", `${path}/3`)).status).toBe(204);
  const gone = await ask("GET", `${path}/3`);
  expect([gone.status, gone.json]).toEqual([404, { message: "404 SoftwareLicensePolicy Not Found" }]);
  const next = await ask("POST", path, { form: { name: "ISC", approval_status: "allowed" } });
  expect(next.json.id).toBe(4);
});

test("a name is taken in any case", async () => {
  const { ask } = await serving({ seed });
  const { status, json } = await ask("POST", path, { json: { name: "mit", approval_status: "denied" } });
  expect([status, json]).toEqual([400, { message: ["Software license has already been taken"] }]);
  expect((await ask("GET", path)).json).toHaveLength(2);
});

test("below tier ultimate they are forbidden", async () => {
  const { ask } = await serving({ seed, tier: "premium" });
  const { status, json } = await ask("GET", path);
  expect([status, json.message]).toEqual([
    403,
    "403 Forbidden - managed licenses need tier ultimate; the server is premium",
  ]);
});

test.each([
  ["14.10", ["approved", "denied"]],
  ["18.0", ["allowed", "denied"]],
])("stored legacy words are returned as stored until they are removed: %s", async (release, expected) => {
  const licenses = { MIT: "approved", Ruby: "denied" };
  const { ask } = await serving({ release, seed: { projects: [{ id: 1, path: "a/b", licenses }] } });
  const { json } = await ask("GET", path);
  expect(json.map(({ approval_status }: { approval_status: string }) => approval_status)).toEqual(expected);
});
