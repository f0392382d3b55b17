import { describe, expect, test } from "vitest";
import type { Answered, Asking } from "../server/serving.ts";
import { type Setting, type Stage, stage } from "../support/stage.ts";
import { watching } from "../watch/watching.ts";

type Ask = (method: string, path: string, asking?: Asking) => Promise<Answered>;
type Body = Readonly<Record<string, unknown>>;

/** What a policy says, what somebody does to the server, and what the manifests say afterwards. */
interface Case {
  readonly name: string;
  readonly applied: Body;
  readonly address: string;
  readonly byHand: (ask: Ask) => Promise<unknown>;
  readonly edited: Body;
  readonly site?: Body;
}

const wiki = "/projects/p/integrations/external-wiki";
const licenses = "/projects/p/managed_licenses";
const wikiAt = (url: string) => ({ integrations: { "external-wiki": { external_wiki_url: url } } });
const mit = (status: string, name = "MIT") => ({ licenses: { [name]: status } });
const put = (path: string, form: Record<string, string>) => (ask: Ask) => ask("PUT", path, { form });

async function idOf(ask: Ask, name: string): Promise<number> {
  const { json } = await ask("GET", licenses);
  const found = (json as readonly { id: number; name: string }[]).find((each) => each.name === name);
  if (!found) throw new Error(`no license ${name}`);
  return found.id;
}

const setLicense = (name: string, status: string) => async (ask: Ask) =>
  ask("PATCH", `${licenses}/${await idOf(ask, name)}`, { form: { approval_status: status } });
const dropLicense = (name: string) => async (ask: Ask) => ask("DELETE", `${licenses}/${await idOf(ask, name)}`);
const addLicense = (name: string, status: string) => (ask: Ask) =>
  ask("POST", licenses, { form: { name, approval_status: status } });

const rows: readonly Case[] = [
  {
    name: "an integration's field",
    applied: wikiAt("https://one"),
    address: "p:integration/external-wiki",
    byHand: put(wiki, { external_wiki_url: "https://by-hand" }),
    edited: wikiAt("https://two"),
  },
  {
    name: "a license that is loosened",
    applied: mit("denied"),
    address: "p:license/MIT",
    byHand: setLicense("MIT", "allowed"),
    edited: mit("allowed"),
  },
  {
    name: "a license that is tightened",
    applied: mit("allowed"),
    address: "p:license/MIT",
    byHand: setLicense("MIT", "denied"),
    edited: mit("denied"),
  },
  {
    name: "an integration that is gone",
    applied: wikiAt("https://one"),
    address: "p:integration/external-wiki",
    byHand: (ask) => ask("DELETE", wiki),
    edited: wikiAt("https://two"),
  },
  {
    name: "a license that is gone",
    applied: mit("denied"),
    address: "p:license/MIT",
    byHand: dropLicense("MIT"),
    edited: mit("allowed"),
  },
];

async function settled({ applied, site }: Pick<Case, "applied" | "site">, more: Setting = {}): Promise<Stage> {
  const place = await stage({
    projects: [{ path: "p" }],
    policy: { projects: ["p"], ...applied },
    workspace: { ledger: "state", ...site },
    ...more,
  });
  await place.apply();
  expect((await place.plan()).plan.resource_changes).toEqual([]);
  return place;
}

async function causesAt(place: Stage) {
  return (await place.plan()).plan.resource_changes.map(({ address, cause }) => [address, cause]);
}

/** Deletions count as drift and as an edit when both sides changed to the same value: then nothing differs at all. */
const isAlike = ({ name }: Case) => name.includes("loosened") || name.includes("tightened");

describe("with a ledger, after an apply", () => {
  test.each(rows)("$name: a change on the server is drift", async (row) => {
    const place = await settled(row);
    await row.byHand(place.ask);
    expect(await causesAt(place)).toEqual([[row.address, "drift"]]);
  });

  test.each(rows.filter(({ name }) => !name.includes("gone")))("$name: an edit is pending", async (row) => {
    const place = await settled(row);
    place.policy({ projects: ["p"], ...row.edited });
    expect(await causesAt(place)).toEqual([[row.address, "pending"]]);
  });

  test.each(rows.filter((row) => !isAlike(row)))("$name: both are both", async (row) => {
    const place = await settled(row);
    await row.byHand(place.ask);
    place.policy({ projects: ["p"], ...row.edited });
    expect(await causesAt(place)).toEqual([[row.address, "both"]]);
  });

  test("both sides came to the same: what happens to it later is told by that", async () => {
    const place = await settled({ applied: mit("denied") });
    await setLicense("MIT", "allowed")(place.ask);
    place.policy({ projects: ["p"], ...mit("allowed") });
    await place.apply();
    await setLicense("MIT", "denied")(place.ask);
    expect(await causesAt(place)).toEqual([["p:license/MIT", "drift"]]);
  });

  test("a field that was in sync when it was first declared drifts like any other", async () => {
    const irc = (fields: object) => ({ integrations: { "irc-gateway": { recipients: "#a", ...fields } } });
    const place = await settled({ applied: irc({}) });
    await put("/projects/p/integrations/irc-gateway", { recipients: "#a", server_host: "one" })(place.ask);
    place.policy({ projects: ["p"], ...irc({ server_host: "one" }) });
    await place.apply();
    await put("/projects/p/integrations/irc-gateway", { recipients: "#a", server_host: "two" })(place.ask);
    expect(await causesAt(place)).toEqual([["p:integration/irc-gateway", "drift"]]);
  });

  test("a license that is spelled otherwise in the manifest is the same one", async () => {
    const place = await settled({ applied: mit("denied") });
    place.policy({ projects: ["p"], ...mit("denied", "mit") });
    expect(await causesAt(place)).toEqual([]);
    await setLicense("MIT", "allowed")(place.ask);
    expect(await causesAt(place)).toEqual([["p:license/mit", "drift"]]);
    await place.apply();
    await setLicense("MIT", "allowed")(place.ask);
    expect(await causesAt(place)).toEqual([["p:license/mit", "drift"]]);
  });
});

