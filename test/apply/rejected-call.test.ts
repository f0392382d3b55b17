import { describe, expect, test } from "vitest";
import { apply } from "../../src/run/apply.ts";
import { type Scripted, serve } from "../client/scripted.ts";
import { token } from "../e2e/workspace.ts";
import { folder } from "../support/folder.ts";
import { policyText, workspaceText } from "../support/stage.ts";

const push = { api_key: { secret: "env:KEY" }, user_key: { secret: "env:USER" }, priority: "1" };
const secrets = { KEY: "k", USER: "u" };
const all = { approve: async () => true, watchers: [] };

/** A server with one project on which PUTs are answered by script, given what they carry. */
async function site(
  rows: readonly object[],
  put: (form: Record<string, string>) => Scripted,
  policy: object,
  more = {},
) {
  const forms: Record<string, string>[] = [];
  const server = await serve(({ method, path, body }) => {
    if (method === "GET") return path.endsWith("/integrations") ? { body: rows } : { body: rows[0] };
    const form = Object.fromEntries(new URLSearchParams(body));
    forms.push(form);
    return put(form);
  });
  const files = folder({
    "evenkeel.yaml": workspaceText({ url: server.url, ...more }),
    "all.yaml": policyText({ projects: ["p"], integrations: policy }),
  });
  const env = { EVENKEEL_TOKEN: token, ...secrets };
  const done = await apply({ folder: files.root, env, patience: { backoff: { base: 1, cap: 2, attempts: 2 } } }, all);
  return { forms, outcome: [...(done.outcomes?.values() ?? [])][0] };
}

/** As deployed servers do: every write carries these. */
const demanding =
  (...names: string[]) =>
  (form: Record<string, string>): Scripted => {
    const missing = names.filter((name) => !(name in form));
    if (missing.length === 0) return { body: { active: true } };
    return { status: 400, body: { error: missing.map((name) => `${name} is missing`).join(", ") } };
  };

describe("what a server demands and nobody declares", () => {
  const sent = { api_key: "k", user_key: "u", priority: "1" };

  test("is sent empty where there is nothing yet, once the server asked for it", async () => {
    const { forms, outcome } = await site([], demanding("device", "sound"), { "mobile-push-notify": push });
    expect(outcome).toEqual({ status: "applied" });
    expect(forms).toEqual([sent, { ...sent, device: "", sound: "" }]);
  });

  test("is never asked of a server that does not demand it", async () => {
    expect((await site([], demanding(), { "mobile-push-notify": push })).forms).toEqual([sent]);
  });

  test.each([
    ["17.7", { device: "", sound: "" }],
    ["17.8", {}],
  ])("is sent at once where the dialect says so of the release, %s", async (release, more) => {
    const { forms } = await site(
      [],
      demanding(...Object.keys(more)),
      { pushover: push },
      { dialect: "gitlab", release },
    );
    expect(forms).toEqual([{ ...sent, ...more }]);
  });

  test("is what it was where there is something, and as it is declared where it is", async () => {
    const row = {
      slug: "mobile-push-notify",
      active: true,
      properties: { priority: "0", device: "phone", sound: null },
    };
    const { forms } = await site([row], demanding("device", "sound"), { "mobile-push-notify": push });
    expect(forms).toEqual([sent, { ...sent, device: "phone", sound: "" }]);
    const declared = { "mobile-push-notify": { ...push, sound: "bike" } };
    expect((await site([row], demanding("device", "sound"), declared)).forms.at(-1)).toEqual({
      ...sent,
      device: "phone",
      sound: "bike",
    });
  });

  test("is left as it is where it cannot be read, and the change says what to do", async () => {
    const json = "proxy_iap_service_account_json";
    const row = {
      slug: "metrics-monitoring",
      active: true,
      properties: { api_url: "https://a", proxy_iap_audience_client_id: "x" },
    };
    const policy = { "metrics-monitoring": { api_url: "https://b" } };
    const { forms, outcome } = await site([row], demanding(json), policy);
    expect(forms).toHaveLength(1);
    expect(outcome).toMatchObject({
      status: "failed",
      error: expect.stringMatching(`${json} is missing; declare ${json}: `),
    });
    const known = { ...row, properties: { ...row.properties, [json]: null } };
    expect((await site([known], demanding(json), policy)).outcome).toEqual({ status: "applied" });
  });

  test("of anything else the refusal stands", async () => {
    const { forms, outcome } = await site([], demanding("device", "colour"), { "mobile-push-notify": push });
    expect(forms).toHaveLength(1);
    expect(outcome?.error).toMatch(/answered 400: device is missing, colour is missing$/);
  });
});

describe("a refusal without a reason", () => {
  const wiki = { "external-wiki": { external_wiki_url: "http://10.0.0.1/wiki" } };
  const hint = /answered 400.*; the server gives no reason; .* local network: check external_wiki_url$/;

  test.each([{ message: "400 Bad Request" }, {}])("%j hints at the addresses", async (body) => {
    expect((await site([], () => ({ status: 400, body }), wiki)).outcome?.error).toMatch(hint);
  });

  test("hints at nothing where there is a reason, or no address", async () => {
    const told = 'Failed to update integration. {:external_wiki_url=>["is blocked", "is \\"local\\""]}';
    const { outcome } = await site([], () => ({ status: 400, body: { message: told } }), wiki);
    expect(outcome?.error).toMatch(
      /answered 400: Failed to update integration: external_wiki_url is blocked, is "local"$/,
    );
    const irc = { "irc-gateway": { recipients: "#a" } };
    const bare = await site([], () => ({ status: 400, body: { message: "400 Bad Request" } }), irc);
    expect(bare.outcome?.error).toMatch(/answered 400 Bad Request$/);
  });
});
