import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { compareMeaning } from "../../src/model/field-meaning.ts";
import type { ResourceKind } from "../../src/model/resource-kind.ts";
import type { Value } from "../../src/model/types.ts";
import type { ServerOptions } from "../../src/server/server.ts";
import { type Example, type ItemRequest, type Values, valuesOf } from "../kinds/exchange.ts";
import { type KindFile, kinds, readYaml } from "../kinds/kinds.ts";
import { tempFolder } from "../support/folder.ts";
import { serving } from "./serving.ts";

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
  const [method = "", path = ""] = (typeof call === "string" ? call : (call?.call ?? "")).split(" ");
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

function isNone({ calls: { list } }: KindFile): boolean {
  return typeof list === "object" && "none" in list;
}

/** The call that writes an example, and the status of its response. */
function writing(kind: KindFile, parameters: Values) {
  const name = kind.calls.create ? "create" : "update";
  const returnsNothing = (kind.calls[name] as { returns?: string }).returns === "nothing";
  return { call: of(kind, name, parameters), status: returnsNothing ? 204 : kind.calls.create ? 201 : 200 };
}

async function readOne(ask: Asked, kind: KindFile): Promise<{ readonly json: Values }> {
  if (kind.calls.show) return ask(...of(kind, "show"));
  const [json = {}] = rowsOf(kind, await ask(...of(kind, "list")));
  return { json };
}

type Asked = Awaited<ReturnType<typeof serving>>["ask"];

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