describe("removals, with a ledger", () => {
  const off = { disabled: ["external-wiki"] };

  test("what is switched on again is drift, also where no apply had to switch it off", async () => {
    const place = await settled({ applied: off });
    await put(wiki, { external_wiki_url: "https://by-hand" })(place.ask);
    expect(await causesAt(place)).toEqual([["p:integration/external-wiki", "drift"]]);
    await place.apply();
    await put(wiki, { external_wiki_url: "https://by-hand" })(place.ask);
    expect(await causesAt(place)).toEqual([["p:integration/external-wiki", "drift"]]);
  });

  test("what an edit switches off is pending, and both where the server was changed too", async () => {
    const place = await settled({ applied: wikiAt("https://one") });
    place.policy({ projects: ["p"], ...off });
    expect(await causesAt(place)).toEqual([["p:integration/external-wiki", "pending"]]);
    await put(wiki, { external_wiki_url: "https://by-hand" })(place.ask);
    expect(await causesAt(place)).toEqual([["p:integration/external-wiki", "both"]]);
  });

  const only = { exclusive: ["licenses"], licenses: { ISC: "allowed" } };

  test("what an exclusive policy does not list is drift where it was added since", async () => {
    const place = await settled({ applied: only });
    await addLicense("MIT", "allowed")(place.ask);
    expect(await causesAt(place)).toEqual([["p:license/MIT", "drift"]]);
    await place.apply();
    await addLicense("mit", "allowed")(place.ask);
    expect(await causesAt(place)).toEqual([["p:license/mit", "drift"]]);
  });

  test("what an exclusive policy lists no longer, or does not list yet, is pending", async () => {
    const place = await settled({ applied: { licenses: { ISC: "allowed", MIT: "allowed" } } });
    await addLicense("BSD", "allowed")(place.ask);
    place.policy({ projects: ["p"], ...only });
    expect(await causesAt(place)).toEqual([
      ["p:license/BSD", "pending"],
      ["p:license/MIT", "pending"],
    ]);
    await setLicense("MIT", "denied")(place.ask);
    expect(await causesAt(place)).toContainEqual(["p:license/MIT", "both"]);
  });
});

describe("secrets, with a ledger", () => {
  const hook = (version?: number) => ({
    integrations: { "chat-webhook-d": { webhook: { secret: "env:HOOK", ...(version && { version }) } } },
  });
  const address = "p:integration/chat-webhook-d";

  test("one that is rotated or has its version raised is pending; with updated_at moved it is both", async () => {
    const place = await settled({ applied: hook() }, { secrets: { HOOK: "one-of-two-secrets" } });
    const rotated = { env: { ...place.environment, HOOK: "the-other-secret" } };
    const cause = async (more = {}) => (await place.plan(more)).plan.resource_changes.map((each) => each.cause);
    expect(await cause(rotated)).toEqual(["pending"]);
    place.policy({ projects: ["p"], ...hook(2) });
    expect(await cause()).toEqual(["pending"]);
    await put("/projects/p/integrations/chat-webhook-d", { webhook: "https://by-hand" })(place.ask);
    expect(await cause()).toEqual(["both"]);
    place.policy({ projects: ["p"], ...hook() });
    expect(await causesAt(place)).toEqual([[address, "drift"]]);
  });
});

test("an expired policy leaves the cause to what was last applied", async () => {
  const policies = {
    farther: { projects: ["*"], ...mit("denied") },
    nearer: { projects: ["p"], ...mit("allowed"), until: "2026-06-30" },
  };
  const place = await stage({
    projects: [{ path: "p" }],
    policies,
    workspace: { ledger: "state" },
    request: { today: "2026-06-01" },
  });
  await place.apply();
  const after = async () =>
    (await place.plan({ today: "2026-08-01" })).plan.resource_changes.map((each) => [each.action_reason, each.cause]);
  expect(await after()).toEqual([[expect.stringMatching(/^expired: nearer\.yaml:\d+, tightened$/), "pending"]]);
});

test("--resend is told by a field, also of a license whose strictness is told", async () => {
  const place = await settled({ applied: mit("denied") });
  const { plan } = await place.plan({ resend: ["*"] });
  expect(plan.resource_changes).toMatchObject([{ address: "p:license/MIT", resend: true, cause: "pending" }]);
});

test.each(rows)("without a ledger $name is drift, however it came about", async (row) => {
  const place = await stage({ projects: [{ path: "p" }], policy: { projects: ["p"], ...row.applied } });
  expect(await causesAt(place)).toEqual([[row.address, "drift"]]);
  await place.apply();
  await row.byHand(place.ask);
  expect(await causesAt(place)).toEqual([[row.address, "drift"]]);
  place.policy({ projects: ["p"], ...row.edited });
  for (const [, cause] of await causesAt(place)) expect(cause).toBe("drift");
});

test.each(rows)("watch --apply pending leaves drift alone, tells of it, and applies an edit: $name", async (row) => {
  const place = await settled(row);
  await row.byHand(place.ask);
  const before = place.server.requests.writes;
  const left = watching(place, { apply: "pending", checks: 2 });
  expect([await left.ended, left.outcomes()]).toEqual([2, ["drift", "drift"]]);
  expect(place.server.requests.writes).toBe(before);
  if (isAlike(row)) return;
  place.policy({ projects: ["p"], ...row.edited });
  expect(await watching(place, { apply: "pending", checks: 1 }).ended).toBe(0);
});
