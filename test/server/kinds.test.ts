import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { compareMeaning } from "../../src/model/field-meaning.ts";
import type { ResourceKind } from "../../src/model/resource-kind.ts";
import type { Value } from "../../src/model/types.ts";
import type { ServerOptions } from "../../src/server/server.ts";
import { type Values, valuesOf } from "../kinds/exchange.ts";
import { type KindFile, kinds, readYaml } from "../kinds/kinds.ts";
import { tempFolder } from "../support/folder.ts";
import { serving } from "./serving.ts";

interface Example {
  readonly declared: Values;
  readonly parameters: Values;
  readonly row: Values;
  readonly items?: readonly ItemRequest[];
  readonly updates?: readonly {
    readonly declared: Values;
    readonly parameters?: Values;
    readonly items?: readonly ItemRequest[];
  }[];
}

/** `DELETE /projects/p/hooks/1/custom_headers/X`; with parameters as a mapping. */
type ItemRequest = string | Readonly<Record<string, Values>>;

/** The IDs in the seed of users, projects and groups that examples name. */
const ids: Readonly<Record<string, number>> = {
  raymond_smith: 61,
  "diaspora/diaspora-client": 44,
  "diaspora/diaspora-group": 5,
  "forum/quality": 4,
};

const folder = join(import.meta.dirname, "../kinds/rows");
const examples = new Map(
  readdirSync(folder).map((file) => [
    basename(file, ".yaml"),
    (readYaml(join(folder, file)) as { resources: readonly Example[] }).resources.map(withIds),
  ]),
);

function withIds(example: Example): Example {
  const parameters = Object.entries(example.parameters).map(([name, value]) => [name, ids[String(value)] ?? value]);
  return { ...example, parameters: Object.fromEntries(parameters) };
}

const latest = { release: "19.9", tier: "ultimate" } as const;
const seed = {
  projects: [
    { id: 42, path: "payments/api", resources: { resource_groups: [{ key: "production" }] } },
    { path: "payments/web" },
    { id: 44, path: "diaspora/diaspora-client" },
  ],
  groups: [
    { id: 3, path: "payments" },
    { id: 4, path: "forum/quality" },
    { id: 5, path: "diaspora/diaspora-group" },
  ],
  users: [{ id: 61, username: "raymond_smith" }],
  tokens: [
    { token: "guest", role: "guest" },
    { token: "writer", role: "admin" },
    { token: "reader", role: "admin", scopes: ["read_api"] },
  ],
} as const;

/** Licenses differ from other kinds (licenses.test.ts); what policies create are projects and groups themselves. */
const served = [...kinds].filter(([file, { under }]) => file !== "licenses" && under === undefined);

const start = (options: ServerOptions = {}) => serving({ ...latest, seed, ...options });

/** A call's method and path, of the seed's project or group and with a resource's values. */
function of(kind: KindFile, name: string, row: Values = {}): readonly [method: string, path: string] {
  const call = kind.calls[name];
  const written = typeof call === "string" ? call : (call?.call ?? "");
  const [method = "", path = ""] = written.split(" ");
  const owner = kind.of === "group" ? "payments" : "payments%2Fapi";
  const filled = path
    .replace(":id", owner)
    .replace(/:(?:row\.)?([a-z_]+)/g, (_, part: string) => encodeURIComponent(String(row[part])));
  return [method, filled];
}

/** Sends the requests for items of a resource; returns it as it is then. */
async function sendItems(ask: Asked, kind: KindFile, row: Values, items: readonly ItemRequest[]): Promise<Values> {
  for (const item of items) {
    const [[request = "", json] = []] = typeof item === "string" ? [[item]] : Object.entries(item);
    const [method = "", path = ""] = request.split(" ");
    const [, , , list = "", , ...rest] = path.split("/");
    const parent = of(kind, "update", row)[1];
    expect(parent).toContain(`/${list}/`);
    const { status, text } = await ask(method, [parent, ...rest].join("/"), json && { json });
    expect([request, status, text]).toEqual([request, { POST: 201, PUT: 200 }[method] ?? 204, text]);
  }
  return items.length === 0 ? row : (await ask(...of(kind, "show", row))).json;
}

