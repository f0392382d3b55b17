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

const role = (level: number) => ({ id: level, access_level: level, user_id: null, group_id: null });
/** As on servers that take roles at creation only. */
const freeRole = (level: number) => ({ id: level, access_level: level });
const user = (id: number) => ({ id, access_level: 40, user_id: id, group_id: null });
const key = (id: number) => ({ id, access_level: 40, user_id: null, group_id: null, deploy_key_id: id });
const custom = (id: number) => ({ id: id + 100, access_level: 40, user_id: null, group_id: null, member_role_id: id });
const branch = (push: JsonObject[], more: JsonObject = {}): JsonObject => ({
  ...{ id: 1, name: "main", push_access_levels: push, merge_access_levels: [role(40)] },
  ...{ unprotect_access_levels: [role(40)], allow_force_push: false, code_owner_approval_required: false },
  ...more,
});
const tag = (create: JsonObject[]): JsonObject => ({ name: "v*", create_access_levels: create });
const rule = (more: JsonObject): JsonObject => ({
  ...{ id: 1, name: "two", approvals_required: 2, users: [], groups: [], protected_branches: [] },
  ...{ applies_to_all_protected_branches: false, ...more },
});
const environment = (more: JsonObject): JsonObject => ({
  ...{ name: "p", deploy_access_levels: [role(40)], approval_rules: [], ...more },
});
const variable = { key: "A", environment_scope: "*", value: "a", protected: true, masked: false, hidden: false };

type Variant = readonly [
  what: string,
  kind: string,
  key: string,
  row: JsonObject | null,
  declared: Fields,
  effect: string,
];

const level = (access_level: number) => ({ access_level });

function onBranch(what: string, push: JsonObject[], declared: Fields, effect: string, more: JsonObject = {}): Variant {
  return [what, "protected_branch", "main", branch(push, more), declared, effect];
}

