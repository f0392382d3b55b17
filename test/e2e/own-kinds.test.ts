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

const freezePeriods = {
  name: "freeze_periods",
  singular: "freeze_period",
  of: "project",
  key: "freeze_start",
  calls: {
    list: "GET /projects/:id/freeze_periods",
    create: "POST /projects/:id/freeze_periods",
    update: "PUT /projects/:id/freeze_periods/:row.id",
    delete: "DELETE /projects/:id/freeze_periods/:row.id",
  },
  fields: {
    required: ["freeze_start", "freeze_end"],
    properties: {
      freeze_start: { type: "string", minLength: 1 },
      freeze_end: { type: "string" },
      zone: { type: "string", default: "UTC" },
    },
  },
};

const weekend = { freeze_start: "0 18 * * 5", freeze_end: "0 7 * * 1", zone: "Europe/Berlin" };
const frozen = {
  seed: {
    projects: ["a/b", "a/c"].map((path, index) => ({
      id: index + 1,
      path,
      resources: { freeze_periods: [weekend], ...(index === 0 && { tuning: [{ speed: 5 }] }) },
    })),
  },
};

describe("import", () => {
  test.each([
    ["one by one", ["a/b", "a/c"], ["policies/a/b.yaml", "policies/a/c.yaml"]],
    ["what they share once", ["--all", "--factor"], ["policies/a.yaml"]],
  ])("writes the workspace's own kinds, %s, and plans as empty", async (_, which, files) => {
    const { evenkeel, read } = await ownStage(freezePeriods, frozen);
    const imported = await evenkeel("import", ...which, "--kinds", "freeze_periods");
    expect(imported).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("1 freeze_period") });
    for (const file of files) {
      expect(read(file)).toContain(
        "freeze_periods:\n  0 18 * * 5:\n    freeze_end: 0 7 * * 1\n    zone: Europe/Berlin\n",
      );
      expect(await evenkeel("fmt", "--check", file)).toMatchObject({ code: 0 });
    }
    expect((await evenkeel("plan", "--report", "json")).plan()).toMatchObject({ resource_changes: [], problems: [] });
  });

  test("writes a singleton of its own without a key", async () => {
    const { evenkeel, read } = await ownStage(tuning, frozen);
    expect(await evenkeel("import", "a/b", "--kinds", "tuning")).toMatchObject({ code: 0, stderr: "" });
    expect(read("policies/a/b.yaml")).toContain("\ntuning:\n  speed: 5\n");
  });
});
