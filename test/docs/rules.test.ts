import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { parseManifest } from "../../src/manifest/document.ts";
import { readRules } from "../../src/manifest/rules.ts";
import { readTests } from "../../src/manifest/tests.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { projectNamed } from "../../src/model/identity.ts";
import type { PlannedChange } from "../../src/plan/plan.ts";
import { compileRules, evaluateRules } from "../../src/plan/rules/evaluate.ts";
import { runProgram } from "../e2e/program.ts";
import type { Setting } from "../e2e/workspace.ts";
import { blocks, read, root } from "../readme.ts";
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
const irc = { "irc-gateway": { recipients: "#a" } };

function of(policy: object, project: object = {}, path = "p"): Setting {
  return { projects: [{ path, ...project }], policy: { projects: [path], ...policy } };
}

test("the rules of the chapter are those of examples/rules, whose tests pass", async () => {
  const folder = "examples/rules";
  for (const { name, text } of rules) expect(read(`${folder}/rules/${name}.yaml`)).toBe(text);
  expect(rules).toHaveLength(11);
  const tests = readTests(parseManifest("t", read(`${folder}/tests/refused.yaml`)).documents).tests;
  const tested = tests.flatMap(({ expect: { blocked_by = [], problems = [] } }) => [...blocked_by, ...problems]);
  expect(new Set(tested.map((name) => name.replace("rule/", "")))).toEqual(new Set(rules.map(({ name }) => name)));
  expect(await runProgram(["test"], join(root, folder))).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^13 tests passed\.$/m),
  });
});

const bypasses: readonly (readonly [rule: string, setting: Setting])[] = [
  ...[
    ...["HTTP://evil.net", " https://evil.net", "//evil.net", "https://example.com@evil.net"],
    ...["https://example.com\\@evil.net", "evil.net/x", "https://example.com https://evil.net", "https:evil.net"],
  ].map((url) => ["only-our-domain", of(wiki(url))] as const),
  ["loosening-has-a-reason", of({ licenses: { MIT: "allowed" }, reason: " - " })],
  ...["GNU GPL v3", "agpl-3.0", "GNU General Public License"].map(
    (name) => ["copyleft-stays-denied", of({ licenses: { [name]: "allowed" } })] as const,
  ),
  ["payments-stays-on", of({ disabled: ["irc-gateway"] }, { integrations: irc }, "Payments/api")],
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
  expect((await run.plan()).plan.objections.map(({ message }) => message).join()).toContain(`rule ${name}`);
});

test("none of them is too long to be asked of 10,000 changes with many fields each", async () => {
  const { rules: compiled } = compileRules(
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
    catalogue: catalogueOf(),
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
