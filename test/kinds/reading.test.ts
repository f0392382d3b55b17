import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/base/json.ts";
import type { Reader } from "../../src/client/client.ts";
import { CallFailed } from "../../src/client/failure.ts";
import { type Catalogue, catalogueOf } from "../../src/model/catalogue.ts";
import { meaningOf } from "../../src/model/field-meaning.ts";
import type { KindRow } from "../../src/model/kind-row.ts";
import { identityOf } from "../../src/model/kinds.ts";
import { fieldInRow, rowWithoutSecrets } from "../../src/model/read-field.ts";
import { callDetails, keyFieldsOf, keyTextOf, type ResourceKind } from "../../src/model/resource-kind.ts";
import { kindRowOf } from "../../src/model/resource-kind-row.ts";
import type { Call, Desired, DesiredProject, Fields, Value } from "../../src/model/types.ts";
import { diff } from "../../src/plan/diff/diff.ts";
import { readInventory, readReadable } from "../../src/run/live/read-live.ts";
import { kinds, readYaml } from "./kinds.ts";

const files = kinds as unknown as ReadonlyMap<string, ResourceKind>;
const catalogue: Catalogue = {
  ...catalogueOf(),
  kinds: new Map([...catalogueOf().kinds, ...Array.from(files, ([name, file]) => [name, kindRowOf(file)] as const)]),
};

type Answers = (call: Call) => unknown;

/** A server that answers lists, and single resources by the end of their path. */
function readerOf(list: unknown, single: Answers = () => list): Reader & { readonly sent: string[] } {
  const sent: string[] = [];
  const answer = (call: Call, body: unknown) => {
    sent.push(call.path);
    if (body instanceof CallFailed) throw body;
    return body;
  };
  return {
    sent,
    catalogue,
    room: () => 1,
    counts: { reads: 0, writes: 0, retries: 0 },
    get: async (call: Call) => ({ status: 200, body: answer(call, single(call)), headers: {} }) as never,
    list: async (call: Call) => answer(call, list) as readonly unknown[],
  };
}

function refusal(status: number, serverMessage?: string): CallFailed {
  const call = { method: "GET", path: "/x", url: "/x", kind: "status", what: "failed", attempts: 1 } as const;
  return new CallFailed({ ...call, status, ...(serverMessage && { serverMessage }) });
}

const place = { place: () => ({ file: "a.yaml", line: 1, column: 1 }) };

function desiredOf(
  kind: string,
  declared: readonly Fields[],
  more: Partial<Desired & DesiredProject> = {},
): DesiredProject {
  const file = files.get(kind);
  if (!file) throw new RangeError(kind);
  const keys = new Set(keyFieldsOf(file));
  const resources = declared.map((values): Desired => {
    const key = keyFieldsOf(file).length === 0 ? "" : keyTextOf(file, values);
    const own = Object.entries(values).filter(([name]) => !keys.has(name));
    const fields = own.map(([name, value]) => [name, normal(file, name, value)] as const);
    const identity = identityOf(catalogue, { kind, key });
    return { kind, key, identity, presence: "present", origin: place, ...more, fields: Object.fromEntries(fields) };
  });
  const project = { project: { name: kind.startsWith("group_") ? "g/" : "p" }, kinds: new Set([kind]) };
  return { ...project, resources, exclusive: new Map(), ...more };
}

/** Secrets are references in desired resources, at any depth. */
function normal(file: ResourceKind, name: string, value: Value): Value {
  const field = file.fields.properties[name] ?? {};
  if (field.writeOnly) return { secret: `env:${name}` };
  if (name === "custom_headers" || name === "url_variables")
    return (value as readonly { key: string }[]).map(({ key }) => ({ key, value: { secret: "env:V" } })) as never;
  return meaningOf(field, value);
}

async function differenceOf(reader: Reader, desired: DesiredProject) {
  const { live, unread } = await readReadable(reader, desired);
  return { ...diff(desired, live, { alwaysSend: false, catalogue }), live, unread };
}

interface Examples {
  readonly resources: readonly { readonly declared: Fields; readonly row: JsonObject }[];
  readonly foreign?: readonly JsonObject[];
}

