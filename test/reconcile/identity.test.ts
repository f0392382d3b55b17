import { describe, expect, test } from "vitest";
import { serve } from "../client/scripted.ts";
import { allowing, changes, objections, type Runs, runs, warnings } from "./runs.ts";

const live = { "irc-gateway": { recipients: "#a" }, "external-wiki": { external_wiki_url: "https://old" } };
const projects = [
  { id: 42, path: "payments/core", integrations: live },
  { id: 43, path: "payments/web", integrations: live },
];
const policy = { disabled: ["irc-gateway"], integrations: { "external-wiki": { external_wiki_url: "https://new" } } };

/** Policies that name the first project by ID, by path, or with all others by a glob. */
const forms = { ID: 42, path: "Payments/Core", glob: "payments/co*" } as const;

const lookUps = ({ asked }: Runs) =>
  asked().filter((request) => /^GET \/projects(?:$|\/(?:42|payments\/core)$)/i.test(request)).length;

describe.each([
  ["ID", "payments/core:integration/*", 1],
  ["ID", "42:integration/irc-gateway", 0],
  ["ID", "*:integration/*", 0],
  ["path", "42:*", 1],
  ["path", "4?:*", 1],
  ["path", "4*", 1],
  ["glob", "42", 1],
  ["glob", "payments/core", 1],
] as const)("a policy names a project by %s, and a glob says %s", (form, glob, lookedUp) => {
  const named = forms[form];
  const made = (workspace: object = {}) =>
    runs({ projects, policies: { one: { projects: [named], ...policy } }, workspace });

  test("protected: the project is protected under each of its names", async () => {
    const run = await made({ protected: [glob] });
    const { refused = [] } = await run.apply();
    expect([refused.map(({ guard }) => guard), run.server.requests.writes]).toEqual([["protected"], 0]);
    expect(lookUps(run)).toBe(lookedUp);
    expect(warnings(await run.plan())).toEqual([]);
  });

  test("--target and --resend: so it is chosen, and addresses begin as ever", async () => {
    const run = await made();
    const all = changes(await run.plan());
    expect(all).toHaveLength(2);
    run.asked();
    const chosen = changes(await run.plan({ targets: [glob] }));
    expect(chosen).toEqual(glob.endsWith("irc-gateway") ? all.slice(1) : all);
    expect(lookUps(run)).toBe(lookedUp);
    await run.apply();
    const resent = await run.plan({ resend: [glob.replace("irc-gateway", "*")] });
    expect(changes(resent)).toEqual([all[0]]);
    expect(warnings(resent)).toEqual([]);
  });
});

test("--allow-protected lets an address pass under either name, whatever the case of its project, and no other", async () => {
  const run = await runs({
    projects,
    policies: { one: { projects: [42, 43], disabled: policy.disabled } },
    workspace: { protected: ["*:integration/*"] },
  });
  const refusals = async (...addresses: string[]) =>
    (await run.rehearse(allowing(...addresses))).refused?.flatMap((each) => each.addresses);
  const [core, web] = ["42:integration/irc-gateway", "43:integration/irc-gateway"];
  expect(await refusals()).toEqual([core, web]);
  expect(await refusals("Payments/Core:integration/irc-gateway")).toEqual([web]);
  expect(await refusals("42:*", "payments/*:integration/irc-gateway")).toEqual([core, web]);
  const { refused, outcomes } = await run.apply(allowing("payments/CORE:integration/irc-gateway", web));
  expect([refused, outcomes?.size]).toEqual([undefined, 2]);
});

test("a project that the server does not list counts as protected by a glob that may mean it, and a warning says so", async () => {
  const site = await serve(({ path }) => ({ body: path.includes("/integrations") ? [{ slug: "irc-gateway" }] : [] }));
  const run = await runs({
    policies: { one: { projects: [42], disabled: policy.disabled } },
    workspace: { protected: ["payments/*:license/*", "payments/*:integration/irc-*"] },
    site: { url: site.url },
  });
  const planned = await run.plan();
  expect(objections(planned)).toEqual(["42:integration/irc-gateway is protected and would be disabled"]);
  expect(warnings(planned).filter((each) => each.includes("does not list project 42"))).toHaveLength(1);
});

test("a server that does not route GET /projects/:id is asked for the list of all, once", async () => {
  const site = await serve(({ path }) => {
    if (path.includes("/integrations")) return { body: [{ slug: "irc-gateway", active: true }] };
    if (/\/projects\/\d+$/.test(path)) return { status: 404, body: { error: "404 Not Found" } };
    return { body: [{ id: 42, path_with_namespace: "payments/core" }] };
  });
  const run = await runs({
    policies: { one: { projects: [42, 43], disabled: policy.disabled }, two: { projects: ["payments/core"] } },
    site: { url: site.url },
  });
  expect(changes(await run.plan())).toEqual([
    "disable 43:integration/irc-gateway",
    "disable payments/core:integration/irc-gateway",
  ]);
  const asked = site.seen.map(({ path }) => path.replace(/^\/api\/v4|\?.*$/g, ""));
  expect(asked.filter((path) => /^\/projects(?:\/\d+)?$/.test(path))).toEqual(["/projects/42", "/projects"]);
});
