import { expect, test } from "vitest";
import { parse } from "yaml";
import { parseManifest } from "../../src/manifest/document.ts";
import { readRules } from "../../src/manifest/rules.ts";
import { projectNamed } from "../../src/model/identity.ts";
import type { PlannedChange } from "../../src/plan/plan.ts";
import { compileRules, evaluateRules } from "../../src/plan/rules/evaluate.ts";
import type { Setting } from "../e2e/workspace.ts";
import { blocks, read } from "../readme.ts";
import { runs } from "../reconcile/runs.ts";

const manifests = blocks(read("docs/rules.md"), "yaml").map((text) => ({
  text,
  ...(parse(text) as { kind: string; name: string }),
}));
const rules = manifests.filter(({ kind }) => kind === "Rule");

const wiki = (url: string) => ({ integrations: { "external-wiki": { external_wiki_url: url } } });
const chat = (more: object) => ({
  integrations: { "chat-notifications-a": { webhook: { secret: "env:APPROVED_HOOK" }, ...more } },
});
const off = { irc: { "irc-gateway": { recipients: "#a" } } };

/** What policies say of a project where a rule of the chapter objects, and nearly the same where it does not. */
interface Case {
  readonly fires: Setting;
  readonly passes: Setting;
}

function of(policy: object, project: object = {}, path = "p"): Setting {
  return { projects: [{ path, ...project }], policy: { projects: [path], ...policy } };
}

const many = (count: number): Setting => {
  const paths = Array.from({ length: count }, (_, i) => `p${i}`);
  return { projects: paths.map((path) => ({ path })), policy: { projects: paths, licenses: { MIT: "denied" } } };
};

const inFolder = (folder: string): Setting => ({
  projects: [{ path: "shop/api" }],
  policies: { [`teams/${folder}/all`]: { projects: ["shop/api"], licenses: { MIT: "denied" } } },
});

const irc = { integrations: off.irc };

const cases: Readonly<Record<string, Case>> = {
  "no-new-irc": { fires: of(irc), passes: of(irc, {}, "legacy/p") },
  "only-our-domain": {
    fires: of(wiki("https://example.com.evil.net/")),
    passes: of(wiki("https://wiki.example.com/x")),
  },
  "only-approved-webhooks": {
    fires: of({ integrations: { "chat-webhook-c": { webhook: { secret: "env:MINE" } } } }),
    passes: of(chat({ channel: "#a" })),
  },
  "no-plaintext": {
    fires: {
      ...of({ integrations: { "chat-webhook-c": { webhook: "https://chat.example.com/x" } } }),
      workspace: { allowPlaintextSecrets: true },
    },
    passes: of(chat({ channel: "#a" })),
  },
  "loosening-has-a-reason": {
    fires: of({ licenses: { MIT: "allowed" } }),
    passes: of({ licenses: { MIT: "allowed" }, reason: "legal said so" }),
  },
  "copyleft-stays-denied": {
    fires: of({ licenses: { "gpl-3.0": "allowed" }, reason: "please" }),
    passes: of({ licenses: { "gpl-3.0": "denied", MIT: "allowed" } }),
  },
  "small-steps": { fires: many(21), passes: many(20) },
  "payments-stays-on": {
    fires: of({ disabled: ["irc-gateway"] }, { integrations: off.irc }, "payments/api"),
    passes: of({ disabled: ["irc-gateway"] }, { integrations: off.irc }, "billing/api"),
  },
  "teams-keep-to-their-own": { fires: inFolder("billing"), passes: inFolder("shop") },
  "chat-names-its-channel": { fires: of(chat({})), passes: of(chat({ channel: "#a" })) },
  "one-thing-at-a-time": {
    fires: of({ ...chat({ channel: "#a" }), disabled: ["irc-gateway"] }, { integrations: off.irc }),
    passes: of(chat({ channel: "#a" }), { integrations: off.irc }),
  },
};

test("the chapter has ten rules and the one that it begins with, and a case for each", () => {
  expect(rules.map(({ name }) => name).sort()).toEqual(Object.keys(cases).sort());
  expect(rules).toHaveLength(11);
});

