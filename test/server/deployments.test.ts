import { expect, test } from "vitest";
import type { Seed } from "../../src/server/seed.ts";
import { serving } from "./serving.ts";

const path = "/projects/1/deployments";
const seed: Seed = {
  projects: [
    {
      id: 1,
      path: "a/b",
      deployments: [
        {
          ref: "zeta",
          sha: "aa",
          status: "success",
          created_at: "2026-01-01T00:00:00Z",
          updated_at: "2026-01-05T00:00:00Z",
        },
        {
          ref: "beta",
          sha: "bb",
          status: "failed",
          environment: "staging",
          updated_at: "2026-01-03T00:00:00Z",
          created_at: "2026-01-02T00:00:00Z",
        },
        {
          ref: "main",
          sha: "cc",
          status: "running",
          deployable: { id: 77, coverage: 98.5 },
          created_at: "2026-01-03T00:00:00Z",
          updated_at: "2026-01-04T00:00:00Z",
        },
      ],
      merge_requests: [
        { id: 1, iid: 1, title: "one", state: "merged", deployment_id: 1 },
        { id: 2, iid: 2, title: "two", state: "merged", deployment_ids: [1, 2] },
      ],
    },
  ],
};

const wanted = { environment: "production", sha: "dd", ref: "main", tag: "false" };

async function listed(query: string): Promise<number[]> {
  const { ask } = await serving({ seed });
  const { json } = await ask("GET", `${path}?${query}`);
  return json.map(({ id }: { id: number }) => id);
}

test.each([
  ["", [1, 2, 3]],
  ["sort=desc", [3, 2, 1]],
  ["order_by=ref", [2, 3, 1]],
  ["order_by=updated_at", [2, 3, 1]],
  ["order_by=created_at&sort=desc", [3, 2, 1]],
  ["order_by=iid", [1, 2, 3]],
  ["environment=staging", [2]],
  ["status=running", [3]],
  ["updated_after=2026-01-03T12:00:00%2B00:00", [1, 3]],
  ["updated_before=2026-01-04T12:00:00Z&updated_after=2026-01-03T12:00:00Z", [3]],
])("the list with %s", async (query, ids) => {
  expect(await listed(query)).toEqual(ids);
});

test("parameters are checked", async () => {
  const { ask } = await serving({ seed });
  const error = async (query: string) => (await ask("GET", `${path}?${query}`)).json.error;
  expect(await error("order_by=name")).toBe("order_by does not have a valid value");
  expect(await error("updated_after=yesterday")).toBe("updated_after is invalid");
  expect(await error("status=done&sort=up")).toBe(
    "sort does not have a valid value, status does not have a valid value",
  );
  expect((await ask("POST", path, { form: { tag: "perhaps" } })).json.error).toBe(
    "environment is missing, sha is missing, ref is missing, tag is invalid",
  );
});

test("created and updated answers have neither job nor updated_at, and any status may follow any", async () => {
  const { ask } = await serving({ seed });
  const created = await ask("POST", path, { form: wanted });
  expect(created.status).toBe(201);
  expect(created.json).toMatchObject({
    id: 4,
    iid: 4,
    status: "created",
    deployable: null,
    user: { username: "root" },
  });
  expect(created.json).not.toHaveProperty("updated_at");
  const updated = await ask("PUT", `${path}/4`, { json: { status: "success" } });
  expect([updated.status, updated.json.status, "updated_at" in updated.json]).toEqual([200, "success", false]);
  expect((await ask("PUT", `${path}/4`, { form: { status: "created" } })).json.status).toBe("created");
  expect((await ask("PUT", `${path}/3`, { form: { status: "failed" } })).json.deployable).toBeNull();
  expect((await ask("PUT", `${path}/4`, { form: { status: "done" } })).json.error).toBe(
    "status does not have a valid value",
  );
});

test("a job is shown in lists and alone, with commit and pipeline; public_email in lists only", async () => {
  const { ask } = await serving({ seed });
  const alone = (await ask("GET", `${path}/3`)).json.deployable;
  expect(alone).toMatchObject({ id: 77, coverage: 98.5, runner: null, commit: { id: "cc" }, pipeline: { sha: "cc" } });
  expect(alone.user).not.toHaveProperty("public_email");
  expect((await ask("GET", path)).json[2].deployable.user).toHaveProperty("public_email");
});

test("merge requests shipped with a deployment", async () => {
  const { ask } = await serving({ seed });
  const titles = async (id: number) =>
    (await ask("GET", `${path}/${id}/merge_requests`)).json.map(({ title }: { title: string }) => title);
  expect(await titles(1)).toEqual(["one", "two"]);
  expect(await titles(2)).toEqual(["two"]);
  expect(await titles(3)).toEqual([]);
});

test("a deployment that is not there", async () => {
  const { ask } = await serving({ seed });
  expect((await ask("GET", `${path}/9`)).json).toEqual({ message: "404 Not found" });
  expect((await ask("GET", `${path}/nine`)).json).toEqual({ error: "deployment_id is invalid" });
});
