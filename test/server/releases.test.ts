import { describe, expect, test } from "vitest";
import type { Seed } from "../../src/server/seed.ts";
import { type Answered, type Asking, serving } from "./serving.ts";

const seed: Seed = {
  projects: [
    {
      id: 1,
      path: "a/b",
      former_paths: ["a/old"],
      licenses: { MIT: "allowed" },
      deployments: [
        { status: "success", environment: "review/1", ref: "z" },
        { status: "running", environment: "review/1", ref: "a", created_at: "2020-01-01" },
        { status: "failed", environment: "production" },
        { status: "skipped", environment: "staging" },
        { status: "blocked", environment: "staging" },
      ],
    },
    { id: 2, path: "c/d", access: "stranger" },
  ],
  tokens: [
    { token: "reads", role: "reporter" },
    { token: "scoped", role: "maintainer", scopes: ["read_api"] },
  ],
};

const licenses = "/projects/1/managed_licenses";
const deployments = "/projects/1/deployments";
const status = (answered: Answered) => answered.status;
const approval = ({ json }: Answered) => json[0]?.approval_status ?? json;
const said = ({ status: code, json }: Answered) => [code, json.message ?? json.error];
const ids = ({ json }: Answered) => json.map(({ id }: { id: number }) => id);

type Row = readonly [
  what: string,
  request: readonly [method: string, path: string, asking?: Asking],
  of: (answered: Answered) => unknown,
  byRelease: Readonly<Record<string, unknown>>,
];

/** Flags that rows of the list show in addition, by release. */
function flagRows(): readonly Row[] {
  const shown = ["alert_events", "deployment_events", "incident_events", "vulnerability_events"];
  const flags = ({ json }: Answered) => Object.fromEntries(shown.map((name) => [name, json[name]]));
  const wiki = ["PUT", "/projects/1/services/external-wiki", { form: { external_wiki_url: "https://w" } }] as const;
  const [alert, deployment, incident, vulnerability] = shown.map((name, index) => ({ [name]: index === 0 }));
  const none = Object.fromEntries(shown.map((name) => [name, undefined]));
  const byRelease = {
    14.5: none,
    "15.0": { ...none, ...alert },
    15.8: { ...none, ...alert, ...deployment },
    "16.0": { ...none, ...alert, ...deployment, ...incident },
    16.4: { ...alert, ...deployment, ...incident, ...vulnerability },
  };
  return [["flags of events", wiki, flags, byRelease]];
}

