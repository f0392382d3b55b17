import { describe, expect, test } from "vitest";
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

describe("a key of several fields", () => {
  const flags = {
    ...{ name: "flags", singular: "flag", of: "project", key: ["name", "scope"] },
    calls: {
      list: "GET /projects/:id/flags",
      update: "PUT /projects/:id/flags/:row.id",
      delete: "DELETE /projects/:id/flags/:row.id",
      create: "POST /projects/:id/flags",
    },
    needs: { tier: "free", release: "9.0" },
    fields: {
      required: ["name"],
      properties: { name: { type: "string" }, scope: { type: "string", default: "*" }, on: { type: "boolean" } },
    },
  };

  test("tells a@b of c from a of b@c", async () => {
    const rows = [{ name: "a@b", scope: "c", on: false }];
    const seed = { projects: [{ path: "a/b", resources: { flags: rows } }] };
    const policy = { projects: ["a/b"], flags: { "a@b@c": { on: true }, "a%40b@c": { on: true } } };
    const { evenkeel, ask } = await ownStage(flags, { seed, policy });
    const planned = await evenkeel("plan", "--report", "json");
    const told = planned.plan().resource_changes.map(({ address, change }) => [change.actions[0], address]);
    expect(told).toEqual([
      ["update", "a/b:flag/a%40b@c"],
      ["create", "a/b:flag/a@b@c"],
    ]);
    expect((await evenkeel("apply", "--yes")).code).toBe(0);
    const { json } = await ask("GET", "/projects/a%2Fb/flags");
    expect(json).toMatchObject([
      { name: "a@b", scope: "c", on: true },
      { name: "a", scope: "b@c", on: true },
    ]);
    expect((await evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
  });
});

describe("a resource for which no request can be made", () => {
  const marks = {
    name: "marks",
    singular: "mark",
    of: "project",
    key: "name",
    calls: { list: "GET /projects/:id/marks", delete: "DELETE /projects/:id/marks/:name" },
    needs: { tier: "free", release: "9.0" },
    fields: { required: ["name"], properties: { name: { type: "string" } } },
  };
  const seed = {
    projects: [
      { path: "a/b", resources: { marks: [{ name: ".." }, { name: "old" }] } },
      { path: "a/c", resources: { marks: [{ name: "old" }] } },
    ],
  };
  const policy = { projects: ["a/*"], exclusive: ["marks"] };

  test("is a problem of its project, and the others are changed", async () => {
    const { evenkeel, ask } = await ownStage(marks, { seed, policy });
    const planned = await evenkeel("plan", "--report", "json");
    expect(planned.code).toBe(1);
    expect(planned.plan().resource_changes.map(({ address }) => address)).toEqual(["a/b:mark/old", "a/c:mark/old"]);
    expect(planned.plan().problems).toEqual([
      expect.objectContaining({
        ...{ rule: "cannot-request", project: "a/b", file: "all.yaml", line: 5 },
        message: expect.stringMatching(/^no request can be made for a\/b:mark\/\.\., .*marks\/\.\." names nothing/),
      }),
    ]);
    expect(await evenkeel("apply", "--yes")).toMatchObject({ code: 1, writes: 2 });
    expect(await ask("GET", "/projects/a%2Fb")).toMatchObject({ status: 200 });
  });

  test("or whose row lacks what the path needs", async () => {
    const calls = { ...marks.calls, delete: "DELETE /projects/:id/marks/:row.uuid" };
    const { evenkeel } = await ownStage({ ...marks, calls }, { seed, policy, kinds: [{ ...head, ...marks } as never] });
    const planned = await evenkeel("plan", "--report", "json");
    expect(planned).toMatchObject({ code: 1 });
    const messages = planned.plan().problems.map(({ message }) => message);
    expect(messages).toHaveLength(3);
    for (const message of messages)
      expect(message).toContain("the server's answer has no uuid, which DELETE /projects");
  });
});

describe("a refusal", () => {
  const policy = { projects: ["a/b"], tuning: { speed: 5 } };

  test("names the role and the tier that the kind needs", async () => {
    const seed = { projects: [{ id: 1, path: "a/b" }], tokens: [{ token: "someone", role: "developer" as const }] };
    const { evenkeel } = await ownStage(tuning, { policy, seed, as: "someone" });
    expect((await evenkeel("plan")).stderr).toMatch(
      /GET .*\/projects\/a%2Fb\/tuning answered 403 Forbidden; the token needs the role Maintainer or Owner in this project, and tuning needs tier premium /m,
    );
  });

  test("names the tier and the release of a kind that the server does not know", async () => {
    const { evenkeel } = await ownStage(tuning, { policy, kinds: [] });
    expect((await evenkeel("plan")).stderr).toMatch(/answered 404 .*; tuning needs tier premium and release 9\.0 /m);
  });
});

describe("--target", () => {
  test("takes the address of a singleton of the workspace's own", async () => {
    const { evenkeel } = await ownStage(tuning, { policy: { projects: ["a/b"], tuning: { speed: 5 } } });
    const planned = await evenkeel("plan", "--target", "a/b:tuning", "--report", "json");
    expect([planned.code, planned.stderr]).toEqual([0, ""]);
    expect(planned.plan().resource_changes.map(({ address }) => address)).toEqual(["a/b:tuning"]);
    expect(await evenkeel("plan", "--target", "a/b:tunning")).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("such as a/b:tuning"),
    });
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

describe("a kind of groups alone", () => {
  const links = {
    ...{ name: "saml_group_links", singular: "saml_group_link", of: "group", key: "saml_group_name", replace: true },
    calls: {
      list: "GET /groups/:id/saml_group_links",
      create: "POST /groups/:id/saml_group_links",
      delete: "DELETE /groups/:id/saml_group_links/:row.name",
    },
    loosened: "before != null && after != null && after.access_level > before.access_level",
    fields: {
      required: ["saml_group_name", "access_level"],
      properties: {
        saml_group_name: { type: "string", "x-read": "row.name" },
        access_level: { type: "integer", "x-words": { developer: 30, maintainer: 40 } },
      },
    },
  };

  test("is applied from a saved plan, and counted by what changes", async () => {
    const resources = { saml_group_links: [{ name: "dev", access_level: 30 }] };
    const seed = { groups: [{ path: "payments", resources }] };
    const policy = { groups: ["payments"], saml_group_links: { dev: { access_level: "maintainer" } } };
    const { evenkeel } = await ownStage(links, { seed, policy });
    const planned = await evenkeel("plan", "--out", "plan.json", "--report", "json");
    expect(planned.plan().resource_changes).toMatchObject([{ policy_effect: "loosened", kind: "saml_group_link" }]);
    expect(await evenkeel("apply", "plan.json", "--allow-deletes", "1")).toMatchObject({ code: 0, stderr: "" });
    expect((await evenkeel("runs")).stdout).toContain("apply: 1 change, applied");
    expect((await evenkeel("journal")).stdout).toContain("1 change for");
    expect((await evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
    expect((await evenkeel("explain", "saml_group_links")).stdout).toMatch(/developer, maintainer, or integer/);
  });
});

describe("what is looked up", () => {
  const reviewers = {
    name: "reviewers",
    singular: "reviewer",
    of: "project",
    key: "area",
    calls: {
      list: "GET /projects/:id/reviewers",
      create: "POST /projects/:id/reviewers",
      update: "PUT /projects/:id/reviewers/:row.id",
    },
    fields: {
      required: ["area"],
      properties: {
        area: { type: "string" },
        user: { type: "string", "x-lookup": "GET /users?username=:value", "x-field": "id", "x-send-as": "user_id" },
      },
    },
  };
  const users = [{ id: 51, username: "anna" }];
  const policy = { projects: ["a/b"], reviewers: { door: { user: "anna" } } };

  test.each<[string, object]>([
    ["whole", { user: { id: 51, username: "anna" } }],
    ["under the name that is sent", { user_id: 51 }],
  ])("may be shown %s", async (_, shown) => {
    const seed = { projects: [{ id: 1, path: "a/b", resources: { reviewers: [{ area: "door", ...shown }] } }], users };
    const fields = { ...reviewers.fields, properties: { area: { type: "string" }, user_id: {}, user: {} } };
    const served = { ...head, ...reviewers, fields } as unknown as ResourceKind;
    const { evenkeel, ask } = await ownStage(reviewers, { policy, seed, kinds: [served] });
    expect((await ask("GET", "/projects/1/reviewers")).json).toMatchObject([shown]);
    expect((await evenkeel("plan", "--detailed-exitcode")).code).toBe(0);
  });
});

test("a rotated secret of what the server cannot change replaces it", async () => {
  const keys = {
    name: "machine_keys",
    singular: "machine_key",
    of: "project",
    key: "title",
    replace: true,
    calls: {
      list: "GET /projects/:id/machine_keys",
      create: "POST /projects/:id/machine_keys",
      delete: "DELETE /projects/:id/machine_keys/:row.id",
    },
    fields: {
      required: ["title", "value"],
      properties: { title: { type: "string" }, value: { type: "string", writeOnly: true } },
    },
  };
  const policy = { projects: ["a/b"], machine_keys: { ci: { value: { secret: "env:KEY" } } } };
  const workspace = { ledger: "state" };
  const { evenkeelWith, ask } = await ownStage(keys, { policy, workspace, secrets: { KEY: "first-secret" } });
  const idOfKey = async () => (await ask("GET", "/projects/1/machine_keys")).json[0].id;
  expect((await evenkeelWith({}, "apply", "--yes")).code).toBe(0);
  const first = await idOfKey();
  expect((await evenkeelWith({}, "plan", "--detailed-exitcode")).code).toBe(0);
  const rotated = { KEY: "second-secret" };
  const planned = await evenkeelWith(rotated, "plan", "--report", "json");
  expect(planned.plan().resource_changes).toMatchObject([
    { address: "a/b:machine_key/ci", change: { actions: ["delete", "create"] } },
  ]);
  expect(planned.stdout).not.toContain("-secret");
  expect(await evenkeelWith(rotated, "apply", "--yes")).toMatchObject({ code: 0, writes: 2 });
  expect(await idOfKey()).not.toBe(first);
  expect((await evenkeelWith(rotated, "plan", "--detailed-exitcode")).code).toBe(0);
});

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
