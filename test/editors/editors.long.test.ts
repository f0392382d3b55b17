import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { runProgram } from "../e2e/program.ts";
import { tempFolder } from "../support/folder.ts";
import { type Editor, openEditor } from "./language-server.ts";

const { integrations } = catalogueOf();

const folder = tempFolder();
let editor: Editor;

beforeAll(async () => {
  await runProgram(["init"], folder);
  editor = await openEditor(join(folder, "policies"));
});
afterAll(() => editor.close());

const head = "# yaml-language-server: $schema=../.evenkeel/schemas/manifest.schema.json\n";
const policy = (text: string) => `${head}apiVersion: evenkeel/v1\nkind: Policy\nname: x\nprojects: [a/b]\n${text}`;
const workspace = (text: string) => `${head}apiVersion: evenkeel/v1\nkind: Workspace\n${text}`;
const chat = (text: string) => policy(`integrations:\n  chat-notifications-a:\n${text}`);

const offered = async (text: string) => (await editor.complete(text)).map(({ label }) => label);
const told = async (text: string) =>
  (await editor.check(text)).map(
    ({ message, range: { start } }) => `${start.line + 1}:${start.character + 1} ${message}`,
  );

describe("an editor completes", () => {
  test("kinds, and the keys of each", async () => {
    expect(await offered(`${head}apiVersion: evenkeel/v1\nkind: |`)).toEqual([
      "Workspace",
      "Policy",
      "Rule",
      "Test",
      "StorageMigration",
    ]);
    expect(await offered(policy("|"))).toEqual(
      expect.arrayContaining(["except", "priority", "vars", "integrations", "disabled", "licenses", "exclusive"]),
    );
    expect(await offered(`${head}apiVersion: evenkeel/v1\nkind: Rule\n|`)).toEqual(
      expect.arrayContaining(["name", "severity", "on", "when", "message", "except", "until", "reason"]),
    );
    expect(await offered(workspace("server:\n  |"))).toEqual(expect.arrayContaining(["url", "release", "tier"]));
    expect(await offered(workspace("server:\n  tier: |"))).toEqual(["free", "premium", "ultimate"]);
  });

  test("every slug", async () => {
    const slugs = await editor.complete(policy("integrations:\n  |"));
    expect(slugs.map(({ label }) => label)).toEqual([...integrations.keys()]);
    expect(slugs.find(({ label }) => label === "irc-gateway")?.insertText).toBe("irc-gateway:\n  ");
    expect(await offered(policy("disabled:\n  - |"))).toEqual([...integrations.keys()]);
  });

  test("every parameter but deprecated ones, and its values", async () => {
    const parameters = [...(integrations.get("chat-notifications-a")?.parameters.values() ?? [])];
    const names = await offered(chat("    |"));
    const [old, current] = [true, false].map((old) =>
      parameters.filter(({ deprecated }) => (deprecated ?? false) === old).map(({ name }) => name),
    );
    expect(names).toEqual(expect.arrayContaining(current ?? []));
    expect(old).not.toEqual([]);
    expect(names.filter((name) => old?.includes(name))).toEqual([]);
    expect(await offered(chat("    branches_to_be_notified: |"))).toContain("default_and_protected");
    expect(await offered(chat("    pipeline_events: |"))).toEqual(["true", "false"]);
  });

  test("a secret by its name, and a license with its two words", async () => {
    const [secret] = await editor.complete(chat("    webhook: |"));
    expect(secret?.insertText.trim()).toMatch(/^secret: env:\$\{1:NAME\}$/);
    const [license] = await editor.complete(policy("licenses:\n  |"));
    expect(license?.insertText).toContain("|allowed,denied|");
  });
});

