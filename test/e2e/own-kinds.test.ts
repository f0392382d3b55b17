import { describe, expect, test } from "vitest";
import type { ResourceKind } from "../../src/model/resource-kind.ts";
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

describe("a singleton that nobody can create", () => {
  test("is there, with its defaults, and is changed", async () => {
    const { evenkeel } = await ownStage(tuning, { policy: { projects: ["a/b"], tuning: { speed: 5 } } });
    const planned = await evenkeel("plan");
    expect([planned.stderr, planned.stdout]).toEqual([expect.any(String), expect.stringContaining("speed: 3 -> 5")]);
    expect((await evenkeel("apply", "--yes")).code).toBe(0);
    expect((await evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
  });
});

describe("explain", () => {
  test("knows the kinds of the workspace in which it is asked", async () => {
    const { evenkeel } = await ownStage(tuning);
    expect((await evenkeel("explain", "tuning")).stdout).toContain("speed");
    expect((await evenkeel("explain", "tuning.mode")).stdout).toContain("calm");
    expect((await evenkeel("explain", "--kinds")).stdout).toContain("tuning");
    expect((await evenkeel("explain", "tuning", "--dialect", "gitlab")).code).toBe(0);
    expect((await evenkeel("explain", "tunning")).stderr).toContain("did you mean tuning?");
  });
});
