import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/base/json.ts";
import type { Reader, Writer } from "../../src/client/client.ts";
import { CallFailed } from "../../src/client/failure.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { meaningOf } from "../../src/model/field-meaning.ts";
import { fieldOf, identityOf } from "../../src/model/kinds.ts";
import type { Call, Desired, DesiredProject, Fields } from "../../src/model/types.ts";
import { sendRecorded } from "../../src/run/apply/send-change.ts";
import { readReadable } from "../../src/run/live/read-live.ts";
import { refreshProject } from "../../src/run/live/refresh.ts";

const catalogue = catalogueOf();

type Rows = Readonly<Record<string, unknown>>;

/** A server that knows these paths, and writes down what it is asked and sent. */
function serverOf(rows: Rows) {
  const sent: string[] = [];
  const bodies: Call["parameters"][] = [];
  const answer = async (call: Call) => {
    sent.push(`${call.method} ${call.path}`);
    const body = rows[call.path];
    if (body instanceof CallFailed) throw body;
    if (body !== undefined) return body;
    const facts = { method: call.method, path: call.path, url: call.path, kind: "status", attempts: 1 } as const;
    throw new CallFailed({ ...facts, what: "answered 404", status: 404, serverMessage: "404 Not Found" });
  };
  const reader: Reader = {
    room: () => 1,
    catalogue,
    counts: { reads: 0, writes: 0, retries: 0 },
    get: async (call) => ({ status: 200, body: await answer(call), headers: {} }) as never,
    list: async (call) => (await answer(call)) as readonly unknown[],
  };
  const settle = async (call: Call) => {
    sent.push(`${call.method} ${call.path}`);
    bodies.push(call.parameters);
    return { answer: { status: 201, body: {}, headers: {} } } as never;
  };
  return { writer: { ...reader, settle } as unknown as Writer, sent, bodies };
}

const origin = {
  place: () => ({ file: "a.yaml", line: 1, column: 1 }),
  fieldPlace: (name: string) => ({ file: "a.yaml", line: name.length, column: 5 }),
};

function desiredOf(
  declared: Readonly<Record<string, Readonly<Record<string, Fields>>>>,
  project = "p",
): DesiredProject {
  const resources = Object.entries(declared).flatMap(([kind, all]) =>
    Object.entries(all).map(([key, values]): Desired => {
      const fields = Object.entries(values).map(
        ([name, value]) => [name, meaningOf(fieldOf(catalogue, { kind, key }, name) ?? {}, value)] as const,
      );
      const identity = identityOf(catalogue, { kind, key });
      return { kind, key, identity, presence: "present", origin, fields: Object.fromEntries(fields) };
    }),
  );
  return { project: { name: project }, kinds: new Set(Object.keys(declared)), resources, exclusive: new Map() };
}

const scope = { workers: 1, policies: [], diff: () => ({ catalogue, alwaysSend: false }) } as never;

async function planned(rows: Rows, desired: DesiredProject) {
  const server = serverOf(rows);
  const { difference, problems } = await refreshProject(server.writer, desired, scope);
  return { ...server, changes: difference?.changes ?? [], problems };
}

async function send({ writer, changes }: Awaited<ReturnType<typeof planned>>, of = changes[0]?.kind) {
  const change = changes.find(({ kind }) => kind === of);
  if (!change) throw new RangeError("no change");
  return sendRecorded(writer, change, []);
}

const rules = "/projects/p/approval_rules";
const rule = { id: 1, name: "QA", approvals_required: 1, users: [{ id: 7 }], groups: [], protected_branches: [] };
const people = {
  "/users?username=anna": [{ id: 7, username: "anna" }],
  "/users?username=bob": [{ id: 8, username: "Bob" }],
};
const branches = { main: { push_access_level: 40 } };
const asked = ({ sent }: { readonly sent: readonly string[] }) =>
  sent.filter((each) => !each.includes("/approval_rules"));

