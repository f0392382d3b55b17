import { expect, test } from "vitest";
import type { Seed } from "../../src/server/seed.ts";
import type { ServerOptions } from "../../src/server/server.ts";
import { serving } from "./serving.ts";

const seed: Seed = {
  projects: [
    {
      id: 1,
      path: "a/b",
      licenses: { MIT: "allowed" },
      deployments: [{ status: "running" }, { deployable: { id: 9 } }],
    },
  ],
};
const observed = (options: ServerOptions = {}) => serving({ seed, behaviour: "observed", ...options });
const integration = (slug: string) => `/projects/1/integrations/${slug}`;

test("PUT always activates and ignores what it does not know", async () => {
  const { ask } = await observed();
  const login = { url: "https://t.example.com/", username: "n", password: "p", active: "false", colour: "red" };
  const { status, json } = await ask("PUT", integration("issue-tracker-full"), { form: login });
  expect([status, json.active]).toEqual([200, true]);
  expect(json.properties.url).toBe("https://t.example.com");
  expect(json.properties).not.toHaveProperty("tracker_issue_transition_id");
});

test("the catalogue's quirks: hidden, dropped, trimmed, and required beyond the spec", async () => {
  const { ask } = await observed();
  const body = {
    webhook: "w",
    channel: "#c",
    commit_events: false,
    push_events: false,
    branches_to_be_notified: "odd",
  };
  const chat = (await ask("PUT", integration("chat-notifications-a"), { json: body })).json;
  expect([chat.push_events, chat.commit_events]).toEqual([false, true]);
  expect(chat).not.toHaveProperty("deployment_events");
  expect(chat.properties).toMatchObject({ webhook: "w", branches_to_be_notified: "odd" });
  expect(chat.properties).not.toHaveProperty("channel");
  const monitoring = (await ask("PUT", integration("monitoring-a"), { form: { api_key: "k", monitor_env: " x " } }))
    .json;
  expect(monitoring.properties.monitor_env).toBe("x");
  const push = { api_key: "k", user_key: "u", priority: "0" };
  const refused = await ask("PUT", integration("mobile-push-notify"), { form: push });
  expect(refused.json.error).toBe("device is missing, sound is missing");
  const accepted = await ask("PUT", integration("mobile-push-notify"), { form: { ...push, device: "", sound: "" } });
  expect(accepted.status).toBe(200);
});

test("DELETE wipes the settings but for the flags, and leaves a ghost of what never was", async () => {
  const { ask } = await observed();
  await ask("PUT", integration("irc-gateway"), { form: { recipients: "a", push_events: "false" } });
  await ask("DELETE", integration("irc-gateway"));
  const left = (await ask("GET", integration("irc-gateway"))).json;
  expect(left).toMatchObject({ active: false, push_events: false, properties: { recipients: null } });
  expect((await ask("GET", integration("external-wiki"))).status).toBe(404);
  expect((await ask("DELETE", integration("external-wiki"))).status).toBe(204);
  expect((await ask("GET", integration("external-wiki"))).json.active).toBe(false);
});

test("names of licenses that differ in case alone are two", async () => {
  const { ask } = await observed();
  const form = { name: "mit", approval_status: "denied" };
  expect((await ask("POST", "/projects/1/managed_licenses", { form })).status).toBe(201);
});

test("deployments change only as deployed servers let them", async () => {
  const { ask } = await observed();
  const path = "/projects/1/deployments";
  const put = async (id: number, status: string) => {
    const answered = await ask("PUT", `${path}/${id}`, { form: { status } });
    return [answered.status, answered.json.message];
  };
  const via = (event: string) => [400, { status: [`cannot transition via "${event}"`] }];
  expect(await put(1, "running")).toEqual(via("run"));
  expect(await put(1, "success")).toEqual([200, undefined]);
  expect(await put(1, "success")).toEqual(via("succeed"));
  expect(await put(1, "running")).toEqual(via("run"));
  expect(await put(1, "failed")).toEqual([200, undefined]);
  expect((await put(2, "failed"))[0]).toBe(403);
  const created = await ask("POST", path, {
    form: { environment: "e", sha: "s", ref: "r", tag: "true", status: "created" },
  });
  expect(created.json.error).toBe("status does not have a valid value");
});

