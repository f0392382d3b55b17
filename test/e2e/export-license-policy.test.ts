import { expect, test } from "vitest";
import { parse } from "yaml";
import { scene } from "./workspace.ts";

const licenses = { MIT: "allowed", "Apache-2.0": "allowed", "AGPL-3.0": "denied" } as const;

const rule = (match: string, isDenied: boolean, names: readonly string[]) => ({
  type: "license_finding",
  branches: [],
  [match]: isDenied,
  license_types: names,
  license_states: ["newly_detected", "detected"],
});

test("projects with the same licenses share a policy, limited to the IDs that a plan listed", async () => {
  const { evenkeel } = await scene({
    projects: [
      { id: 7, path: "payments/api" },
      { id: 9, path: "payments/web" },
      { id: 11, path: "legal/site" },
    ],
    policies: {
      all: { projects: ["payments/**"], licenses },
      site: { projects: ["legal/site"], licenses: { "AGPL-3.0": "denied" } },
      off: { projects: ["payments/web"], disabled: ["irc-gateway"] },
    },
  });
  const early = await evenkeel("export", "license-policy", "payments/api");
  expect(early.stderr).toContain("the IDs of its projects are not known here");
  await evenkeel("plan");
  const ran = await evenkeel(
    "export",
    "license-policy",
    "--release",
    "17.3",
    "--approvers",
    "user:jane",
    "--approvers",
    "group:5",
  );
  expect(ran).toMatchObject({ code: 0, reads: 0, writes: 0 });
  const [one, two, ...none] = parse(ran.stdout).approval_policy;
  expect(none).toEqual([]);
  expect(one.policy_scope).toEqual({ projects: { including: [{ id: 11 }] } });
  expect(one.rules).toEqual([rule("match_on_inclusion_license", true, ["GNU Affero General Public License v3.0"])]);
  expect(two).toEqual({
    name: "Licenses of payments/api and 1 more",
    description: expect.any(String),
    enabled: true,
    policy_scope: { projects: { including: [{ id: 7 }, { id: 9 }] } },
    rules: [
      rule("match_on_inclusion_license", true, ["GNU Affero General Public License v3.0"]),
      rule("match_on_inclusion_license", false, ["Apache License 2.0", "MIT License"]),
    ],
    actions: [{ type: "require_approval", approvals_required: 1, user_approvers: ["jane"], group_approvers_ids: [5] }],
  });
  expect(ran.stderr).toContain("licenses that are not listed need approval too");
});

test("older releases have another key and no scope, and an allow list can be left out", async () => {
  const policy = { projects: [42], licenses };
  const { evenkeel } = await scene({ policy, site: { release: "16.1" } });
  const ran = await evenkeel("export", "license-policy", "42", "--no-allow-list");
  const { scan_result_policy: policies } = parse(ran.stdout);
  expect(policies).toMatchObject([
    { rules: [rule("match_on_inclusion", true, ["GNU Affero General Public License v3.0"])] },
  ]);
  expect(policies[0]).not.toHaveProperty("policy_scope");
  expect(ran.stdout).toContain("  # release 16.1 has no policy_scope");
  const old = await evenkeel("export", "license-policy", "--release", "14.5");
  expect(old).toMatchObject({ code: 0, stderr: expect.stringContaining("14.5 has no license approval policies") });
});

test("a workspace without a release is told which one the file is for", async () => {
  const { evenkeel } = await scene({ policy: { projects: ["a/b"], licenses } });
  const ran = await evenkeel("export", "license-policy");
  expect(Object.keys(parse(ran.stdout))).toEqual(["approval_policy"]);
  expect(ran.stderr).toContain("states no server.release; this is as release 17.0");
});

test("a server that no longer has managed licenses is what the file is for", async () => {
  const site = { dialect: "gitlab", release: "17.3" };
  const policies = { all: { projects: [42], licenses }, strict: { projects: [42], exclusive: ["licenses"] } };
  const { evenkeel } = await scene({ policies, site });
  const ran = await evenkeel("export", "license-policy");
  expect(ran.code).toBe(0);
  expect(parse(ran.stdout).approval_policy).toMatchObject([
    { policy_scope: { projects: { including: [{ id: 42 }] } } },
  ]);
});

test("what is asked for and cannot be is said", async () => {
  const { evenkeel } = await scene({
    policies: { all: { projects: ["a/**"], licenses }, own: { projects: ["b/c"], disabled: ["irc-gateway"] } },
  });
  const cases = [
    [["--approvers", "role:ownr"], 64, /--approvers takes .*, not "role:ownr"; did you mean owner\?/],
    [["--approvals", "0"], 64, /--approvals takes a number from 1 to 100, not 0/],
    [["--release", "soon"], 64, /--release takes a release/],
    [["b/d"], 1, /no policy selects b\/d; did you mean b\/c\?/],
    [["b/c"], 1, /no policy states licenses for b\/c/],
    [[], 1, /policies select projects by globs/],
  ] as const;
  for (const [args, code, words] of cases)
    expect(await evenkeel("export", "license-policy", ...args)).toMatchObject({
      code,
      stderr: expect.stringMatching(words),
    });
});

test("projects of globs that nobody listed, and the end of a policy, are told", async () => {
  const policy = { projects: [7, "g/**"], until: "2999-01-01", reason: "trial", licenses: { MIT: "denied" } };
  const { evenkeel } = await scene({ projects: [], policy });
  const { code, stderr } = await evenkeel("export", "license-policy", "--release", "17.3");
  expect(code).toBe(0);
  expect(stderr).toContain("policies also select projects by globs");
  expect(stderr).toContain("expire on 2999-01-01");
});
