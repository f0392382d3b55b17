import { describe, expect, test } from "vitest";
import { catalogueOf } from "../../src/model/catalogue.ts";
import type { Seed } from "../../src/server/seed.ts";
import { serving } from "./serving.ts";

const { integrations } = catalogueOf();

const irc = "/projects/42/integrations/irc-gateway";

const seed: Seed = {
  projects: [
    { id: 42, path: "payments/api", integrations: { "irc-gateway": { recipients: "ops dev" }, alerts: { level: 3 } } },
    { id: 43, path: "payments/closed", access: "none" },
  ],
};

const listFields = [
  "id title slug created_at updated_at active commit_events push_events issues_events confidential_issues_events",
  "merge_requests_events tag_push_events note_events confidential_note_events pipeline_events wiki_page_events",
  "job_events comment_on_event_enabled",
]
  .join(" ")
  .split(" ");

/** A value of the right type for each parameter that is required. */
function required(slug: string): Record<string, string> {
  const parameters = [...(integrations.get(slug)?.parameters.values() ?? [])].filter(({ isRequired }) => isRequired);
  return Object.fromEntries(parameters.map(({ name }) => [name, "https://x.example.com/:id"]));
}

describe("reading", () => {
  test("a list holds active ones with exactly the fields of the spec, also slugs that the catalogue lacks", async () => {
    const { ask } = await serving({ seed });
    const { status, json } = await ask("GET", "/projects/payments%2FAPI/integrations");
    expect(status).toBe(200);
    expect(json.map(({ slug }: { slug: string }) => slug)).toEqual(["irc-gateway", "alerts"]);
    expect(Object.keys(json[0])).toEqual(listFields);
  });

  test("a single one adds its properties, and leaves secrets out but where the specification shows them", async () => {
    const { ask } = await serving({ seed });
    expect((await ask("GET", irc)).json.properties).toEqual({ recipients: "ops dev" });
    await ask("PUT", "/projects/42/integrations/chat-slash-commands-b", { form: { token: "t0ken", username: "bot" } });
    expect((await ask("GET", "/projects/42/integrations/chat-slash-commands-b")).json.properties).toEqual({
      username: "bot",
    });
    await ask("PUT", "/projects/42/integrations/chat-slash-commands-a", { form: { token: "t0ken" } });
    const shown = (await ask("GET", "/projects/42/integrations/chat-slash-commands-a")).json;
    expect(shown.properties).toEqual({ token: "t0ken" });
    expect(shown).not.toHaveProperty("commit_events");
    expect(shown).not.toHaveProperty("wiki_page_events");
  });

  test("every parameter that is no secret and no flag comes back under properties, also one named like a field", async () => {
    const { ask } = await serving({ seed });
    const words = { project_url: "p", issues_url: "i", new_issue_url: "n", title: "Bugs", description: "Ours" };
    const { json } = await ask("PUT", "/projects/42/integrations/issue-tracker-links-a", { form: words });
    expect(json.properties).toEqual(words);
    expect(json.title).not.toBe("Bugs");
  });

  test("deployment_events stands at the top of the single GET and not in the list", async () => {
    const { ask } = await serving({ seed });
    const path = "/projects/42/integrations/chat-notifications-a";
    await ask("PUT", path, { json: { webhook: "w", deployment_events: true } });
    expect((await ask("GET", path)).json.deployment_events).toBe(true);
    expect((await ask("GET", "/projects/42/integrations")).json.at(-1)).not.toHaveProperty("deployment_events");
  });

  test("what is not there is said in the platform's words", async () => {
    const { ask } = await serving({ seed });
    const told = async (method: string, path: string) => {
      const { status, json } = await ask(method, path);
      return [status, json];
    };
    expect(await told("GET", "/projects/9/integrations")).toEqual([404, { message: "404 Project Not Found" }]);
    expect(await told("GET", "/projects/42/integrations/ewm")).toEqual([
      400,
      { error: "slug does not have a valid value" },
    ]);
    expect(await told("GET", "/projects/42/integrations/mock-ci")).toEqual([
      400,
      { error: "slug does not have a valid value" },
    ]);
    expect(await told("PUT", "/projects/42/integrations/ewm")).toEqual([405, { error: "405 Not Allowed" }]);
    const missing = [404, { message: "404 Integration Not Found" }];
    expect(await told("GET", "/projects/42/integrations/external-wiki")).toEqual(missing);
    expect(await told("GET", "/projects/43/integrations")).toEqual([403, { message: "403 Forbidden" }]);
    expect(await told("POST", "/projects/42/integrations")).toEqual([405, { error: "405 Not Allowed" }]);
    expect(await told("GET", "/projects/42/nothing")).toEqual([404, { error: "404 Not Found" }]);
  });
});