/** The rows of a list, which may be a part of another response. */
function rowsOf(kind: KindFile, { json }: { readonly json: Values }): readonly Values[] {
  const { rows } = (kind.calls.list ?? {}) as { readonly rows?: string };
  return (rows === undefined ? json : json[rows]) as readonly Values[];
}

/** True if an empty list is a 404. */
function isNone({ calls: { list } }: KindFile): boolean {
  return typeof list === "object" && "none" in list;
}

/** The call that writes an example, and the status of its response. */
function writing(kind: KindFile, parameters: Values) {
  const name = kind.calls.create ? "create" : "update";
  const returnsNothing = (kind.calls[name] as { returns?: string }).returns === "nothing";
  return { call: of(kind, name, parameters), status: returnsNothing ? 204 : kind.calls.create ? 201 : 200 };
}

/** The only row of a kind, alone or from its list. */
async function readOne(ask: Asked, kind: KindFile): Promise<{ readonly json: Values }> {
  if (kind.calls.show) return ask(...of(kind, "show"));
  const [json = {}] = rowsOf(kind, await ask(...of(kind, "list")));
  return { json };
}

type Asked = Awaited<ReturnType<typeof serving>>["ask"];

/** The fields in which a row differs from what is declared. */
function differences(kind: KindFile, declared: Values, row: Values): readonly string[] {
  const live = valuesOf(kind, row);
  return Object.keys(declared).filter((name) => {
    const field = kind.fields.properties[name] ?? {};
    if (field.writeOnly && !field["x-returned"]) return false;
    return name in live && compareMeaning(field, declared[name] as Value, live[name] as Value) === "different";
  });
}

const isSingleton = (kind: KindFile) => kind.key === undefined;

const rest = served.filter(([, kind]) => {
  return !isSingleton(kind) && kind.calls.delete && String(kind.calls.create).startsWith("POST");
});

/** Where changes are sent: the first example with another. */
const first = (file: string): Example => {
  const example = examples.get(file)?.[0];
  if (!example) throw new Error(`no example of ${file}`);
  return example;
};