test.each(rules)("$name objects where the chapter says so, and nowhere else", async ({ name, text }) => {
  const { fires, passes } = cases[name] ?? {};
  const told = async (setting: Setting = {}) => {
    const run = await runs({ secrets: { APPROVED_HOOK: "https://hook.example.com" }, ...setting });
    run.write("rules/rule.yaml", text);
    const { plan } = await run.plan();
    expect(plan.problems).toEqual([]);
    expect(plan.resource_changes.length).toBeGreaterThan(0);
    return [...plan.objections, ...plan.warnings]
      .map(({ message }) => message)
      .filter((message) => message.includes(`rule ${name}`));
  };
  const { message } = parse(text) as { message: string };
  expect(await told(fires)).toEqual([expect.stringContaining(`rule ${name}: ${message} (rules/rule.yaml:`)]);
  expect(await told(passes)).toEqual([]);
});

const bypasses: readonly (readonly [rule: string, setting: Setting])[] = [
  ...[
    "HTTP://evil.net",
    " https://evil.net",
    "//evil.net",
    "https://example.com@evil.net",
    "https://example.com\\@evil.net",
    "evil.net/x",
    "https://example.com https://evil.net",
    "https:evil.net",
  ].map((url) => ["only-our-domain", of(wiki(url))] as const),
  ["loosening-has-a-reason", of({ licenses: { MIT: "allowed" }, reason: " - " })],
  ...["GNU GPL v3", "agpl-3.0", "GNU General Public License"].map(
    (name) => ["copyleft-stays-denied", of({ licenses: { [name]: "allowed" } })] as const,
  ),
  ["payments-stays-on", of({ disabled: ["irc-gateway"] }, { integrations: off.irc }, "Payments/api")],
  ["chat-names-its-channel", of(chat({ channel: " " }))],
  [
    "chat-names-its-channel",
    of(chat({ channel: "" }), { integrations: { "chat-notifications-a": { channel: "#a" } } }),
  ],
];

test.each(bypasses)("%s is not to be passed by another spelling: %j", async (name, setting) => {
  const { text = "" } = rules.find((each) => each.name === name) ?? {};
  const run = await runs({ secrets: { APPROVED_HOOK: "https://hook.example.com" }, ...setting });
  run.write("rules/rule.yaml", text);
  const { plan } = await run.plan();
  expect(plan.objections.map(({ message }) => message).join()).toContain(`rule ${name}`);
});

test("none of them is too long to be asked of 10,000 changes with many fields each", async () => {
  const { rules: compiled } = await compileRules(
    readRules(parseManifest("rules.yaml", rules.map(({ text }) => text).join("---\n")).documents).rules,
  );
  const flags = Object.fromEntries(Array.from({ length: 14 }, (_, i) => [`flag_${i}_events`, true]));
  const after = { ...flags, new_issue_url: `https://bugs.example.com/${"x".repeat(80)}` };
  const planned = Array.from({ length: 10_000 }, (_, i): PlannedChange => {
    const named = { address: `group/project-${i}:integration/irc-gateway`, project: `group/project-${i}` };
    const change = { actions: ["create"] as const, before: null, after, after_sensitive: {} };
    const from = { source: { file: "policies/all.yaml", line: 1, column: 1 }, action_reason: "not on the server" };
    const call = { method: "PUT", path: "" } as const;
    return { ...named, kind: "integration", key: "irc-gateway", change, live: null, ...from, call };
  });
  const summary = { projects: 10_000, live: 0, unmanaged: 0, unverified: 0 };
  const { objections } = evaluateRules({ resource_changes: planned, summary }, compiled, {
    today: "2026-01-01",
    means: () => () => false,
    projectOf: projectNamed,
  });
  expect(objections.map(({ message }) => message.split(":")[0])).toEqual(["rule no-new-irc", "rule small-steps"]);
});

test("what validate says of a wrong name is what the chapter shows", async () => {
  const [shown = ""] = blocks(read("docs/rules.md"), "text");
  const run = await runs({});
  run.write(
    "rules/irc.yaml",
    'apiVersion: evenkeel/v1\nkind: Rule\nname: a\nwhen: change.acton == "create"\nmessage: m\n',
  );
  const { code, stderr } = await run.evenkeel("validate");
  expect({ code, stderr }).toEqual({ code: 1, stderr: shown });
});
