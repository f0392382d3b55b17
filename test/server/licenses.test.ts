import { describe, expect, test } from "vitest";
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

describe("the legacy words, stored before they were removed", () => {
  const words = { MIT: "approved", "AGPL-3.0": "blacklisted", ISC: "allowed", Ruby: "denied" };
  const today = ["allowed", "denied", "allowed", "denied"];
  const legacy = ["approved", "blacklisted", "approved", "blacklisted"];
  const byBehaviour = {
    spec: {
      "13.12": Object.values(words),
      "14.10": Object.values(words),
      "15.0": today,
      "15.0.1": today,
      "18.0": today,
    },
    observed: { "13.12": legacy, "14.10": legacy, "15.0": today, 15.11: today },
  };
  const worlds = (["neutral", "gitlab"] as const).flatMap((dialect) =>
    (["spec", "observed"] as const).flatMap((behaviour) =>
      Object.entries(byBehaviour[behaviour]).map(([release, expected]) => ({ dialect, behaviour, release, expected })),
    ),
  );

  test.each(worlds)("$dialect, $behaviour, $release", async ({ expected, ...options }) => {
    const { ask } = await serving({ ...options, seed: { projects: [{ id: 1, path: "a/b", licenses: words }] } });
    const path = "/projects/1/managed_licenses";
    const isRemoved = Number.parseInt(options.release, 10) >= 15;
    const listed = (await ask("GET", path)).json;
    expect(listed.map(({ approval_status }: { approval_status: string }) => approval_status)).toEqual(expected);
    expect((await ask("GET", `${path}/MIT`)).json.approval_status).toBe(expected[0]);
    for (const word of ["approved", "blacklisted"]) {
      const form = { name: `new ${word}`, approval_status: word };
      const posted = await ask("POST", path, { form });
      const patched = await ask("PATCH", `${path}/MIT?approval_status=${word}`, { json: {} });
      const fault = { error: "approval_status does not have a valid value" };
      expect([posted.status, patched.status]).toEqual(isRemoved ? [400, 400] : [201, 200]);
      if (isRemoved) expect([posted.json, patched.json]).toEqual([fault, fault]);
    }
  });
});