describe.each(served)("%s", (file, kind) => {
  test.each(examples.get(file) ?? [])("example %# is kept as it is declared, and changed", async (example) => {
    const { declared, parameters, items = [], updates = [] } = example;
    for (const update of [undefined, ...updates.filter((each) => each.parameters)]) {
      const { ask } = await start();
      const { call, status } = writing(kind, parameters);
      const answer = await ask(...call, { json: parameters });
      expect([answer.status, answer.json?.message]).toEqual([status, undefined]);
      const made = status === 204 ? await readOne(ask, kind) : answer;
      expect(differences(kind, declared, await sendItems(ask, kind, made.json, items))).toEqual([]);
      if (!update?.parameters) continue;
      const reply = await ask(...of(kind, "update", made.json), {
        json: sent(update.parameters, example, made.json),
      });
      expect([reply.status, reply.text]).toEqual([status === 204 ? 204 : 200, expect.any(String)]);
      const { json } = status === 204 ? await readOne(ask, kind) : reply;
      const changed = await sendItems(ask, kind, json, update.items ?? []);
      expect(differences(kind, { ...untouched(declared, update.declared), ...update.declared }, changed)).toEqual([]);
    }
  });

  test("shows no secret, neither in lists nor alone", async () => {
    const { ask } = await start();
    for (const { parameters } of examples.get(file) ?? []) {
      const made = await ask(...writing(kind, parameters).call, { json: parameters });
      const answers = [made, await ask(...of(kind, isSingleton(kind) ? "show" : "list"))];
      if (kind.calls.show && made.json) answers.push(await ask(...of(kind, "show", made.json)));
      const secrets = secretsOf(kind, parameters);
      expect(answers.filter(({ text }) => secrets.some((secret) => text.includes(secret)))).toEqual([]);
    }
  });

  test("needs a role to write, and a scope", async () => {
    const { ask } = await start();
    const json = first(file).parameters;
    const { call: write, status } = writing(kind, json);
    expect((await ask(...write, { json, token: "guest" })).status).toBe(
      (kind as unknown as ResourceKind).needs?.denial ?? 403,
    );
    expect((await ask(...write, { json, token: "reader" })).json.error).toBe("insufficient_scope");
    expect((await ask(...of(kind, isSingleton(kind) ? "show" : "list"), { token: "reader" })).status).toBe(
      isNone(kind) ? 404 : 200,
    );
    expect((await ask(...write, { json, token: null })).status).toBe(401);
    expect((await ask(...write, { json, token: "writer" })).status).toBe(status);
  });

  test("is not there for an unknown project or group, nor before its release or below its tier", async () => {
    const [method, path] = of(kind, isSingleton(kind) ? "show" : "list");
    const { ask } = await start();
    if (kind.of !== "instance") expect((await ask(method, path.replace("payments", "nobody"))).status).toBe(404);
    if (typeof kind.calls.list === "object" && "rows" in kind.calls.list) return;
    const { release, tier } = (kind as unknown as ResourceKind).needs ?? {};
    if (tier && tier !== "free") {
      const free = await start({ tier: "free" });
      expect((await free.ask(method, path)).status).toBe(404);
    }
    if (release) {
      const older = await start({ release: "7.0" });
      expect((await older.ask(method, path)).status).toBe(404);
    }
  });

  test("faults are told in the platform's form", async () => {
    const { ask } = await start();
    const { call: write } = writing(kind, first(file).parameters);
    const odd = await ask(...write, { json: { ...first(file).parameters, oddity: 1 } });
    expect([odd.status, odd.json]).toEqual([400, { error: "oddity is unknown" }]);
    const [field] = kind.fields.required ?? [];
    const needed = field && (kind.fields.properties[field]?.["x-send-as"] ?? field);
    if (!needed || write[1].endsWith(String(first(file).parameters[needed]))) return;
    const { [needed]: _, ...others } = first(file).parameters;
    expect((await ask(...write, { json: others })).json).toEqual({ error: `${needed} is missing` });
    const wrong = await ask(...write, { json: { ...others, [needed]: { a: 1 } } });
    expect(wrong.json.error).toMatch(new RegExp(`^${needed} (is invalid|does not have a valid value)$`));
  });
});

/** Updates name entries by the IDs that the example has; those that the server gave stand in the same place. */
function sent(parameters: Values, { row }: Example, made: Values): Values {
  const ids = new Map(idsOf(row).map((id, index) => [id, idsOf(made)[index]]));
  const within = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(within);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(([name, each]) => [name, name === "id" ? ids.get(each) : within(each)]);
    return Object.fromEntries(entries);
  };
  return within(parameters) as Values;
}

/** The IDs of entries of lists, by who has the entry. */
function idsOf(row: Values): readonly unknown[] {
  const lists = Object.entries(row).flatMap(([name, value]) => (Array.isArray(value) ? [[name, value] as const] : []));
  const entries = lists.flatMap(([name, list]) =>
    list.map(({ id, access_level: level, user_id: user, group_id: group, deploy_key_id: key }) => {
      const who = user ?? group ?? key ?? level;
      return [`${name} ${user ? "user" : group ? "group" : key ? "key" : "role"} ${who}`, id] as const;
    }),
  );
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, id]) => id);
}

/** What an update leaves alone, but for what excludes it. */
function untouched(declared: Values, changed: Values): Values {
  const others = Object.entries(declared).filter(([name]) => {
    const same = [`allowed_to_${name.split("_")[0]}`, `${name.replace("allowed_to_", "")}_access_level`];
    return !(name in changed || same.some((other) => other in changed));
  });
  return Object.fromEntries(others);
}