describe.each([...files.keys()])("%s", (kind) => {
  const { resources, foreign = [] } = readYaml(join(import.meta.dirname, "rows", `${kind}.yaml`)) as Examples;
  const isSingle = files.get(kind)?.calls.list === undefined;
  const isGone = files.get(kind)?.removed !== undefined;
  const { rows: part } = callDetails(files.get(kind)?.calls.list);
  const single = (row: JsonObject) => () => (part === undefined ? row : { [part]: [...foreign, row] });

  test.each(resources)("example %# is read as it is declared, without secrets", async ({ declared, row }) => {
    const reader = readerOf(isSingle ? row : [...foreign, row], single(row));
    const { changes, problems, unread, live, unmanaged } = await differenceOf(reader, desiredOf(kind, [declared]));
    expect({ changes, problems, unread, unmanaged }).toEqual({ changes: [], problems: [], unread: [], unmanaged: 0 });
    expect(live).toHaveLength(1);
    expect(JSON.stringify(live)).not.toMatch(/hunter2|sesame/);
    expect(isGone || Object.keys(live[0]?.row ?? {}).length).toBeTruthy();
  });

  test.each(resources)("example %# is removed where it is absent, and shows what goes", async ({ declared, row }) => {
    const reader = readerOf(isSingle ? row : [row], single(row));
    const { changes, problems } = await differenceOf(reader, desiredOf(kind, [declared], { presence: "absent" }));
    const canDelete = files.get(kind)?.calls.delete !== undefined;
    expect(changes.map(({ action }) => action)).toEqual(canDelete ? ["delete"] : []);
    expect(problems.map(({ rule }) => rule)).toEqual(canDelete ? [] : ["cannot-delete"]);
    for (const { before } of changes) expect(JSON.stringify(before)).not.toMatch(/hunter2|sesame/);
  });
});

test("what no policy declares is unmanaged without being kept, or removed by exclusive", async () => {
  const rows = [
    { id: 1, url: "https://a.test", push_events: true, tag_push_events: true, name: null, token: "hunter2" },
  ];
  const { live, unmanaged } = await differenceOf(readerOf(rows), desiredOf("webhooks", []));
  expect([unmanaged, live]).toEqual([
    1,
    [{ kind: "webhooks", key: "https://a.test", id: 1, active: true, fields: {} }],
  ]);
  const exclusive = new Map([["webhooks", place]]);
  const { changes } = await differenceOf(readerOf(rows), desiredOf("webhooks", [], { exclusive }));
  expect(changes).toMatchObject([{ action: "delete", key: "https://a.test", before: { tag_push_events: true } }]);
});

test("a row without its key is an error of that kind, and no deletion", async () => {
  const exclusive = new Map([["webhooks", place]]);
  for (const url of [null, "", undefined, [], { url: "https://a.test" }]) {
    const { live, unread } = await readReadable(
      readerOf([
        { id: 1, url },
        { id: 2, url: "https://b.test" },
      ]),
      desiredOf("webhooks", [{ url: "https://b.test" }], { exclusive }),
    );
    expect(live).toEqual([]);
    expect(unread.map(({ kind, failure }) => [kind, failure.kind, failure.message])).toEqual([
      [
        "webhooks",
        "shape",
        expect.stringContaining("a row has no url, which tells one of webhooks from another; it has id, url"),
      ],
    ]);
  }
});

test("a row for which where is neither true nor false is an error of that kind, and no creation", async () => {
  for (const kind of [undefined, null, "project", "group"]) {
    const row = { id: 1, name: "ci", link_url: "https://a.test", image_url: "https://b.test" };
    const rows = [kind === undefined ? row : { ...row, kind }];
    const { live, unread } = await readReadable(readerOf(rows), desiredOf("badges", [{ name: "ci" }]));
    const failures = unread.map(({ failure }) => [failure.kind, failure.message]);
    const message = expect.stringContaining("where of badges is neither true nor false for a row of it");
    expect([live.length, failures]).toEqual([
      kind === "project" ? 1 : 0,
      kind === undefined ? [["shape", message]] : [],
    ]);
  }
});

test("a variable is found by all fields of its key", async () => {
  const rows = [
    { key: "A", environment_scope: "*", value: "hunter2", masked: false },
    { key: "A", environment_scope: "production", value: "hunter2", masked: true },
  ];
  const declared = [
    { key: "A", masked: false },
    { key: "A", environment_scope: "production", masked: false },
  ];
  const { changes } = await differenceOf(readerOf(rows), desiredOf("variables", declared));
  expect(changes.map(({ key, after }) => [key, after])).toEqual([["A@production", { masked: false }]]);
});

describe("a singleton", () => {
  const declared = [{ deny_delete_tag: true }];
  test.each([
    ["null", null],
    ["404", refusal(404, "404 Not Found")],
  ])("that is answered with %s is not there, and is created", async (_, body) => {
    const { changes, unread } = await differenceOf(readerOf(body), desiredOf("push_rule", declared));
    expect(unread).toEqual([]);
    expect(changes.map(({ action, before, after }) => [action, before, after])).toEqual([
      ["create", null, declared[0]],
    ]);
  });

  test.each([refusal(404, "404 Project Not Found"), refusal(403, "403 Forbidden")])(
    "that cannot be read: %s",
    async (failure) => {
      const { live, unread } = await readReadable(readerOf(failure), desiredOf("push_rule", declared));
      expect([live, unread.map(({ kind }) => kind)]).toEqual([[], ["push_rule"]]);
    },
  );

  test("is compared by what is declared alone", async () => {
    const row = {
      id: 1,
      path: "p",
      merge_method: "ff",
      description: "x",
      container_expiration_policy: { enabled: true, keep_n: 5 },
    };
    const settings = [{ description: "y", container_expiration_policy: { enabled: true } }];
    const { changes } = await differenceOf(readerOf(row), desiredOf("settings", settings));
    expect(changes.map(({ action, before, after }) => [action, before, after])).toEqual([
      ["update", { description: "x" }, { description: "y" }],
    ]);
  });
});