describe("what people write in place of an ID", () => {
  test("is looked up and compared", async () => {
    const rows = { ...people, [rules]: [rule] };
    const { changes, sent } = await planned(rows, desiredOf({ approval_rule: { QA: { users: ["anna"] } } }));
    expect(changes).toEqual([]);
    expect(sent.sort()).toEqual(["GET /projects/p/approval_rules", "GET /users?username=anna"]);
  });

  test("is shown in plans on both sides, and sent as an ID", async () => {
    const rows = { ...people, [rules]: [{ ...rule, users: [{ id: 7 }, { id: 9 }] }] };
    const run = await planned(rows, desiredOf({ approval_rule: { QA: { users: ["anna", "bob"] } } }));
    expect(run.changes).toMatchObject([{ before: { users: ["anna", 9] }, after: { users: ["anna", "bob"] } }]);
    await send(run);
    expect(run.bodies[0]).toMatchObject({ user_ids: [7, 8] });
  });

  test("is looked up once a run, however often it is written, and a number not at all", async () => {
    const server = serverOf({ ...people, [rules]: [], "/projects/q/approval_rules": [] });
    const declared = { approval_rule: { A: { users: ["anna", 12] }, B: { users: ["anna"] } } } as never;
    for (const project of ["p", "q"]) await refreshProject(server.writer, desiredOf(declared, project), scope);
    expect(asked(server)).toEqual(["GET /users?username=anna"]);
  });

  test.each(["lists", "look-ups"])("ends the run with one error where %s fail first", async (first) => {
    const facts = { method: "GET", path: "/users", url: "/users", kind: "status", attempts: 1 } as const;
    const failure = new CallFailed({ ...facts, what: "answered 401", status: 401, endsRun: true });
    const failAfter = async (turns: number) => {
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
      throw failure;
    };
    const fail = (part: string) => () => failAfter(part === first ? 1 : 3);
    const reader: Reader = { ...serverOf({}).writer, list: fail("lists"), get: fail("look-ups") };
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on("unhandledRejection", note);
    const read = readReadable(reader, desiredOf({ approval_rule: { QA: { users: ["anna"] } } }));
    await expect(read).rejects.toBe(failure);
    await expect(failAfter(5)).rejects.toBe(failure);
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });

  test("is looked up within lists of mappings", async () => {
    const level = (more: JsonObject) => ({ user_id: null, group_id: null, access_level: null, ...more });
    const row = {
      name: "main",
      push_access_levels: [level({ user_id: 7 }), level({ group_id: 5 })],
      merge_access_levels: [],
    };
    const rows = { ...people, "/groups/a%2Fb?with_projects=false": { id: 5 }, "/projects/p/protected_branches": [row] };
    const allowed = { allowed_to_push: [{ user: "anna" }, { group: "a/b" }] };
    const { changes, problems } = await planned(rows, desiredOf({ protected_branch: { main: allowed } }));
    expect([changes, problems]).toEqual([[], []]);
  });

  test.each([
    ["protected_branch", "p", "/projects/p/protected_branches", { allowed_to_push: [{ group: "42" }, { group: 5 }] }],
    ["group:approval_rule", "g/", "/groups/g/approval_rules", { groups: ["42", 5] }],
  ])(
    "is no path of digits, which servers take for the ID of another group: %s",
    async (kind, project, list, fields) => {
      const run = await planned({ [list]: [] }, desiredOf({ [kind]: { main: fields as never } }, project));
      const word = kind.replace("group:", "");
      expect(run.problems.map(({ message }) => message)).toEqual([
        expect.stringContaining(`"42" could not be looked up, so this ${word} is left out of the plan: servers take`),
      ]);
      expect([run.changes, run.sent]).toEqual([[], [`GET ${list}`]]);
    },
  );

  test.each<[string, Rows, string]>([
    ["nobody", {}, "answered 404"],
    ["nobody", { "/users?username=nobody": [] }, "found none"],
    ["both", { "/users?username=both": [{ id: 1 }, { id: 2 }] }, "found 2"],
    ["odd", { "/users?username=odd": [{ name: "odd" }] }, "answered without id"],
    ...[0, -1, 1.5, "7", null].map((id): [string, Rows, string] => [
      `of ${id}`,
      { [`/users?username=of%20${id}`]: [{ id, username: `of ${id}` }] },
      "answered without id",
    ]),
    ["eve", { "/users?username=eve": [{ id: 1, username: "root" }] }, 'found "root" instead'],
    ["..", {}, ""],
  ])("that is not found is a problem of its resource alone: %s", async (name, more, why) => {
    const rows = { ...people, ...more, [rules]: [rule, { ...rule, id: 2, name: "B" }] };
    const declared = { QA: { users: [name], approvals_required: 2 }, B: { users: ["anna"], approvals_required: 2 } };
    const desired = { ...desiredOf({ approval_rule: declared }), exclusive: new Map([["approval_rule", origin]]) };
    const { changes, problems } = await planned(rows, desired);
    expect(changes.map(({ key, action }) => [key, action])).toEqual([["B", "update"]]);
    expect(problems.map(({ rule, place, message }) => [rule, place?.line, message])).toEqual([
      ["look-up", "users".length, expect.stringContaining(`users: "${name}" could not be looked up`)],
    ]);
    expect(problems[0]?.message).toContain(why);
  });
});