function secretsOf(kind: KindFile, parameters: Values): readonly string[] {
  const written = JSON.stringify(parameters);
  const isReturned = Object.values(kind.fields.properties).some((field) => field["x-returned"]);
  return isReturned ? [] : ["hunter2hunter2", "sesame-sesame"].filter((secret) => written.includes(secret));
}

describe.each(rest)("%s", (file, kind) => {
  test("a key that is taken is refused with 409, and a resource is gone once it is deleted", async () => {
    const { ask } = await start();
    const json = first(file).parameters;
    const answer = await ask(...of(kind, "create"), { json });
    const made = answer.status === 204 ? await readOne(ask, kind) : answer;
    expect((await ask(...of(kind, "create"), { json })).status).toBe(409);
    expect(rowsOf(kind, await ask(...of(kind, "list")))).toHaveLength(1);
    const { before } = kind.calls.delete as { readonly before?: string };
    if (before) {
      expect((await ask(...of(kind, "delete", made.json))).status).toBe(403);
      const stop = { ...kind, calls: { update: before } };
      expect((await ask(...of(stop, "update", made.json))).status).toBe(200);
    }
    expect(await ask(...of(kind, "delete", made.json))).toMatchObject({ status: 204, text: "" });
    expect((await ask(...of(kind, "delete", made.json))).status).toBe(404);
    if (kind.calls.update) expect((await ask(...of(kind, "update", made.json), { json: {} })).status).toBe(404);
    const empty = await ask(...of(kind, "list"));
    expect(empty.status === 404 ? [] : rowsOf(kind, empty)).toEqual([]);
    expect((await ask(...of(kind, "create"), { json })).status).toBe(writing(kind, json).status);
  });
});