const variants: readonly Variant[] = [
  onBranch("one user to all developers", [user(7)], { allowed_to_push: [level(30)] }, "update loosened"),
  onBranch("one user to a level", [user(7)], { push_access_level: 30 }, "update loosened"),
  onBranch("no one to a user", [role(0)], { allowed_to_push: [{ user: 7 }] }, "update loosened"),
  onBranch("nobody at all to a role", [], { push_access_level: 40 }, "update loosened"),
  onBranch("a user beside a level", [role(40), user(7)], { push_access_level: 40 }, "update tightened"),
  onBranch("a deploy key beside no one", [role(0), key(3)], { push_access_level: 0 }, "update tightened"),
  onBranch("a user beside a declared list", [role(40), user(7)], { allowed_to_push: [level(40), { user: 7 }] }, "none"),
  onBranch("developers to maintainers", [role(30)], { push_access_level: 40 }, "update tightened"),
  onBranch(
    "developers to maintainers on a free server",
    [freeRole(30)],
    { push_access_level: 40 },
    "replace tightened",
  ),
  onBranch("a custom role beside a level", [role(40), custom(3)], { push_access_level: 40 }, "update tightened"),
  onBranch(
    "a custom role beside a declared list",
    [role(40), custom(3)],
    { allowed_to_push: [level(40), { member_role_id: 3 }] },
    "none",
  ),
  onBranch("a role that a lower one covers", [role(30)], { allowed_to_push: [level(30), level(40)] }, "update"),
  onBranch("a reset of merge from no one", [freeRole(30)], { push_access_level: 40 }, "replace loosened", {
    merge_access_levels: [role(0)],
  }),
  onBranch("a reset of code owners", [freeRole(30)], { push_access_level: 40 }, "replace loosened", {
    code_owner_approval_required: true,
  }),
  ["a new wildcard for developers", "protected_branch", "*", null, { push_access_level: 30 }, "create loosened"],
  ["a new wildcard with force push", "protected_branch", "ma*", null, { allow_force_push: true }, "create loosened"],
  ["a new wildcard for maintainers", "protected_branch", "*", null, { push_access_level: 40 }, "create tightened"],
  ["a new branch for developers", "protected_branch", "main", null, { push_access_level: 30 }, "create tightened"],
  [
    "a tag for a user to developers",
    "protected_tag",
    "v*",
    tag([user(7)]),
    { create_access_level: 30 },
    "replace loosened",
  ],
  [
    "a user beside the level of a tag",
    "protected_tag",
    "v*",
    tag([role(40), user(7)]),
    { create_access_level: 40 },
    "replace tightened",
  ],
  [
    "every branch to one",
    "approval_rule",
    "two",
    rule({}),
    { approvals_required: 2, protected_branches: [5] },
    "update loosened",
  ],
  [
    "one branch to every",
    "approval_rule",
    "two",
    rule({ protected_branches: [{ id: 5 }] }),
    { approvals_required: 2, protected_branches: [] },
    "update",
  ],
  [
    "one branch to another",
    "approval_rule",
    "two",
    rule({ protected_branches: [{ id: 5 }] }),
    { approvals_required: 2, protected_branches: [6] },
    "update loosened",
  ],
  [
    "developers to maintainers of an environment",
    "protected_environment",
    "p",
    environment({ deploy_access_levels: [role(30)] }),
    { deploy_access_levels: [level(40)] },
    "update tightened",
  ],
  [
    "a user of an environment to developers",
    "protected_environment",
    "p",
    environment({ deploy_access_levels: [user(7)] }),
    { deploy_access_levels: [level(30)] },
    "update loosened",
  ],
  ...([1, 2, 3] as const).map((count): Variant => {
    const effect = ["update loosened", "none", "update tightened"][count - 1] ?? "";
    const deploy = [{ access_level: 40 }];
    return [
      `two approvals of an environment to ${count}`,
      "protected_environment",
      "p",
      environment({ approval_rules: [{ ...role(40), required_approvals: 2 }] }),
      { deploy_access_levels: deploy, approval_rules: [{ access_level: 40, required_approvals: count }] },
      effect,
    ];
  }),
  [
    "an approver of an environment in place of a role",
    "protected_environment",
    "p",
    environment({ approval_rules: [{ ...role(40), required_approvals: 2 }] }),
    { deploy_access_levels: [level(40)], approval_rules: [{ access_level: 40, required_approvals: 2 }, { user: 7 }] },
    "update tightened",
  ],
  [
    "another key that may push",
    "deploy_key",
    "k",
    { id: 1, title: "k", key: "ssh-rsa AAAA k", can_push: true, expires_at: null },
    { key: "ssh-rsa BBBB k", can_push: true },
    "replace loosened",
  ],
  [
    "another key that may no longer push",
    "deploy_key",
    "k",
    { id: 1, title: "k", key: "ssh-rsa AAAA k", can_push: true, expires_at: null },
    { key: "ssh-rsa BBBB k" },
    "replace tightened",
  ],
  [
    "every branch of a check to one",
    "external_status_check",
    "c",
    { id: 1, name: "c", external_url: "https://a.example.com", protected_branches: [] },
    { external_url: "https://a.example.com", protected_branches: [5] },
    "update loosened",
  ],
  [
    "a mirror that is turned on",
    "push_mirror",
    "https://a.example.com/x.git",
    { id: 1, url: "https://a.example.com/x.git", enabled: false, only_protected_branches: true },
    { enabled: true },
    "update loosened",
  ],
  ["a reset of protected", "variable", "A", variable, { value: "a", hidden: true }, "replace loosened"],
];

const groupBranch = (push: number[]): JsonObject => ({
  ...{ id: 1, name: "main", push_access_levels: push.map(role), merge_access_levels: [role(40)] },
  ...{ unprotect_access_levels: [role(40)], allow_force_push: false, code_owner_approval_required: false },
});