/** What one request is answered in some releases of deployed servers (platform facts, by release). */
const facts: readonly Row[] = [
  ["the older name of integrations", ["GET", "/projects/1/services"], status, { 14.3: 200, 17.9: 200 }],
  ["the newer name", ["GET", "/projects/1/integrations"], status, { 14.3: 404, 14.4: 200 }],
  [
    "words of licenses in answers",
    ["GET", licenses],
    approval,
    { 13.12: "approved", 14.5: "approved", "15.0": "allowed", "16.0": [] },
  ],
  [
    "words of licenses in requests",
    ["POST", licenses, { form: { name: "X", approval_status: "denied" } }],
    status,
    { 13.12: 400, "14.0": 201, "15.0": 201, "16.0": 400 },
  ],
  [
    "legacy words of licenses in requests",
    ["POST", licenses, { form: { name: "X", approval_status: "blacklisted" } }],
    status,
    { 13.12: 201, 14.5: 201, "15.0": 400 },
  ],
  [
    "a license by its name",
    ["GET", `${licenses}/MIT`],
    (answered) => answered.json.id ?? answered.json,
    { 15.9: 1, "16.0": [] },
  ],
  ["a change of nothing", ["PATCH", `${licenses}/MIT`], status, { 14.5: 200, "16.0": 400 }],
  ["removal of a license", ["DELETE", `${licenses}/MIT`], status, { 15.9: 204, "16.0": 400 }],
  ["removal of a deployment", ["DELETE", `${deployments}/3`], status, { 15.2: 405, 15.3: 204 }],
  [
    "removal of a running one",
    ["DELETE", `${deployments}/2`],
    said,
    { 15.3: [400, "Cannot destroy running deployment"] },
  ],
  [
    "removal of a live one",
    ["DELETE", `${deployments}/1`],
    said,
    { 15.3: [400, "Deployment currently deployed to environment"] },
  ],
  [
    "a filter over a time without its sort",
    ["GET", `${deployments}?updated_after=2021-01-01`],
    status,
    { 14.5: 200, "15.0": 400 },
  ],
  ["a sort by ref", ["GET", `${deployments}?order_by=ref`], status, { 17.9: 200, "18.0": 400 }],
  ["a sort by creation is by ID", ["GET", `${deployments}?order_by=created_at`], ids, { 14.5: [1, 2, 3, 4, 5] }],
  ["deployments that were skipped", ["GET", `${deployments}?status=skipped`], ids, { 13.12: [4], "18.0": [4] }],
  ["deployments that are blocked", ["GET", `${deployments}?status=blocked`], ids, { 13.12: [5], "18.0": [5] }],
  ["deployments that have no such status", ["GET", `${deployments}?status=manual`], status, { 14.5: 400 }],
  [
    "a sort by the end",
    ["GET", `${deployments}?order_by=finished_at`],
    ids,
    { 13.12: [1, 3, 2, 4, 5], "18.0": [1, 3, 2, 4, 5] },
  ],
  [
    "a filter over the end with its sort",
    ["GET", `${deployments}?finished_after=2021-01-01&order_by=finished_at&sort=desc`],
    ids,
    { 14.5: [3, 1], "18.0": [3, 1] },
  ],
  ["what ended before", ["GET", `${deployments}?finished_before=2021-01-01&order_by=finished_at`], ids, { 14.5: [] }],
  [
    "a filter over the end without its sort",
    ["GET", `${deployments}?finished_after=2021-01-01`],
    said,
    { "15.0": [400, "400 Bad request - `finished_at` filter requires `finished_at` sort"] },
  ],
  [
    "a deployment of no commit",
    ["POST", deployments, { form: { environment: "e", sha: "", ref: "main", tag: "false", status: "running" } }],
    said,
    { 14.5: [400, { sha: ["The commit does not exist"] }], "15.0": [400, "sha is empty"] },
  ],
  [
    "a change of a license that is not there, to no status",
    ["PATCH", `${licenses}/GPL`, { form: { approval_status: "perhaps" } }],
    said,
    { 14.5: [404, "404 SoftwareLicensePolicy Not Found"] },
  ],
  [
    "a change of a license by a reporter, to no status",
    ["PATCH", `${licenses}/MIT`, { form: { approval_status: "perhaps" }, token: "reads" }],
    said,
    { 14.5: [403, "403 Forbidden"] },
  ],
  [
    "a change of a license to no status",
    ["PATCH", `${licenses}/MIT`, { form: { approval_status: "perhaps" } }],
    said,
    { 14.5: [400, "approval_status does not have a valid value"] },
  ],
  [
    "a write with a scope to read",
    ["DELETE", `${licenses}/MIT`, { token: "scoped" }],
    ({ json }) => [json.error, json.scope],
    { 14.5: ["insufficient_scope", "api"] },
  ],
  ["the email of a user", ["GET", "/user"], ({ json }) => json.email, { 13.12: "root@example.com" }],
  [
    "an integration that was never configured",
    ["GET", "/projects/1/services/external-wiki"],
    said,
    {
      13.12: [404, "404 Service Not Found"],
      14.2: [404, "404 Service Not Found"],
      14.3: [404, "404 Integration Not Found"],
    },
  ],
  ...flagRows(),
  [
    "merge requests of a deployment that is not there",
    ["GET", `${deployments}/9/merge_requests`],
    ({ json }) => json,
    { 14.5: [] },
  ],
  ["a project by its former path", ["GET", "/projects/a%2Fold"], status, { 14.5: 200, 16.7: 301 }],
  [
    "a change by its former path",
    ["PUT", "/projects/a%2Fold/integrations/external-wiki"],
    said,
    { 16.7: [405, "Non GET methods are not allowed for moved projects"] },
  ],
  ["projects far behind", ["GET", "/projects?page=501&per_page=100"], status, { 14.5: 405 }],
  ["the newest project first", ["GET", "/projects?order_by=id"], ids, { 14.5: [2, 1] }],
  ["projects of a member", ["GET", "/projects?min_access_level=30"], ids, { 14.5: [1] }],
  ["the version", ["GET", "/version"], ({ json }) => json.version, { 14.5: "14.5.0-ee", "15.8.2": "15.8.2-ee" }],
  [
    "removal of what never was",
    ["DELETE", "/projects/1/integrations/external-wiki"],
    status,
    { 14.5: 204, "18.0": 404 },
  ],
];

const cases = facts.flatMap(([what, request, of, byRelease]) =>
  Object.entries(byRelease).map(([release, expected]) => ({ what, request, of, release, expected })),
);

test.each(cases)("$what, $release", async ({ request, of, release, expected }) => {
  const { ask } = await serving({ seed, behaviour: "observed", release });
  expect(of(await ask(...request))).toEqual(expected);
});

