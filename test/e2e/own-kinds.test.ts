import { expect, test } from "vitest";
import type { ResourceKind } from "../../src/model/resource-kind.ts";
import { repository } from "../revision/repository.ts";
import { stage } from "../support/stage.ts";

const latest = { release: "19.9", tier: "ultimate" } as const;
const head = { apiVersion: "evenkeel/v1", kind: "ResourceKind" };

const tuning = {
  name: "tuning",
  singular: "tuning",
  of: "project",
  calls: { show: "GET /projects/:id/tuning", update: "PUT /projects/:id/tuning" },
  needs: { role: "maintainer", tier: "premium", release: "9.0" },
  fields: { properties: { speed: { type: "integer", default: 3 }, mode: { type: "string", default: "calm" } } },
};

async function ownStage(kind: object, setting: Parameters<typeof stage>[0] = {}) {
  const file = { ...head, ...kind };
  const seed = { projects: [{ id: 1, path: "a/b" }] };
  const made = await stage({ ...latest, site: latest, kinds: [file as unknown as ResourceKind], seed, ...setting });
  made.write("own.yaml", JSON.stringify(file));
  return made;
}

test("--since reads all that a changed kind touches", async () => {
  const policy = { projects: ["a/b"], tuning: { speed: 5 } };
  const { evenkeel, root, write } = await ownStage(tuning, { policy });
  repository(root).commit();
  expect((await evenkeel("plan", "--since", "HEAD", "--report", "json")).plan().scope).toMatchObject({ projects: 0 });
  write(
    "own.yaml",
    JSON.stringify({ ...head, ...tuning, calls: { ...tuning.calls, update: "PATCH /projects/:id/tuning" } }),
  );
  const planned = await evenkeel("plan", "--since", "HEAD", "--report", "json");
  expect(planned.plan().scope).toMatchObject({ projects: 1 });
  expect(planned.plan().resource_changes).toHaveLength(1);
});
