import { expect, test } from "vitest";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { parseSeed } from "../../src/server/seed.ts";
import { serving } from "./serving.ts";

const served = (release: string) =>
  serving({ seed: { projects: [{ id: 1, path: "a/b" }] }, dialect: "gitlab", behaviour: "observed", release });

const jira = { url: "https://j.example.com", username: "u", password: "p", jira_issue_transition_id: "5" };
const push = { api_key: "a", user_key: "u", priority: "0" };
const bugs = { new_issue_url: "n", issues_url: "i", project_url: "p", title: "Bugs" };

const hook = { webhook: "https://w.example.com" };

type Row = readonly [
  slug: string,
  form: Readonly<Record<string, string>>,
  name: string,
  byRelease: Readonly<Record<string, unknown>>,
];

/** A property that a PUT answers, or the status of one that is refused, by release. */
const rows: readonly Row[] = [
  ["slack", { webhook: "https://w.example.com" }, "webhook", { 14.5: "https://w.example.com", 15.8: undefined }],
  ["jira", jira, "jira_issue_transition_id", { 15.1: undefined, 15.2: "5" }],
  ...["unify-circuit", "webex-teams"].flatMap((slug): readonly Row[] => [
    [
      slug,
      { ...hook, notify_only_broken_pipelines: "false" },
      "notify_only_broken_pipelines",
      { 14.5: true, 17.8: true, "18.0": false },
    ],
    [
      slug,
      { ...hook, branches_to_be_notified: "all" },
      "branches_to_be_notified",
      { 14.5: "default", 17.8: "default", "18.0": "all" },
    ],
  ]),
  ["datadog", { api_key: "k" }, "datadog_site", { 14.5: "datadoghq.com" }],
  ["bugzilla", bugs, "title", { "14.0": undefined, 14.5: undefined }],
  ["flowdock", { token: "t" }, "token", { 15.6: undefined, 15.7: 405 }],
  ["irc-gateway", { recipients: "#a" }, "recipients", { 14.5: 405 }],
  ["irker", { recipients: "#a" }, "recipients", { 14.5: "#a" }],
  ["jira", { url: "https://j.example.com", password: "p" }, "username", { 15.11: 400, "16.0": null }],
  ["pushover", push, "device", { 14.5: 400, 17.7: 400, 17.8: null }],
  [
    "prometheus",
    { api_url: "https://m.example.com" },
    "api_url",
    { "14.0": "https://m.example.com", 14.5: 400, 17.7: 400, 17.8: 405, "18.0": 405 },
  ],
];

test.each(rows)("%s %j: %s", async (slug, form, name, byRelease) => {
  for (const [release, expected] of Object.entries(byRelease)) {
    const { ask } = await served(release);
    const segment = Number(release) < 14.4 ? "services" : "integrations";
    const { status, json } = await ask("PUT", `/projects/1/${segment}/${slug}`, { form });
    expect([release, status === 200 ? json.properties[name] : status]).toEqual([release, expected]);
  }
});

/** The same of a server that speaks the names of the specification: what it does with parameters goes by its release too. */
test.each([
  [
    "chat-notifications-a",
    hook,
    "webhook",
    { 14.5: "https://w.example.com", 15.7: "https://w.example.com", 15.8: undefined },
  ],
  ["mobile-push-notify", push, "device", { 14.5: 400, 17.7: 400, 17.8: null }],
  ["chat-slash-commands-b", { token: "t", username: "u" }, "username", { 14.9: "u", "14.10": undefined }],
  [
    "chat-webhook-a",
    { ...hook, branches_to_be_notified: "all" },
    "branches_to_be_notified",
    { 14.5: "default", "18.0": "all" },
  ],
])("neutral, %s %j: %s", async (slug, form, name, byRelease) => {
  for (const [release, expected] of Object.entries(byRelease)) {
    const { ask } = await serving({
      seed: { projects: [{ id: 1, path: "a/b" }] },
      behaviour: "observed",
      release,
    });
    const { status, json } = await ask("PUT", `/projects/1/services/${slug}`, { form });
    expect([release, status === 200 ? json.properties[name] : status]).toEqual([release, expected]);
  }
});

test("a seed speaks the names of the dialect", () => {
  const seed = (slug: string) => `projects: [{ path: a/b, integrations: { ${slug}: { jenkins_url: x } } }]`;
  expect(parseSeed(seed("jenkins"), "seed", catalogueOf("gitlab"))).toHaveProperty("seed");
  expect(parseSeed(seed("ci-build-server-c"), "seed", catalogueOf())).toHaveProperty("problems");
});
