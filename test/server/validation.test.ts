import { expect, test } from "vitest";
import type { Seed } from "../../src/server/seed.ts";
import { type Answered, serving } from "./serving.ts";

const seed: Seed = { projects: [{ id: 1, path: "a/b" }], features: { validate_values: true } };
const gitlab = { dialect: "gitlab", behaviour: "observed", release: "17.8" } as const;
const said = ({ status, json }: Answered) => [status, json.message ?? json.error];
const told = (field: string, sentence: string) => [
  400,
  `Failed to update integration. {:${field}=>[${JSON.stringify(sentence)}]}`,
];
const inUse = told(
  "base",
  "Another issue tracker is already in use. Only one issue tracker service can be active at a time",
);
const bamboo = { bamboo_url: "https://ci", build_key: "K", username: "u", password: "p" };
const jira = { url: "https://j", username: "u", password: "p" };

test.each([
  ["datadog", { api_key: "abc" }, undefined],
  ["datadog", { api_key: "abc", datadog_site: "us3.datadoghq.eu:8080" }, undefined],
  ["datadog", { api_key: "abc", datadog_site: "no site" }, told("datadog_site", "is invalid")],
  ["datadog", { api_key: "abc", datadog_site: "a.com\nb" }, told("datadog_site", "is invalid")],
  ["datadog", { api_key: "abc", datadog_site: "", api_url: "https://d" }, undefined],
  ["datadog", { api_key: "abc", datadog_site: " ", api_url: "" }, told("datadog_site", "can't be blank")],
  ["datadog", { api_key: "a-b" }, told("api_key", "is invalid")],
  ["datadog", { api_key: "" }, told("api_key", "can't be blank")],
  ["jira", { ...jira, jira_issue_transition_id: "5, 7;9" }, undefined],
  ["jira", { ...jira, jira_issue_transition_id: "" }, undefined],
  ["jira", { ...jira, jira_issue_transition_id: "done" }, told("jira_issue_transition_id", "is invalid")],
  ["bamboo", bamboo, undefined],
  ["bamboo", { ...bamboo, username: "", password: "" }, undefined],
  ["bamboo", { ...bamboo, password: "" }, told("password", "can't be blank")],
  ["bamboo", { ...bamboo, username: "" }, told("username", "can't be blank")],
])("%s of %j, where the seed asks for what models check", async (slug, form: Record<string, string>, refusal) => {
  const { ask } = await serving({ ...gitlab, seed });
  const path = `/projects/1/integrations/${slug}`;
  const answered = await ask("PUT", path, { form });
  if (refusal) expect(said(answered)).toEqual(refusal);
  else expect(answered.status).toBe(200);
  expect((await ask("GET", path)).status).toBe(refusal ? 404 : 200);
  const { ask: elsewhere } = await serving({ ...gitlab, seed: { projects: [{ id: 1, path: "a/b" }] } });
  expect((await elsewhere("PUT", path, { form })).status, "nothing further is checked otherwise").toBe(200);
});

test.each([
  ["17.1", 200],
  ["17.8", inUse],
] as const)("a second issue tracker beside an active one, %s", async (release, expected) => {
  const { ask } = await serving({ ...gitlab, seed, release });
  const form = { new_issue_url: "https://x/new", issues_url: "https://x/:id", project_url: "https://x" };
  const put = (slug: string) => ask("PUT", `/projects/1/integrations/${slug}`, { form });
  expect((await put("bugzilla")).status).toBe(200);
  expect((await put("bugzilla")).status).toBe(200);
  expect((await ask("PUT", "/projects/1/integrations/jira", { form: jira })).status).toBe(200);
  const second = await put("ewm");
  expect(expected === 200 ? second.status : said(second)).toEqual(expected);
  await ask("DELETE", "/projects/1/integrations/bugzilla");
  expect((await put("redmine")).status).toBe(200);
});

test("before 17.2 the reason is not told", async () => {
  const { ask } = await serving({ ...gitlab, seed, release: "16.9" });
  const answered = await ask("PUT", "/projects/1/integrations/datadog", { form: { api_key: "a b" } });
  expect(said(answered)).toEqual([400, "400 Bad Request"]);
});