describe("an editor explains", () => {
  test.each([
    [
      "an integration",
      policy("integrations:\n  irc-gat|eway:\n    recipients: x\n"),
      "announced through an IRC gateway",
    ],
    ["a parameter", policy("integrations:\n  irc-gateway:\n    recip|ients: x\n"), "separated by whitespace"],
    ["a secret's parameter", chat("    web|hook: { secret: env:X }\n"), "Webhook URL to which notifications are sent"],
    ["a deprecated one", chat("    notify_only_default|_branch: true\n"), "Deprecated: replaced by"],
    ["what a value may be", chat("    branches_to_be_not|ified: all\n"), "`default_and_protected`"],
    ["a key of a policy", policy("exclu|sive: [licenses]\n"), "Kinds whose live entries"],
  ])("%s", async (_, text, words) => {
    expect(await editor.hover(text)).toContain(words);
  });
});

describe("an editor marks", () => {
  test.each([
    [
      "a misspelt slug",
      policy("integrations:\n  irc-gatway:\n    recipients: x\n"),
      ["7:3 Property irc-gatway is not allowed."],
    ],
    ["a slug that is none", policy("disabled: [irc-gatway]\n"), ["6:12 no integration has this slug"]],
    [
      "a misspelt parameter, and the one that is missing",
      policy("integrations:\n  irc-gateway:\n    recipient: x\n"),
      ["8:5 Property recipient is not allowed.", '7:3 Missing property "recipients".'],
    ],
    [
      "a value of another type",
      policy("integrations:\n  irc-gateway:\n    recipients: x\n    server_port: abc\n"),
      ['9:18 Incorrect type. Expected "integer".'],
    ],
    [
      "a deprecated parameter",
      chat("    webhook: { secret: env:X }\n    notify_only_default_branch: true\n"),
      ["9:5 use branches_to_be_notified instead"],
    ],
    [
      "a secret's name that is none",
      chat("    webhook: { secret: X }\n"),
      ["8:24 expected env:NAME, file:PATH or PROVIDER:NAME"],
    ],
    [
      "a secret that is written out",
      chat("    webhook: https://hook\n"),
      [expect.stringMatching(/^8:5 use a reference, \{ secret: env:NAME \}/)],
    ],
    [
      "settings of a workspace",
      workspace("server: { url: 'ftp://x', relase: 14.5 }\nrequestTimeout: soon\n"),
      [
        "4:16 expected an http or https URL without user, query and fragment",
        "4:27 Property relase is not allowed.",
        "5:17 expected a duration such as 500ms, 30s, 2m or 1h",
      ],
    ],
  ])("%s", async (_, text, lines) => {
    expect(await told(text)).toEqual(lines);
  });

  test("nothing in what a file of several documents holds, and in a secret by its name", async () => {
    expect(await told(`${workspace("")}---\n${policy("").replace(head, "")}`)).toEqual([]);
    expect(await told(chat("    webhook: { secret: env:X, version: 2 }\n    channel: ${vars.channel}\n"))).toEqual([]);
  });
});

describe("in a workspace that speaks a platform's names", () => {
  let own: Editor;
  beforeAll(async () => {
    const place = tempFolder();
    await runProgram(["init", "--dialect", "gitlab"], place);
    own = await openEditor(join(place, "policies"));
  });
  afterAll(() => own.close());

  test("an editor completes, explains and marks them", async () => {
    const slugs = (await own.complete(policy("integrations:\n  |"))).map(({ label }) => label);
    expect(slugs).toEqual([...catalogueOf("gitlab").integrations.keys()]);
    expect((await own.complete(policy("disabled:\n  - |"))).map(({ label }) => label)).toEqual(slugs);
    const named = (await own.complete(policy("integrations:\n  jira:\n    |"))).map(({ label }) => label);
    expect(named).toContain("jira_issue_transition_id");
    const hovered = await own.hover(policy("integrations:\n  jira:\n    jira_issue_transition|_id: x\n"));
    expect(hovered.replaceAll("\\", "")).toContain("Ignored if jira_issue_transition_automatic is enabled");
    const marked = await own.check(policy("integrations:\n  irc-gateway: {}\n  bamboo: { ci_url: x }\n"));
    expect(marked.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        "Property irc-gateway is not allowed.",
        'Missing property "bamboo_url".',
        "Property ci_url is not allowed.",
      ]),
    );
  });
});