describe("what clients of deployed servers meet", () => {
  const asked = async (path: string, json: object, options: ServerOptions = {}) => {
    const { ask } = await start({ behaviour: "observed", ...options });
    await ask("POST", path, { json });
    return ask("POST", path, { json });
  };
  const project = "/projects/42";

  test.each([
    ["variables", { key: "A", value: "1" }, 400, { message: { key: ["(A) has already been taken"] } }],
    ["protected_branches", { name: "main" }, 409, { message: "Protected branch 'main' already exists" }],
    ["protected_tags", { name: "v*" }, 422, { message: ["Name has already been taken"] }],
    ["labels", { name: "bug", color: "#cc0000" }, 409, { message: "Label already exists" }],
    ["hooks", { url: "ftp://x" }, 422, { error: "Invalid url given" }],
    ["push_rule", { member_check: true }, 422, { error: "Project push rule exists" }],
  ])("POST %s %j is answered with %s", async (segment, json, status, body) => {
    const refused = await asked(`${project}/${segment}`, json);
    expect([refused.status, refused.json]).toEqual([status, body]);
  });

  test("webhooks share URLs, and a deploy key is shared under its first title", async () => {
    expect((await asked(`${project}/hooks`, { url: "https://a.example" })).status).toBe(201);
    const { ask } = await start({ behaviour: "observed" });
    const key = "ssh-ed25519 AAAA ci";
    await ask("POST", `${project}/deploy_keys`, { json: { title: "first", key } });
    const again = await ask("POST", `${project}/deploy_keys`, { json: { title: "second", key, can_push: true } });
    expect([again.status, again.json.title, again.json.can_push]).toEqual([201, "first", false]);
    const elsewhere = await ask("POST", "/projects/payments%2Fweb/deploy_keys", { json: { title: "third", key } });
    expect([elsewhere.status, elsewhere.json.title]).toEqual([201, "first"]);
  });

  test("several variables of one key need the filter", async () => {
    const { ask } = await start();
    const variables = `${project}/variables`;
    for (const environment_scope of ["*", "production"]) {
      await ask("POST", variables, { json: { key: "A", value: "1", environment_scope } });
    }
    const message = "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'";
    expect((await ask("PUT", `${variables}/A`, { json: { value: "2" } })).json).toEqual({ message });
    const narrow = `${variables}/A?filter[environment_scope]=production`;
    expect((await ask("PUT", narrow, { json: { value: "2" } })).json).toMatchObject({ value: "2" });
    expect((await ask("GET", variables)).json.map(({ value }: Values) => value)).toEqual(["1", "2"]);
    expect((await ask("DELETE", narrow)).status).toBe(204);
    expect((await ask("PUT", `${variables}/A`, { json: { value: "3" } })).status).toBe(200);
  });

  test("hidden variables are masked, and never answered", async () => {
    const { ask } = await start();
    const json = { key: "A", value: "long-enough", masked_and_hidden: true };
    const made = await ask("POST", `${project}/variables`, { json });
    expect(made.json).toMatchObject({ hidden: true, masked: true, value: null });
    expect((await ask("PUT", `${project}/variables/A`, { json: { value: "another-one" } })).json.value).toBe(null);
    const unfit = await ask("POST", `${project}/variables`, { json: { key: "B", value: "short", masked: true } });
    expect([unfit.status, unfit.json]).toEqual([400, { message: { value: ["is invalid"] } }]);
  });

  test("a push rule that is not there is null, and changed only once it is", async () => {
    const { ask } = await start();
    const path = `${project}/push_rule`;
    expect(await ask("GET", path)).toMatchObject({ status: 200, text: "null" });
    expect((await ask("PUT", path, { json: { member_check: true } })).status).toBe(404);
    expect((await ask("POST", path, { json: { member_check: true } })).status).toBe(201);
    expect((await ask("POST", path, { json: { member_check: true } })).status).toBe(409);
    expect((await ask("PUT", path, { json: { max_file_size: 3 } })).json).toMatchObject({ member_check: true });
    expect((await ask("DELETE", path)).status).toBe(204);
    expect((await ask("GET", path)).json).toBe(null);
  });

  test("approvers that a change leaves out are removed; a rule without any is everyone's", async () => {
    const { ask } = await start({ behaviour: "observed" });
    const path = `${project}/approval_rules`;
    const made = await ask("POST", path, { json: { name: "a", approvals_required: 1, user_ids: [5], group_ids: [8] } });
    const changed = await ask("PUT", `${path}/${made.json.id}`, { json: { user_ids: [6] } });
    expect(changed.json).toMatchObject({ name: "a", rule_type: "regular", users: [{ id: 6 }], groups: [] });
    const everyone = await ask("POST", path, { json: { name: "b", approvals_required: 1 } });
    expect(everyone.json).toMatchObject({ name: "b", rule_type: "any_approver" });
    expect((await ask("POST", path, { json: { name: "c", approvals_required: 1 } })).status).toBe(400);
  });

  test("entries of a protected branch have IDs, and go with _destroy", async () => {
    const { ask } = await start();
    const path = `${project}/protected_branches`;
    const json = { name: "release/*", allowed_to_push: [{ user_id: 5 }, { access_level: 40 }] };
    const made = await ask("POST", path, { json });
    const [user, role] = made.json.push_access_levels;
    expect(new Set([user.id, role.id, made.json.id]).size).toBeGreaterThan(1);
    const one = `${path}/${encodeURIComponent(json.name)}`;
    const change = { allowed_to_push: [{ id: user.id, _destroy: true }, { group_id: 7 }], push_access_level: 0 };
    const changed = await ask("PATCH", one, { json: change });
    expect(changed.json.push_access_levels).toMatchObject([{ id: role.id, access_level: 40 }, { group_id: 7 }]);
    expect((await ask("GET", one)).json).toEqual(changed.json);
    const older = await start({ release: "15.5" });
    const first = await older.ask("POST", path, { json });
    const owners = { ...change, code_owner_approval_required: true };
    expect((await older.ask("PATCH", one, { json: owners })).json).toEqual({
      ...first.json,
      code_owner_approval_required: true,
    });
    const free = await start({ tier: "free" });
    const plain = await free.ask("POST", path, { json: { name: "main", push_access_level: 30 } });
    expect(plain.json.push_access_levels).toEqual([{ id: expect.any(Number), access_level: 30 }]);
  });
});