describe("writing", () => {
  test.each([...integrations.values()].map(({ slug }) => slug))("%s is created with what it requires", async (slug) => {
    const release = slug === "ci-build-server-c-legacy" ? "12.9" : "14.5";
    const { ask } = await serving({ seed, release, environment: "development" });
    const path = `/projects/42/services/${slug}`;
    const lacking = await ask("PUT", path);
    expect(lacking.status).toBe(400);
    expect(lacking.json.error).toContain("is missing");
    const created = await ask("PUT", path, { form: required(slug) });
    expect(created.status).toBe(200);
    expect(created.json).toEqual((await ask("GET", path)).json);
  });

  test("a PUT changes what it carries and keeps the rest; updated_at moves only with a change", async () => {
    const { ask } = await serving({ seed });
    const first = (await ask("PUT", irc, { form: { recipients: "ops dev", server_port: "6659" } })).json;
    expect(first.properties).toEqual({ recipients: "ops dev", server_port: 6659 });
    const second = (await ask("PUT", irc, { json: { recipients: "ops", push_events: false } })).json;
    expect(second.properties).toEqual({ recipients: "ops", server_port: 6659 });
    expect(second.push_events).toBe(false);
    expect(second.updated_at > first.updated_at).toBe(true);
    const again = (await ask("PUT", irc, { json: { recipients: "ops", push_events: false } })).json;
    expect(again).toEqual(second);
    expect((await ask("PUT", irc, { json: { recipients: "ops", server_port: null } })).json.properties).toEqual({
      recipients: "ops",
    });
  });

  test("every mistake is named in one sentence each", async () => {
    const { ask } = await serving({ seed });
    const body = { server_port: "many", push_events: "perhaps", colour: "red" };
    const { status, json } = await ask("PUT", irc, { form: body });
    expect(status).toBe(400);
    expect(json.error).toBe("recipients is missing, server_port is invalid, push_events is invalid, colour is unknown");
    const words = { new_issue_url: "a", project_url: "b", issues_url: "no id" };
    const workflow = await ask("PUT", "/projects/42/integrations/issue-tracker-workflow", { form: words });
    expect(workflow.json.error).toBe("issues_url does not have a valid value");
  });

  test("DELETE of one that was never configured leaves it so", async () => {
    const { ask } = await serving({ seed });
    const wiki = "/projects/42/integrations/external-wiki";
    expect((await ask("DELETE", wiki)).status).toBe(204);
    expect((await ask("GET", wiki)).status).toBe(404);
  });

  test("DELETE disables and keeps the settings", async () => {
    const { ask } = await serving({ seed });
    const { status, text } = await ask("DELETE", irc);
    expect([status, text]).toEqual([204, ""]);
    const left = (await ask("GET", irc)).json;
    expect([left.active, left.properties.recipients]).toEqual([false, "ops dev"]);
    expect((await ask("GET", "/projects/42/integrations")).json).toHaveLength(1);
    await ask("DELETE", irc);
    expect((await ask("GET", irc)).json.updated_at).toBe(left.updated_at);
    expect((await ask("PUT", irc, { form: { recipients: "ops dev" } })).json.active).toBe(true);
  });

  test("active is listened to where it is a parameter, is off by default, and is kept when left out", async () => {
    const { ask } = await serving({ seed });
    const path = "/projects/42/integrations/issue-tracker-full";
    const login = { url: "u", username: "n", password: "p" };
    expect((await ask("PUT", path, { form: login })).json.active).toBe(false);
    expect((await ask("PUT", path, { form: { ...login, active: "true" } })).json.active).toBe(true);
    expect((await ask("PUT", path, { form: login })).json.active).toBe(true);
    expect((await ask("PUT", path, { form: { ...login, active: "false" } })).json.active).toBe(false);
    expect((await ask("PUT", irc, { form: { recipients: "a", active: "true" } })).json.error).toBe("active is unknown");
  });

  test("multipart forms and queries are read too; a body that is no JSON is refused, and so is one too large", async () => {
    const { ask } = await serving({ seed });
    const form = new FormData();
    form.set("recipients", "multipart");
    expect((await ask("PUT", irc, { body: form })).json.properties.recipients).toBe("multipart");
    expect((await ask("PUT", `${irc}?recipients=query`)).json.properties.recipients).toBe("query");
    expect((await ask("PUT", irc, { body: "{", type: "application/json" })).status).toBe(400);
    expect((await ask("PUT", irc, { json: [1] })).status).toBe(400);
    expect((await ask("PUT", irc, { form: { recipients: "x".repeat(1 << 21) } })).status).toBe(413);
  });
});

describe("release, tier and environment", () => {
  test("has the list, and what a deployment shipped, from 12.7 on", async () => {
    const old = (await serving({ seed, release: "12.6" })).ask;
    const young = (await serving({ seed, release: "12.7" })).ask;
    expect((await old("GET", "/projects/42/services")).status).toBe(404);
    expect((await young("GET", "/projects/42/services")).status).toBe(200);
    expect((await old("GET", "/projects/42/deployments/1/merge_requests")).json).toEqual({ error: "404 Not Found" });
  });

  test("an integration of a higher tier is forbidden, with the reason", async () => {
    const { ask } = await serving({ seed, tier: "free" });
    const { status, json } = await ask("PUT", "/projects/42/integrations/code-host-status");
    expect(status).toBe(403);
    expect(json.message).toBe("403 Forbidden - code-host-status needs tier premium; the server is free");
  });

  test("one that is gone, or of another environment, is no known slug", async () => {
    const legacy = "/projects/42/services/ci-build-server-c-legacy";
    expect((await (await serving({ seed, release: "13.0" })).ask("PUT", legacy)).status).toBe(405);
    expect((await (await serving({ seed, release: "12.9" })).ask("PUT", legacy)).status).toBe(400);
    const { ask } = await serving({ seed, environment: "development" });
    expect((await ask("PUT", "/projects/42/integrations/mock-ci", { form: { mock_service_url: "u" } })).status).toBe(
      200,
    );
  });
});
