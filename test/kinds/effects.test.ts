import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/base/json.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { meaningOf } from "../../src/model/field-meaning.ts";
import { fieldOf, identityOf, kindOf } from "../../src/model/kinds.ts";
import { effectOfChange, policyEffectOf } from "../../src/model/policy-effect.ts";
import { removes } from "../../src/model/removal-changes.ts";
import { strictGroups } from "../../src/model/strictness.ts";
import type { Fields } from "../../src/model/types.ts";
import { diff } from "../../src/plan/diff/diff.ts";
import { liveRow } from "../../src/run/live/kind-resources.ts";
import { readYaml } from "./kinds.ts";
import "../../src/index.ts";

const catalogue = catalogueOf();
const origin = { place: () => ({ file: "a.yaml", line: 1, column: 1 }) };

/** What a plan says of one resource: action, effect, and the fields before and after. */
function planned(kind: string, key: string, row: JsonObject | null, declared: Fields) {
  const named = { kind, key };
  const fields = Object.fromEntries(
    Object.entries(declared).map(([name, value]) => [name, meaningOf(fieldOf(catalogue, named, name) ?? {}, value)]),
  );
  const desired = { ...named, fields, identity: identityOf(catalogue, named), presence: "present", origin } as const;
  const project = { project: { name: "p" }, kinds: new Set([kind]), resources: [desired], exclusive: new Map() };
  const live = row ? [liveRow(kindOf(catalogue, kind), named, row, fields)] : [];
  const [change] = diff(project, live, { alwaysSend: false, catalogue }).changes;
  return change;
}

type Effect = readonly [JsonObject | null, Fields, string];

const { rows, projects, groups, instance } = readYaml(join(import.meta.dirname, "../cases/kinds/effects.yaml")) as {
  readonly rows: Readonly<Record<string, JsonObject>>;
  readonly projects: Readonly<Record<string, Readonly<Record<string, Effect>>>>;
  readonly groups: readonly (readonly [string, JsonObject, Fields, string])[];
  readonly instance: readonly (readonly [Fields, Fields, string])[];
};

/** Who is let in by an access level, as the server has it; "free": on servers that take roles at creation only. */
const levelOf: Readonly<Record<string, (id: number) => JsonObject>> = {
  role: (id) => ({ id, access_level: id, user_id: null, group_id: null }),
  free: (id) => ({ id, access_level: id }),
  user: (id) => ({ id, access_level: 40, user_id: id, group_id: null }),
  key: (id) => ({ id, access_level: 40, user_id: null, group_id: null, deploy_key_id: id }),
  custom: (id) => ({ id: id + 100, access_level: 40, user_id: null, group_id: null, member_role_id: id }),
};

const rowOf = (kind: string, more: JsonObject) => withLevels({ ...rows[kind], ...more });

function withLevels(row: JsonObject): JsonObject {
  const entries = Object.entries(row).map(([name, value]) => {
    return [name, name.endsWith("_access_levels") ? (value as string[]).map(levelIn) : value] as const;
  });
  return Object.fromEntries(entries);
}

function branch(...push: string[]): JsonObject {
  return rowOf("protected_branch", { push_access_levels: push });
}

function levelIn(words: string): JsonObject {
  const [who = "", id] = words.split(" ");
  return levelOf[who]?.(Number(id)) ?? {};
}

const variants = Object.entries(projects).flatMap(([resource, each]) => {
  const [kind = "", key = ""] = resource.split(" ");
  return Object.entries(each).map(([what, [row, declared, effect]]) => {
    return [what, kind, key, row && rowOf(kind, row), declared, effect ?? "none"] as const;
  });
});

test.each(groups)("the effect of a change of %s %j to %j", (name, row, declared, expected) => {
  const kind = kindNamed(name, "group");
  const change = { kind, action: "update", key: "main", before: {}, after: declared, declared } as const;
  const live = { kind, key: "main", fields: {}, active: true, row: withLevels(row) };
  expect(effectOfChange({ ...change, live } as never, catalogue)).toBe(expected);
});

test.each(instance)("the effect of a change of the instance from %j to %j", (before, after, expected) => {
  expect(policyEffectOf({ kind: kindNamed("settings", "instance"), before, after }, catalogue)).toBe(expected);
});

function kindNamed(name: string, of: string): string {
  return [...catalogue.kinds].find(([, { file }]) => file.name === name && file.of === of)?.[0] ?? "";
}

/** Names that promise a permission or a protection. */
const promising =
  /access_level|_creation_level|^only_|^require_|^prevent_|_approval|^protected$|^masked$|^enable_ssl|expires_at$/;

test.each(
  [...catalogue.kinds.values()].filter(
    ({ file }) => file.loosened !== undefined || strictGroups(file.fields).length > 0,
  ),
)("each permission of $file.name has a strictness, or an expression that reads it", ({ file }) => {
  const strict = new Set(strictGroups(file.fields).flat());
  const read = `${file.loosened} ${file.tightened}`;
  const names = Object.keys(file.fields.properties).filter((name) => promising.test(name));
  expect(names.filter((name) => !strict.has(name) && !read.includes(name))).toEqual([]);
});

test.each(
  [...catalogue.kinds.values()]
    .flatMap(({ file }) =>
      Object.entries(file.fields.properties).map(([name, field]) => [file.name, name, field] as const),
    )
    .filter(([, , field]) => Array.isArray(field["x-strict"])),
)("the strictness of %s.%s names each of its values", (_, __, { enum: allowed = [], "x-strict": strict }) => {
  expect(allowed.filter((value) => !(strict as readonly unknown[]).includes(value))).toEqual([]);
});

describe("effects see the resource as it will be", () => {
  test.each(variants)("%s", (_, kind, name, row, declared, expected) => {
    const change = planned(kind, name, row, declared);
    expect(change ? [change.action, change.policyEffect ?? ""].join(" ").trim() : "none").toBe(expected);
  });

  test.each([
    ["a user", ["role 40", "user 7"], 40, true],
    ["a user beside no one", ["role 0", "user 7"], 0, true],
    ["a deploy key", ["key 3", "role 40"], 40, true],
    ["a user alone", ["user 7"], 40, true],
    ["another role", ["role 30", "role 40"], 40, false],
    ["nobody", ["role 30"], 40, false],
  ] as const)("who is let in beside a level counts as removed: %s", (_, levels, level, expected) => {
    const change = planned("protected_branch", "main", branch(...levels), { push_access_level: level });
    expect(change && removes({ ...change, action: "update" })).toBe(expected);
    const note = { address: "a", project: "p", kind: "label", key: "x", action: "update" } as const;
    expect(removes({ ...note, before: { description: "user 7" }, after: { description: "" } } as never)).toBe(false);
  });

  test("a plan names who is beside a level, and what a replacement resets", () => {
    const beside = planned("protected_branch", "main", branch("role 40", "user 7", "key 3"), { push_access_level: 40 });
    expect(beside?.before).toEqual({ push_access_level: "maintainer, user 7, deploy key 3" });
    const row = rowOf("protected_branch", { push_access_levels: ["free 30"], merge_access_levels: ["role 0"] });
    const reset = planned("protected_branch", "main", row, { push_access_level: 40 });
    expect([reset?.before, reset?.after]).toEqual([
      { push_access_level: "developer", merge_access_level: "no one" },
      { push_access_level: "maintainer", merge_access_level: "maintainer" },
    ]);
  });
});