test("what only a single answer has is read one by one, and only where it is declared", async () => {
  const rows = [1, 2].map((id) => ({ id, url: `https://${id}.test`, push_events: true }));
  const single: Answers = ({ path }) => ({ ...rows[Number(path.slice(-1)) - 1], custom_headers: [{ key: "a" }] });
  const headers = (key: string) => [{ key, value: "x" }];
  const reader = readerOf(rows, single);
  const declared = [{ url: "https://1.test" }, { url: "https://2.test", custom_headers: headers("b") as never }];
  const { changes } = await differenceOf(reader, desiredOf("webhooks", declared));
  expect(reader.sent).toEqual(["/projects/p/hooks", "/projects/p/hooks/2"]);
  expect(changes.map(({ key, before }) => [key, before])).toEqual([
    ["https://2.test", { custom_headers: [{ key: "a" }] }],
  ]);
});

test("one that cannot be read on its own leaves the others", async () => {
  const rows = [1, 2].map((id) => ({ id, url: `https://${id}.test` }));
  const desired = desiredOf("webhooks", [{ url: "https://1.test" }, { url: "https://2.test", url_variables: [] }]);
  const { live, unread } = await readReadable(
    readerOf(rows, () => refusal(403)),
    desired,
  );
  expect([live.map(({ key }) => key), unread.map(({ key }) => key)]).toEqual([["https://1.test"], ["https://2.test"]]);
});

test.each(["row.auth.token", 'row["auth"].token', "row[?'auth'].?token.orValue('')"])(
  "a row has nothing that a secret is read from by %s",
  (read) => {
    const token = { type: "string", writeOnly: true, "x-read": read } as const;
    const file = { fields: { properties: { id: { type: "integer" }, token } } } as unknown as ResourceKind;
    expect(rowWithoutSecrets(file, { id: 1, auth: { token: "secret" } })).toEqual({ id: 1 });
  },
);

test.each([undefined, "row.logins"])(
  "items have the names of their fields, and nothing that no field describes: %s",
  (read) => {
    const words = {
      user: { type: "string", "x-send-as": "name" },
      token: { type: "string", writeOnly: true, "x-send-as": "key" },
    };
    const logins = { type: "array", items: { type: "object", properties: words }, ...(read && { "x-read": read }) };
    const file = { name: "x", singular: "y", of: "project", calls: {}, fields: { properties: { logins } } };
    const kind = kindRowOf(file as unknown as ResourceKind) as KindRow;
    const row = { logins: [{ name: "anna", key: "hunter2", other: "hunter2" }] };
    expect(fieldInRow(kind, "logins", row)).toEqual([read ? {} : { user: "anna" }]);
  },
);

test("the same row on two pages is one resource", async () => {
  const row = { id: 1, url: "https://a.test", push_events: true };
  const { live } = await readReadable(readerOf([row, { ...row, push_events: false }]), desiredOf("webhooks", []));
  expect(live).toHaveLength(1);
  const tag = { name: "v*", create_access_levels: [{ access_level: 40 }] };
  const { live: tags } = await readReadable(readerOf([tag, { ...tag }]), desiredOf("protected_tags", []));
  expect(tags).toHaveLength(1);
});

test("two resources of one ID are an error of that kind, because a call would reach either", async () => {
  const rows = [
    { id: 1, url: "https://a.test" },
    { id: 1, url: "https://b.test" },
  ];
  const { live, unread } = await readReadable(readerOf(rows), desiredOf("webhooks", []));
  expect(live).toEqual([]);
  expect(unread.map(({ failure }) => failure.message)).toEqual([
    expect.stringContaining("a list that cannot be used: two rows have one id and differ in url"),
  ]);
});

test("an inventory has every field but secrets", async () => {
  const rows = [
    { id: 1, url: "https://a.test", push_events: true, token: "hunter2", custom_headers: [{ key: "a", value: "x" }] },
  ];
  const { live } = await readInventory(readerOf(rows), { name: "p" }, "webhooks", () => true);
  expect(live).toMatchObject([{ key: "https://a.test", fields: { push_events: true } }]);
  expect(JSON.stringify(live)).not.toContain("hunter2");
  expect(live[0]?.fields).not.toHaveProperty("url");
});