describe("what a group hands down", () => {
  const handedDown: Seed = {
    projects: [
      {
        id: 1,
        path: "a/b",
        integrations: { "external-wiki": { external_wiki_url: "https://group", inherited: true } },
      },
    ],
  };
  const wiki = "/projects/1/integrations/external-wiki";
  const own = { external_wiki_url: "https://own" };
  const of = ({ status: code, json }: Answered) => [code, json.inherited, json.properties.external_wiki_url];

  test.each([
    ["15.8", own, [200, undefined, "https://own"]],
    ["17.3", own, [200, true, "https://group"]],
    ["17.3", { ...own, use_inherited_settings: "true" }, [200, true, "https://group"]],
    ["17.3", { ...own, use_inherited_settings: "false" }, [200, false, "https://own"]],
  ] as const)("%s, PUT %j", async (release, form, expected) => {
    const { ask } = await serving({ seed: handedDown, behaviour: "observed", release });
    expect(of(await ask("PUT", wiki, { form }))).toEqual(expected);
    expect(of(await ask("GET", wiki))).toEqual(expected);
    const { inherited } = (await ask("GET", "/projects/1/integrations")).json[0];
    expect(inherited).toBe(expected[1]);
  });
});

test.each([
  ["17.2", 200],
  ["17.3", 400],
])("use_inherited_settings is a boolean where servers know it: %s", async (release, expected) => {
  const { ask } = await serving({ seed, behaviour: "observed", release });
  const form = { external_wiki_url: "https://w", use_inherited_settings: "perhaps" };
  expect((await ask("PUT", "/projects/1/integrations/external-wiki", { form })).status).toBe(expected);
});

test.each([
  ["14.5", [false, false]],
  ["15.0", [true, true]],
])("what was never set is null, and a write that changes nothing moves updated_at: %s", async (release, expected) => {
  const { ask } = await serving({ seed, behaviour: "observed", release });
  const put = () => ask("PUT", "/projects/1/integrations/irc-gateway", { form: { recipients: "#a" } });
  const [first, second] = [(await put()).json, (await put()).json];
  expect([first.properties.server_host === null, second.updated_at > first.updated_at]).toEqual(expected);
});

test("a removal heeds If-Unmodified-Since", async () => {
  const values = { recipients: "#a", updated_at: "2021-11-21T07:30:00.500Z" };
  const irker = { projects: [{ id: 1, path: "a/b", integrations: { "irc-gateway": values } }] };
  const removal = async (since: string, behaviour: "spec" | "observed" = "observed") => {
    const { server } = await serving({ seed: irker, behaviour });
    const headers = { "PRIVATE-TOKEN": "evenkeel-dev-token", "If-Unmodified-Since": since };
    const url = `${server.url}/api/v4/projects/1/services/irc-gateway`;
    const { status: code } = await fetch(url, { method: "DELETE", headers });
    const { active } = JSON.parse(await (await fetch(url, { headers })).text());
    return [code, active];
  };
  expect(await removal("Sun, 21 Nov 2021 07:30:00 GMT")).toEqual([412, true]);
  expect(await removal("Sun, 21 Nov 2021 07:30:01 GMT")).toEqual([204, false]);
  expect(await removal("no time")).toEqual([204, false]);
  expect(await removal("Sun, 21 Nov 2021 07:30:00 GMT", "spec")).toEqual([204, false]);
});

test("DELETE forgets defaults too", async () => {
  const { ask } = await serving({ seed, behaviour: "observed" });
  const mails = "/projects/1/integrations/emails-on-push";
  const put = await ask("PUT", mails, { form: { recipients: "a@b" } });
  expect(put.json.properties.branches_to_be_notified).toBe("all");
  await ask("DELETE", mails);
  expect((await ask("GET", mails)).json.properties.branches_to_be_notified).toBe(null);
});

test("the redirect of a renamed project leads to the same page of it by its ID", async () => {
  const { ask } = await serving({ seed, behaviour: "observed", release: "17.9" });
  const { headers } = await ask("GET", "/projects/A%2Fold/deployments?page=2&per_page=1");
  expect(headers.get("location")).toMatch(/\/api\/v4\/projects\/1\/deployments\?page=2&per_page=1$/);
});

test("an environment has a slug, and null stands for an address that was never set", async () => {
  const { ask } = await serving({ seed, behaviour: "observed" });
  const [review, , production] = (await ask("GET", deployments)).json;
  expect(review.environment).toMatchObject({
    slug: expect.stringMatching(/^review-1-[a-z0-9]{6}$/),
    external_url: null,
  });
  expect(production.environment.slug).toBe("production");
});