test.each([
  ["group", "groups", "full_path"],
  ["project", "projects", "path_with_namespace"],
])("the path of another %s is not taken for the one that is named", async (of, segment, name) => {
  const list = { group: "groups_allowlist", project: "allowlist" }[of];
  const rows = {
    [`/projects/p/job_token_scope/${list}`]: [],
    [`/${segment}/old%2Fa?with_projects=false`]: { id: 9, [name]: "new/a" },
    [`/${segment}/old%2Fa`]: { id: 9, [name]: "new/a" },
    [`/${segment}/Old%2Fb?with_projects=false`]: { id: 8, [name]: "old/B" },
    [`/${segment}/Old%2Fb`]: { id: 8, [name]: "old/B" },
  };
  const declared = { [`job_token_${of}`]: { "old/a": {}, "Old/b": {} } };
  const { changes, problems } = await planned(rows, desiredOf(declared));
  expect(changes.map(({ key, action }) => [key, action])).toEqual([["Old/b", "create"]]);
  expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining('found "new/a" instead')]);
});

test.each([
  ["is absent", (branch: Desired): Partial<DesiredProject> => ({ resources: [{ ...branch, presence: "absent" }] })],
  ["an exclusive policy omits", () => ({ resources: [], exclusive: new Map([["protected_branch", origin]]) })],
])("what %s is deleted, so that nothing can name it", async (_, change) => {
  const rows = {
    [rules]: [rule],
    "/projects/p/protected_branches": [{ id: 100, name: "main", push_access_levels: [], merge_access_levels: [] }],
    "/projects/p/protected_branches/main": { id: 100, name: "main" },
  };
  const desired = desiredOf({ approval_rule: { QA: { protected_branches: ["main"] } } });
  const [branch] = desiredOf({ protected_branch: branches }).resources;
  if (!branch) throw new RangeError("no branch");
  const { resources = [], ...more } = change(branch);
  const { changes, problems } = await planned(rows, {
    ...{ ...desired, ...more, kinds: new Set(["approval_rule", "protected_branch"]) },
    resources: [...desired.resources, ...resources],
  });
  expect(changes.map(({ key, action }) => [key, action])).toEqual([["main", "delete"]]);
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringContaining("left out of the plan: the plan deletes p:protected_branch/main"),
  ]);
});

describe("what this run creates", () => {
  const declared = { protected_branch: branches, approval_rule: { QA: { protected_branches: ["main"] } } } as const;
  const found = "/projects/p/protected_branches/main";
  const branch = { id: 101, name: "main", push_access_levels: [{ access_level: 30 }], merge_access_levels: [] };

  test("is known after apply, and looked up when it is sent", async () => {
    const rows: Record<string, unknown> = { [rules]: [], "/projects/p/protected_branches": [] };
    const run = await planned(rows, desiredOf(declared));
    expect(run.problems).toEqual([]);
    const change = run.changes.find(({ kind }) => kind === "approval_rule");
    expect(change?.after).toMatchObject({ protected_branches: ["main"] });
    expect(change?.reason).toBe("not on the server, protected_branches known after apply");
    expect((await send(run, "approval_rule")).outcome).toMatchObject({
      status: "failed",
      error: expect.stringContaining('not sent: protected_branches: "main" could not be looked up'),
    });
    rows[found] = { id: 101, name: "main" };
    await send(run, "approval_rule");
    expect(run.bodies).toMatchObject([{ protected_branch_ids: [101] }]);
  });

  test("is looked up again where it may be replaced before", async () => {
    const rows: Record<string, unknown> = {
      [rules]: [rule],
      "/projects/p/protected_branches": [branch],
      [found]: branch,
    };
    const run = await planned(rows, desiredOf(declared));
    expect(run.changes.map(({ action, kind }) => `${action} ${kind}`)).toEqual([
      "replace protected_branch",
      "update approval_rule",
    ]);
    rows[found] = { ...branch, id: 102 };
    await send(run, "approval_rule");
    expect(run.bodies).toMatchObject([{ protected_branch_ids: [102] }]);
  });

  test("differs where it is replaced, because its ID does", async () => {
    const rows = {
      [rules]: [{ ...rule, protected_branches: [{ id: 101 }] }],
      "/projects/p/protected_branches": [branch],
      [found]: branch,
    };
    const { changes } = await planned(rows, desiredOf(declared));
    expect(changes.map(({ action, kind, reason }) => [action, kind, reason])).toEqual([
      ["replace", "protected_branch", "field differs"],
      ["update", "approval_rule", "field differs, protected_branches known after apply"],
    ]);
  });

  test("in another project only, it is a problem", async () => {
    const rows = { [rules]: [], "/projects/p/protected_branches": [] };
    const { problems } = await planned(rows, desiredOf({ approval_rule: declared.approval_rule } as never));
    expect(problems.map(({ rule: each }) => each)).toEqual(["look-up"]);
  });
});