test("the same deployment again is the one that is there", async () => {
  const { ask } = await observed();
  const form = { environment: "e", sha: "s", ref: "r", tag: "true", status: "running" };
  const first = await ask("POST", "/projects/1/deployments", { form });
  const second = await ask("POST", "/projects/1/deployments", { form });
  expect([second.status, second.json]).toEqual([201, first.json]);
  expect(first.json).toHaveProperty("updated_at");
});

test("storage is for admins alone, and the filter is ignored for others", async () => {
  const { ask } = await observed({ seed: { ...seed, tokens: [{ token: "o", role: "owner" }] } });
  const { status, json } = await ask("GET", "/projects?repository_storage=none", { token: "o" });
  expect([status, json.length]).toEqual([200, 1]);
  expect(json[0]).not.toHaveProperty("repository_storage");
});

test("settings that are kept apart change without moving updated_at, and are null until they are set", async () => {
  const { ask } = await observed();
  const login = { url: "u", username: "n", password: "p" };
  const first = (await ask("PUT", integration("issue-tracker-full"), { form: login })).json;
  expect(first.properties).toEqual({ url: "u", api_url: null, username: "n" });
  const second = (await ask("PUT", integration("issue-tracker-full"), { form: { ...login, url: "v" } })).json;
  expect([second.properties.url, second.updated_at]).toEqual(["v", first.updated_at]);
  const third = (await ask("PUT", integration("issue-tracker-full"), { form: { ...login, commit_events: "false" } }))
    .json;
  expect(third.updated_at > first.updated_at).toBe(true);
});

test("a list of more than 10,000 does not say how long it is", async () => {
  const projects = Array.from({ length: 10_001 }, (_, index) => ({ path: `g/p${index}` }));
  const { ask } = await observed({ seed: { projects } });
  const { headers } = await ask("GET", "/projects?per_page=100");
  expect([headers.has("x-total"), headers.get("x-next-page")]).toEqual([false, "2"]);
  expect(headers.get("link")).not.toContain("last");
});

test("a new integration begins with values that nobody sent, and one of them is never on", async () => {
  const { ask } = await observed();
  const chat = (await ask("PUT", integration("chat-webhook-d"), { form: { webhook: "w" } })).json;
  expect(chat.properties.notify_only_broken_pipelines).toBe(true);
  const monitoring = (await ask("PUT", integration("monitoring-a"), { form: { api_key: "k" } })).json;
  expect(monitoring.properties.monitor_site).toBe("monitoring.example.com");
  const proxy = { proxy_iap_audience_client_id: "", proxy_iap_service_account_json: "" };
  const metrics = { form: { api_url: "https://m.example.com", ...proxy } };
  for (const _ of ["created", "edited"]) {
    const { status, json } = await ask("PUT", integration("metrics-monitoring"), metrics);
    expect([status, json.active, json.properties.api_url]).toEqual([200, false, "https://m.example.com"]);
  }
});

test("a blank channel of confidential events is answered as that of the others", async () => {
  const { ask } = await observed();
  const channels = { webhook: "w", issue_channel: "#i", confidential_issue_channel: "" };
  const put = async (form: Record<string, string>) =>
    (await ask("PUT", integration("chat-notifications-b"), { form })).json.properties.confidential_issue_channel;
  expect(await put(channels)).toBe("#i");
  expect(await put({ ...channels, confidential_issue_channel: "#secret" })).toBe("#secret");
});

test("what a single GET lacks by the specification is there, and what servers do not answer is not", async () => {
  const { ask } = await observed();
  const commands = (await ask("PUT", integration("chat-slash-commands-a"), { form: { token: "t" } })).json;
  expect(commands).toMatchObject({ commit_events: true, wiki_page_events: true });
  const pipeline = { token: "t", project_url: "https://b.example.com", enable_ssl_verification: "true" };
  expect((await ask("PUT", integration("ci-pipeline-token"), { form: pipeline })).json.properties).toEqual({
    project_url: "https://b.example.com",
  });
});