test.each([
  ["17.6", { project_creation_level: "owner" }, 400],
  ["17.7", { project_creation_level: "owner" }, 200],
  ["15.7", { shared_runners_setting: "disabled_with_override" }, 200],
  ["17.0", { shared_runners_setting: "disabled_with_override" }, 400],
  ["15.8", { shared_runners_setting: "disabled_and_overridable" }, 200],
])("a server of %s answers %o with %d", async (release, json, status) => {
  const { ask } = await start({ release });
  expect((await ask("PUT", "/groups/payments", { json })).status).toBe(status);
});

test("the tags that a clean-up removes are kept as name_regex, whatever else is sent", async () => {
  const { ask } = await start();
  const sent = { container_expiration_policy_attributes: { name_regex: "^v", enabled: true } };
  await ask("PUT", "/projects/payments%2Fapi", { json: sent });
  const { container_expiration_policy: policy } = (await ask("GET", "/projects/payments%2Fapi")).json;
  expect(policy).toMatchObject({ name_regex: "^v", enabled: true, keep_n: 10 });
  expect(policy).not.toHaveProperty("name_regex_delete");
});

describe("look-ups", () => {
  test("users are found by name, of tokens or of the seed", async () => {
    const { ask } = await start({ seed: { ...seed, users: ["anna", { id: 50, username: "ben" }] } });
    expect((await ask("GET", "/users?username=Anna")).json).toMatchObject([{ username: "anna" }]);
    expect((await ask("GET", "/users?username=ben")).json).toMatchObject([{ id: 50 }]);
    expect((await ask("GET", "/users?username=root")).json).toMatchObject([{ id: 1 }]);
    expect((await ask("GET", "/users?username=nobody")).json).toEqual([]);
    expect((await ask("GET", "/groups/Payments?with_projects=false")).json).toMatchObject({
      id: 3,
      full_path: "payments",
    });
    expect((await ask("GET", "/groups/nobody")).status).toBe(404);
  });

  test("settings are part of the project, and lists have its name", async () => {
    const { ask } = await start();
    const before = (await ask("GET", "/projects/42")).json;
    expect(before).toMatchObject({ id: 42, name: "api", default_branch: "main", topics: [], permissions: {} });
    const json = { name: "API", public_builds: true, container_expiration_policy_attributes: { enabled: true } };
    const changed = await ask("PUT", "/projects/payments%2Fapi", { json });
    expect(changed.json).toMatchObject({ name: "API", public_jobs: true, path_with_namespace: "payments/api" });
    expect(changed.json.container_expiration_policy).toMatchObject({ enabled: true, cadence: "1d" });
    expect((await ask("GET", "/projects")).json[0].name).toBe("API");
    expect((await ask("PUT", "/projects/42", { json: {} })).json.error).toMatch(
      /at least one parameter must be provided/,
    );
    expect((await ask("PUT", "/projects/42", { form: { topics: "", lfs_enabled: "yes" } })).json).toMatchObject({
      topics: [],
      lfs_enabled: true,
    });
  });
});

const windows: ResourceKind = {
  name: "windows",
  singular: "window",
  of: "project",
  key: "title",
  calls: {
    list: "GET /projects/:id/windows",
    create: "POST /projects/:id/windows",
    update: "PUT /projects/:id/windows/:row.id",
    delete: "DELETE /projects/:id/windows/:row.id",
  },
  body: "form",
  fields: {
    required: ["title"],
    properties: {
      title: { type: "string" },
      days: { type: "array", items: { type: "integer" } },
      parts: { type: "array", items: { properties: { name: { type: "string" }, size: { type: "integer" } } } },
    },
  },
};