/** Fields of a kind of groups before and after a change, and the effect. */
const ofGroups: readonly (readonly [string, JsonObject | null, Fields, string])[] = [
  ["group_protected_branches", groupBranch([40, 60]), { push_access_level: 30 }, "loosened"],
  ["group_protected_branches", groupBranch([30, 60]), { push_access_level: 40 }, "tightened"],
  ["group_protected_branches", groupBranch([60]), { allowed_to_push: [{ access_level: 30 }] }, "loosened"],
  ["group_settings", { default_branch_protection: 2 }, { default_branch_protection: 0 }, "loosened"],
  ["group_settings", { default_branch_protection: 1 }, { default_branch_protection: 3 }, "tightened"],
  ["group_settings", { project_creation_level: "noone" }, { project_creation_level: "developer" }, "loosened"],
  ["group_settings", { two_factor_grace_period: 8 }, { two_factor_grace_period: 48 }, "loosened"],
  [
    "group_settings",
    { ip_restriction_ranges: "10.0.0.0/8" },
    { ip_restriction_ranges: "10.0.0.0/8,0.0.0.0/0" },
    "loosened",
  ],
  ["group_settings", { ip_restriction_ranges: "" }, { ip_restriction_ranges: "10.0.0.0/8" }, "tightened"],
  [
    "group_settings",
    { ip_restriction_ranges: "10.0.0.0/8,11.0.0.0/8" },
    { ip_restriction_ranges: "11.0.0.0/8" },
    "tightened",
  ],
];

test.each(ofGroups)("the effect of a change of %s %j to %j", (name, row, declared, expected) => {
  const kind = [...catalogue.kinds].find(
    ([, { file }]) => file.name === name.replace("group_", "") && file.of === "group",
  );
  const change = {
    kind: kind?.[0] ?? "",
    action: "update",
    key: "main",
    before: {},
    after: declared,
    declared,
  } as const;
  const live = { kind: change.kind, key: "main", fields: {}, active: true, row };
  expect(effectOfChange({ ...change, live } as never, catalogue)).toBe(expected);
});

test.each<readonly [Fields, Fields, string]>([
  [{ domain_denylist: ["a.example", "b.example"] }, { domain_denylist: ["a.example"] }, "loosened"],
  [{ domain_denylist: ["a.example"] }, { domain_denylist: ["b.example", "a.example"] }, "tightened"],
  [{ restricted_visibility_levels: ["public"] }, { restricted_visibility_levels: [] }, "loosened"],
  [{ outbound_local_requests_whitelist: [] }, { outbound_local_requests_whitelist: ["10.0.0.1"] }, "loosened"],
  [{ max_ssh_key_lifetime: 30 }, { max_ssh_key_lifetime: null }, "loosened"],
  [{ max_ssh_key_lifetime: null }, { max_ssh_key_lifetime: 30 }, "tightened"],
  [{ default_project_creation: 0 }, { default_project_creation: 2 }, "loosened"],
])("the effect of a change of the instance from %j to %j", (before, after, expected) => {
  const kind = [...catalogue.kinds].find(([, { file }]) => file.name === "settings" && file.of === "instance")?.[0];
  expect(policyEffectOf({ kind: kind ?? "", before, after }, catalogue)).toBe(expected);
});

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
    const words = change ? [change.action, change.policyEffect ?? ""].join(" ").trim() : "none";
    expect(words).toBe(expected);
  });

  test.each([
    ["a user", [role(40), user(7)], 40, true],
    ["a user beside no one", [role(0), user(7)], 0, true],
    ["a deploy key", [key(3), role(40)], 40, true],
    ["a user alone", [user(7)], 40, true],
    ["another role", [role(30), role(40)], 40, false],
    ["nobody", [role(30)], 40, false],
  ] as const)("who is let in beside a level counts as removed: %s", (_, levels, level, expected) => {
    const change = planned("protected_branch", "main", branch([...levels]), { push_access_level: level });
    expect(change && removes({ ...change, action: "update" })).toBe(expected);
    const note = { address: "a", project: "p", kind: "label", key: "x", action: "update" } as const;
    expect(removes({ ...note, before: { description: "user 7" }, after: { description: "" } } as never)).toBe(false);
  });

  test("a plan names who is beside a level, and what a replacement resets", () => {
    const beside = planned("protected_branch", "main", branch([role(40), user(7), key(3)]), { push_access_level: 40 });
    expect(beside?.before).toEqual({ push_access_level: "maintainer, user 7, deploy key 3" });
    const more = { merge_access_levels: [role(0)] };
    const reset = planned("protected_branch", "main", branch([freeRole(30)], more), { push_access_level: 40 });
    expect([reset?.before, reset?.after]).toEqual([
      { push_access_level: "developer", merge_access_level: "no one" },
      { push_access_level: "maintainer", merge_access_level: "maintainer" },
    ]);
  });
});