test("a kind of one's own is kept like the others, sent as a form too", async () => {
  const { ask, server } = await start({ kinds: [windows] });
  const body = "title=a&days[]=1&days[]=2&parts[][name]=x&parts[][size]=3&parts[][name]=y";
  const type = "application/x-www-form-urlencoded";
  const made = await ask("POST", "/projects/42/windows", { body, type });
  const row = { id: 1, title: "a", days: [1, 2], parts: [{ name: "x", size: 3 }, { name: "y" }] };
  expect([made.status, made.json]).toEqual([201, row]);
  expect((await ask("GET", "/projects/42/windows/1")).json).toEqual(row);
  expect((await ask("PUT", "/projects/42/windows/1", { form: { "days[]": "3" } })).json.days).toEqual([3]);
  expect((await ask("HEAD", "/projects/42/windows")).status).toBe(200);
  expect((await ask("PATCH", "/projects/42/windows")).status).toBe(405);
  expect(server.requests.count("POST")).toBe(1);
});

test("a field is kept where it is read from, and one that is never sent has no parameter", async () => {
  const properties = {
    host: { type: "string", "x-read": "row.url.split('@')[1]", "x-send": "null" },
    url: { type: "string", writeOnly: true, "x-store": { url: "'https://***@' + params.url.split('@')[1]" } },
    title: { type: "string", "x-read": "row.name" },
  } as const;
  const kind: ResourceKind = { ...windows, key: ["host", "title"], fields: { properties, required: ["host", "url"] } };
  const { ask } = await start({ kinds: [kind] });
  const create = (url: string) => ask("POST", "/projects/42/windows", { json: { url, title: "a" } });
  const row = { id: 1, url: "https://***@a.test", name: "a" };
  expect(await create("https://me:pw@a.test")).toMatchObject({ status: 201, json: row });
  expect((await create("https://other:pw@a.test")).status).toBe(409);
  expect((await create("https://me:pw@b.test")).status).toBe(201);
  await ask("PUT", "/projects/42/windows/1", { json: { title: "b" } });
  expect((await ask("GET", "/projects/42/windows/1")).json).toEqual({ ...row, name: "b" });
});

test("what an expression sends may be of another type than its field", async () => {
  const labels = { type: "array", items: { type: "string" }, "x-send": "want.labels.join(',')" } as const;
  const store = { "x-store": "params.labels.split(',')" } as const;
  const fields = { properties: { title: { type: "string" }, labels: { ...labels, ...store } } } as const;
  const { ask } = await start({ kinds: [{ ...windows, fields }] });
  const made = await ask("POST", "/projects/42/windows", { json: { title: "a", labels: "x,y" } });
  expect([made.status, made.json.labels]).toEqual([201, ["x", "y"]]);
});

test("values of a mapping of any names have their type, sent as a form too", async () => {
  const properties = {
    ...windows.fields.properties,
    limits: { type: "object", additionalProperties: { type: "integer" } },
  } as const;
  const { ask } = await start({ kinds: [{ ...windows, fields: { ...windows.fields, properties } }] });
  const form = { title: "a", "limits[hours]": "5" };
  expect((await ask("POST", "/projects/42/windows", { form })).json.limits).toEqual({ hours: 5 });
});

test("a parameter of a list that is no boolean is refused", async () => {
  const { ask } = await start();
  const refused = await ask("GET", "/projects/42/labels?include_ancestor_groups=false?per_page=100");
  expect([refused.status, refused.json]).toEqual([400, { error: "include_ancestor_groups is invalid" }]);
  expect((await ask("GET", "/projects/42/labels?include_ancestor_groups=true")).status).toBe(200);
});

test.each(["groups/payments", "projects/42"])("a label of %s is found by its ID or its name", async (owner) => {
  const { ask } = await start();
  for (const name of ["bug", "a/b"]) await ask("POST", `/${owner}/labels`, { json: { name, color: "#cc0000" } });
  expect((await ask("GET", `/${owner}/labels/1`)).json).toMatchObject({ name: "bug" });
  expect((await ask("PUT", `/${owner}/labels/a%2Fb`, { json: { description: "c" } })).json).toMatchObject({ id: 2 });
  expect((await ask("DELETE", `/${owner}/labels/bug`)).status).toBe(204);
  expect((await ask("DELETE", `/${owner}/labels/bug`)).status).toBe(404);
  expect((await ask("GET", `/${owner}/labels`)).json).toMatchObject([{ name: "a/b", description: "c" }]);
});

test("a label of a group is taken in its projects and subgroups", async () => {
  const { ask } = await start();
  const json = { name: "bug", color: "#cc0000" };
  expect((await ask("POST", "/groups/payments/labels", { json })).status).toBe(201);
  expect((await ask("POST", "/projects/42/labels", { json })).status).toBe(409);
  expect((await ask("POST", "/projects/42/labels", { json: { ...json, name: "own" } })).status).toBe(201);
});

test("groups have keyset pagination by name alone, as on the platform", async () => {
  const { ask } = await start();
  const listed = (query: string) => ask("GET", `/groups?${query}`);
  expect(await listed("pagination=keyset&order_by=id&sort=asc")).toMatchObject({
    status: 405,
    json: { error: "Keyset pagination is not yet available for this type of request" },
  });
  for (const query of ["order_by=id&sort=asc", "pagination=keyset&order_by=name&sort=asc"])
    expect((await listed(query)).json).toContainEqual(expect.objectContaining({ id: 3, full_path: "payments" }));
});

test("what is deleted is gone from what refers to it", async () => {
  const { ask } = await start();
  const made = await ask("POST", "/projects/42/protected_branches", { json: { name: "next" } });
  const json = { name: "two", approvals_required: 2, user_ids: [5], protected_branch_ids: [made.json.id] };
  await ask("POST", "/projects/42/approval_rules", { json });
  const referred = async () => (await ask("GET", "/projects/42/approval_rules")).json[0].protected_branches;
  expect(await referred()).toEqual([{ id: made.json.id }]);
  await ask("DELETE", "/projects/42/protected_branches/next");
  expect(await referred()).toEqual([]);
});

test("rows last, with the numbers that they have", async () => {
  const data = `${tempFolder()}/data`;
  const first = await start({ data, seed: { ...seed, users: ["anna"] } });
  await first.ask("POST", "/projects/42/labels", { json: { name: "bug", color: "#cc0000" } });
  for (const title of ["b", "a"]) {
    await first.ask("POST", "/projects/42/deploy_keys", { json: { title, key: `ssh-rsa ${title}` } });
  }
  await first.ask("PUT", "/projects/42", { json: { visibility: "internal" } });
  await first.server.close();
  const second = await start({ data });
  expect((await second.ask("GET", "/projects/42/labels")).json).toMatchObject([{ id: 1, name: "bug" }]);
  expect((await second.ask("GET", "/projects/42/deploy_keys")).json.map(({ title }: Values) => title)).toEqual([
    "b",
    "a",
  ]);
  expect((await second.ask("GET", "/projects/42")).json.visibility).toBe("internal");
  expect((await second.ask("GET", "/users?username=anna")).json).toHaveLength(1);
});

test("a seed gives parameters, or parts of rows", async () => {
  const { ask } = await start({
    seed: {
      projects: [
        {
          id: 42,
          path: "payments/api",
          resources: {
            settings: { visibility: "public", public_jobs: true },
            push_rule: { member_check: true },
            protected_branches: [
              { name: "main", push_access_level: 0 },
              { name: "old", push_access_levels: [{ id: 9, access_level: 30 }], inherited: true },
            ],
          },
        },
      ],
    },
  });
  expect((await ask("GET", "/projects/42")).json).toMatchObject({ visibility: "public", public_jobs: true });
  expect((await ask("GET", "/projects/42/push_rule")).json).toMatchObject({ member_check: true });
  const [main, old] = (await ask("GET", "/projects/42/protected_branches")).json;
  expect(main.push_access_levels).toMatchObject([{ access_level: 0 }]);
  expect(old).toMatchObject({
    inherited: true,
    push_access_levels: [{ id: 9 }],
    merge_access_levels: [{ access_level: 40 }],
  });
});
