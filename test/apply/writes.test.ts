import { describe, expect, test } from "vitest";
import type { Outcome } from "../../src/model/types.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { withOutcomes } from "../../src/plan/run-end.ts";
import { apply } from "../../src/run/apply.ts";
import { updateDeployment } from "../../src/run/deployments.ts";
import { plan } from "../../src/run/plan.ts";
import type { Request } from "../../src/run/request.ts";
import { SecretMissing } from "../../src/secrets/secrets.ts";
import { type Script, type Scripted, serve, writer } from "../client/scripted.ts";
import { policyText, token, workspaceText } from "../e2e/workspace.ts";
import { type Fate, layWire } from "../laws/wire.ts";
import { serving } from "../server/serving.ts";
import { atEnd } from "../support/ending.ts";
import { folder } from "../support/folder.ts";

const patience = { backoff: { base: 1, cap: 4, attempts: 3 }, lookUpFor: 60 };

function runsAt(url: string, policy: object, env: Readonly<Record<string, string>> = {}, workspace: object = {}) {
  const textOf = (each: object) => policyText({ projects: ["p"], ...each });
  const files = folder({ "evenkeel.yaml": workspaceText({ url }, workspace), "all.yaml": textOf(policy) });
  const request = { folder: files.root, env: { EVENKEEL_TOKEN: token, ...env }, patience };
  const agreed = { approve: async () => true, watchers: [] };
  return {
    write: (each: object) => files.write("all.yaml", textOf(each)),
    plan: () => plan(request),
    apply: (more?: Partial<Request>) =>
      apply({ ...request, waivers: { deletes: 99, protected: new Set() }, ...more }, agreed),
  };
}

/** One write of every kind, and a wire on which each write meets the same fate. */
async function everyWrite(fate: (attempt: number) => Fate, lookUpFor = patience.lookUpFor) {
  const live = {
    "external-wiki": { external_wiki_url: "https://old" },
    "wiki-cloud-workspace": { wiki_url: "https://c" },
  };
  const projects = [{ path: "p", integrations: live, licenses: { Apache: "denied", GPL: "allowed" } }];
  const { server, ask } = await serving({ token, seed: { projects } });
  const wire = await layWire(server.url);
  atEnd(() => wire.close());
  const attempts = new Map<string, number>();
  wire.fate = ({ method, path }) => {
    if (method === "GET") return "pass";
    const attempt = (attempts.get(`${method} ${path}`) ?? 0) + 1;
    attempts.set(`${method} ${path}`, attempt);
    return fate(attempt);
  };
  const steps = [
    { integrations: { "irc-gateway": { recipients: "#a" } } },
    { integrations: { "external-wiki": { external_wiki_url: "https://new" } } },
    { disabled: ["wiki-cloud-workspace"] },
    { licenses: { MIT: "allowed" } },
    { licenses: { Apache: "allowed" } },
    { licenses: { Apache: "allowed", MIT: "allowed" }, exclusive: ["licenses"] },
  ];
  const outcomes: Outcome[] = [];
  for (const step of steps) {
    const targets = step.exclusive ? ["p:license/GPL"] : ["p:*"];
    const done = await runsAt(wire.url, step).apply({ targets, patience: { ...patience, lookUpFor } });
    outcomes.push(...(done.outcomes?.values() ?? []));
  }
  const licenses = (await ask("GET", "/projects/p/managed_licenses", { token })).json as { readonly name: string }[];
  return {
    statuses: outcomes.map(({ status }) => status),
    errors: outcomes.map(({ error }) => error),
    sent: wire.writes.map(({ method }) => method),
    names: licenses.map(({ name }) => name).sort(),
  };
}

const methods = ["PUT", "PUT", "DELETE", "POST", "PATCH", "DELETE"];
const six = (status: string) => methods.map(() => status);
const thrice = methods.flatMap((method) => [method, method, method]);

describe("a write of every kind", () => {
  test("that a server carries out after a gateway gave up on it is applied, and made once", async () => {
    const { statuses, sent, names } = await everyWrite(() => ({ status: 504, actsAfter: 20 }), 60_000);
    expect(statuses).toEqual(six("applied"));
    expect([sent.filter((method) => method === "POST").length, names]).toEqual([1, ["Apache", "MIT"]]);
  });

  test("that is carried out and never answered is applied, and sent once", async () => {
    const { statuses, sent, names } = await everyWrite(() => "acted and lost");
    expect({ statuses, sent }).toEqual({ statuses: six("applied"), sent: methods });
    expect(names).toEqual(["Apache", "MIT"]);
  });

  test("that nobody answers and nothing shows is unknown; a POST is not sent again", async () => {
    const { statuses, sent, errors } = await everyWrite(() => ({ status: 503, actsAfter: undefined }));
    expect(statuses).toEqual(six("unknown"));
    expect(sent).toEqual(methods.flatMap((method) => (method === "POST" ? ["POST"] : [method, method, method])));
    expect(errors[3]).toMatch(/^POST http\S+ answered 503; the server may or may not have acted$/);
  });

  test("that the server says it failed at is looked up and sent again, a POST too", async () => {
    const { statuses, sent, names } = await everyWrite((attempt) =>
      attempt === 1 ? { status: 500, actsAfter: undefined } : "pass",
    );
    expect(statuses).toEqual(six("applied"));
    expect(sent).toEqual(methods.flatMap((method) => [method, method]));
    expect(names).toEqual(["Apache", "MIT"]);
  });

  test("that the server keeps failing at has failed", async () => {
    const { statuses, sent } = await everyWrite(() => ({ status: 500, actsAfter: undefined }));
    expect({ statuses, sent }).toEqual({ statuses: six("failed"), sent: thrice });
  });

  test("that is carried out and answered with a redirect is applied, and sent once", async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const { statuses, sent } = await everyWrite(() => (answered) => ({
        ...answered,
        status,
        headers: { location: "/api/v4/elsewhere" },
      }));
      expect({ status, statuses, sent }).toEqual({ status, statuses: six("applied"), sent: methods });
    }
  });

  test("that is answered with a redirect and not carried out has failed", async () => {
    const { statuses, errors, sent } = await everyWrite(() => ({ status: 307, actsAfter: undefined }));
    expect({ statuses, sent }).toEqual({ statuses: six("failed"), sent: methods });
    expect(errors[3]).toMatch(/^POST http\S+ answered 307$/);
  });

  test("that was refused after a failure has failed", async () => {
    const { statuses } = await everyWrite((attempt) => ({ status: attempt === 1 ? 500 : 400, actsAfter: undefined }));
    expect(statuses).toEqual(six("failed"));
  });
});

/** A project's settings on a server that answers GETs truly and writes as the test says. */
interface Held {
  readonly integrations: Readonly<Record<string, unknown>>[];
  readonly licenses: Readonly<Record<string, unknown>>[];
}

async function answering(held: Held, write: (attempt: number, held: Held) => Scripted) {
  let attempts = 0;
  const answer: Script = ({ method, path }) => {
    if (method !== "GET") return write(++attempts, held);
    if (path.includes("managed_licenses")) return { body: held.licenses };
    const slug = /integrations\/([^/?]+)$/.exec(path)?.[1];
    if (!slug) return { body: held.integrations };
    return found(held.integrations.find((row) => row.slug === slug));
  };
  const server = Object.assign(await serve(answer), { held });
  return { server, sent: () => server.seen.filter(({ method }) => method !== "GET").length };
}

function found(row: unknown): Scripted {
  return row ? { body: row } : { status: 404, body: { message: "404 Integration Not Found" } };
}

const irc = { id: 1, slug: "irc-gateway", active: true, properties: { recipients: "#a" } };
const mit = { id: 7, name: "MIT", approval_status: "allowed" };
const bus = { integrations: { "irc-gateway": { recipients: "#a" } } };
const hook = { integrations: { "chat-webhook-c": { webhook: { secret: "env:HOOK" } } } };

const reasons = (plan: Plan) => plan.resource_changes.map(({ action_reason: reason }) => reason);

function only(outcomes: ReadonlyMap<string, Outcome> | undefined): Outcome | undefined {
  return [...(outcomes?.values() ?? [])][0];
}

describe("a change of a secret alone, which nobody can read", () => {
  const row = { id: 3, slug: "chat-webhook-c", active: true, properties: {} };
  const resend = { resend: ["p:*"] };
  const env = { HOOK: "https://hook" };

  test("is sent again until it is answered", async () => {
    const held = { integrations: [row], licenses: [] };
    const { server, sent } = await answering(held, (attempt) => (attempt < 3 ? { status: 504 } : { body: row }));
    expect(only((await runsAt(server.url, hook, env).apply(resend)).outcomes)).toEqual({ status: "applied" });
    expect(sent()).toBe(3);
  });

  test.each([500, 504])("is unknown where every answer is %d", async (status) => {
    const { server, sent } = await answering({ integrations: [row], licenses: [] }, () => ({ status }));
    const { outcomes } = await runsAt(server.url, hook, env).apply(resend);
    expect(only(outcomes)).toMatchObject({ status: "unknown", error: expect.stringContaining(`answered ${status}`) });
    expect(sent()).toBe(3);
  });
});

describe("a DELETE answered 404", () => {
  const off = { disabled: ["irc-gateway"] };
  const gone: Scripted = { status: 404, body: { message: "404 Integration Not Found" } };

  test("is applied, and the server's word is enough", async () => {
    const { server } = await answering({ integrations: [irc], licenses: [] }, () => gone);
    expect(only((await runsAt(server.url, off).apply()).outcomes)).toEqual({ status: "applied" });
    expect(server.seen.filter(({ method }) => method === "DELETE")).toHaveLength(1);
    expect(server.seen.at(-1)?.method).toBe("DELETE");
  });

  test.each<[string, Scripted]>([
    ["where the project is unknown", { status: 404, body: { message: "404 Project Not Found" } }],
    ["where the route is unknown", { status: 404, body: { error: "404 Not Found" } }],
  ])("has failed %s", async (_, answer) => {
    const { server } = await answering({ integrations: [irc], licenses: [] }, () => answer);
    expect(only((await runsAt(server.url, off).apply()).outcomes)).toMatchObject({ status: "failed" });
  });
});

describe("a POST whose answer leaves its effect open", () => {
  const lock: Scripted = { status: 409, body: { message: "409 Conflict: Resource lock" } };
  const post = async (answer: Scripted, actsAfter?: number) => {
    const { server, sent } = await answering({ integrations: [], licenses: [] }, (_, { licenses }) => {
      if (actsAfter !== undefined) setTimeout(() => licenses.push(mit), actsAfter);
      return answer;
    });
    const lookUpFor = actsAfter === undefined ? patience.lookUpFor : 60_000;
    const run = runsAt(server.url, { licenses: { MIT: "allowed" } });
    const { outcomes } = await run.apply({ patience: { ...patience, lookUpFor } });
    return { outcome: only(outcomes), sent: sent() };
  };

  test.each([{ status: 408 }, lock])("is sent once and looked up for a while: %j", async (answer) => {
    expect(await post(answer, 20)).toEqual({ outcome: { status: "applied" }, sent: 1 });
    const { outcome, sent } = await post(answer);
    expect(outcome).toMatchObject({ status: "unknown", error: expect.stringContaining(`answered ${answer.status}`) });
    expect(sent).toBe(1);
  });
});

test("a run that is stopped while it looks up ends at once, and the write is unknown", async () => {
  const stop = new AbortController();
  const { server, sent } = await answering({ integrations: [], licenses: [] }, () => {
    setTimeout(() => stop.abort(), 50);
    return { status: 504 };
  });
  const slow = { patience: { ...patience, lookUpFor: 600_000 }, signal: stop.signal };
  const { outcomes } = await runsAt(server.url, { licenses: { MIT: "allowed" } }).apply(slow);
  expect(only(outcomes)).toMatchObject({
    status: "unknown",
    error: expect.stringMatching(/504.*looking it up failed/),
  });
  expect(sent()).toBe(1);
});

test("a secret that cannot be resolved when it is to be sent is a failed change, and no defect", async () => {
  const { server, sent } = await answering({ integrations: [], licenses: [] }, () => ({ body: irc }));
  const resolve = () => {
    throw new SecretMissing("env:HOOK", "not set");
  };
  const client = await writer(server.url, { secrets: { resolve } });
  const { applyChanges } = await import("../../src/run/apply/apply.ts");
  const { differences } = await runsAt(server.url, {
    integrations: { ...hook.integrations, ...bus.integrations },
  }).plan();
  const batches = differences.map(({ changes }) => ({ steps: async () => changes.map((change) => ({ change })) }));
  const outcomes = await applyChanges(client, batches, { workers: 1, watchers: [], stopped: () => undefined });
  expect([...outcomes.values()].map(({ status }) => status)).toEqual(["failed", "applied"]);
  expect([only(outcomes)?.error, sent()]).toEqual(["secret env:HOOK cannot be resolved: not set", 1]);
});

describe("an answer to a PUT", () => {
  const put = async (answer: Scripted, live: readonly (typeof irc)[] = []) => {
    const { server, sent } = await answering({ integrations: [], licenses: [] }, (_, { integrations }) => {
      integrations.push(...live);
      return answer;
    });
    const { outcomes, plan } = await runsAt(server.url, bus).apply();
    return { outcome: only(outcomes), warnings: withOutcomes(plan, outcomes).warnings, sent: sent() };
  };

  test("that says off is applied, and active is not kept", async () => {
    const { outcome, warnings } = await put({ body: { ...irc, active: false } });
    expect(outcome).toEqual({ status: "applied", not_kept: ["active"] });
    expect(warnings.map(({ rule, message }) => `${rule} ${message}`)).toEqual([
      expect.stringMatching(/^not-kept without a ledger /),
      "not-kept integration/irc-gateway: active is not as it was written: the server answered another value (p:integration/irc-gateway)",
    ]);
  });

  test("that says inherited has failed", async () => {
    const { outcome } = await put({ body: { ...irc, inherited: true } });
    expect(outcome).toEqual({ status: "failed", error: "inherited from the group, nothing was changed" });
  });

  test("that says off is told once with a ledger, and once in each plan without one", async () => {
    const ledger = ".evenkeel/ledger.ndjson";
    const off = { ...irc, active: false };
    const { server, sent } = await answering({ integrations: [], licenses: [] }, () => ({ body: off }));
    const forgetful = runsAt(server.url, bus);
    expect((await forgetful.apply()).plan.warnings.map(({ rule }) => rule)).toEqual(["not-kept"]);
    expect(reasons((await forgetful.plan()).plan)).toEqual(["not on the server"]);

    const keeping = runsAt(server.url, bus, {}, { ledger });
    expect((await keeping.apply()).plan.warnings).toEqual([]);
    expect(reasons((await keeping.plan()).plan)).toEqual([]);
    expect([reasons((await keeping.apply()).plan), sent()]).toEqual([[], 2]);
    keeping.write({ integrations: { "irc-gateway": { recipients: "#b" } } });
    expect(reasons((await keeping.plan()).plan)).toEqual(["pending: recipients changed since the last apply"]);
    keeping.write(bus);
    expect((await keeping.apply({ resend: ["p:*"] })).outcomes?.size).toBe(1);
  });

  test("that says off is forgotten once it was seen on", async () => {
    const { server } = await answering({ integrations: [], licenses: [] }, () => ({ body: { ...irc, active: false } }));
    const { plan, apply } = runsAt(server.url, bus, {}, { ledger: ".evenkeel/ledger.ndjson" });
    await apply();
    server.held.integrations.push(irc);
    expect(reasons((await apply()).plan)).toEqual([]);
    server.held.integrations.length = 0;
    expect(reasons((await plan()).plan)).toEqual(["gone from the server since the last apply, drift"]);
  });

  test.each<[string, Scripted, string]>([
    [
      "an error",
      { body: { error: "no" } },
      'answered 200 with an error instead of an object with slug or active or properties ("no")',
    ],
    [
      "another integration",
      { body: { ...irc, slug: "external-wiki" } },
      "answered 200 with an object with a different slug instead of",
    ],
  ])("that holds %s, where reading shows no effect, has failed", async (_, answer, words) => {
    const { outcome, sent } = await put(answer);
    expect(outcome).toMatchObject({ status: "failed", error: expect.stringContaining(words) });
    expect(outcome?.error).toMatch(/^PUT http:\S+\/projects\/p\/integrations\/irc-gateway answered/);
    expect(sent).toBe(1);
  });

  test("that says nothing is applied where reading shows the effect", async () => {
    for (const answer of [{ body: {} }, { status: 202 }]) {
      expect((await put(answer, [irc])).outcome).toEqual({ status: "applied" });
    }
  });

  test("of 202 is unknown where reading shows no effect, and of 204 is enough", async () => {
    expect((await put({ status: 202, body: irc })).outcome).toMatchObject({ status: "unknown" });
    expect((await put({ status: 204 })).outcome).toEqual({ status: "applied" });
  });
});

describe("what a project has from its group", () => {
  const changed = { ...irc, properties: { recipients: "#b" } };
  const site = (rows: object[]) =>
    answering({ integrations: rows as Held["integrations"], licenses: [] }, (attempt) => ({
      body: attempt === 1 ? changed : row,
    }));
  const row = { id: 3, slug: "chat-webhook-c", active: true, inherited: true, properties: {} };

  test("is no declared secret: the change is planned, comes last, and has failed", async () => {
    const { server, sent } = await site([row, irc]);
    const policy = { integrations: { ...hook.integrations, "irc-gateway": { recipients: "#b" } } };
    const { apply, plan } = runsAt(server.url, policy, { HOOK: "https://hook" });
    const planned = (await plan()).plan;
    expect(reasons(planned)).toEqual(["inherited from the group, not as declared", "field differs"]);
    expect(planned.resource_changes[0]?.notes?.join()).toMatch(/^the group's settings apply/);
    const { outcomes } = await apply();
    expect([...(outcomes ?? [])].map(([address, { status }]) => `${address} ${status}`)).toEqual([
      "p:integration/irc-gateway applied",
      "p:integration/chat-webhook-c failed",
    ]);
    expect(sent()).toBe(2);
  });

  test("is in sync where all that is declared is reported so", async () => {
    const { server } = await site([{ ...irc, inherited: true }]);
    expect(reasons((await runsAt(server.url, bus).plan()).plan)).toEqual([]);
    const other = { integrations: { "irc-gateway": { recipients: "#b" } } };
    expect(reasons((await runsAt(server.url, other).plan()).plan)).toEqual(["inherited from the group, field differs"]);
  });
});

describe("an integration that is off in another spelling", () => {
  test.each(["false", "False", "0", 0])("%j, answered to a PUT: active is not kept", async (active) => {
    const { server } = await answering({ integrations: [], licenses: [] }, () => ({ body: { ...irc, active } }));
    const { outcomes } = await runsAt(server.url, bus).apply();
    expect(only(outcomes)).toEqual({ status: "applied", not_kept: ["active"] });
  });

  test.each(["false", 0])("%j, listed: there is nothing to turn off", async (active) => {
    const { server } = await answering({ integrations: [{ ...irc, active }], licenses: [] }, () => ({}));
    const { plan } = await runsAt(server.url, { disabled: ["irc-gateway"] }).plan();
    expect({ changes: plan.resource_changes, problems: plan.problems }).toEqual({ changes: [], problems: [] });
  });
});

describe("an answer about another license", () => {
  const other = { id: 9, name: "OTHER", approval_status: "denied" };

  test.each<[string, typeof mit, object[], string]>([
    ["a POST", { ...other, approval_status: "allowed" }, [], "an object with a different name"],
    ["a PATCH", other, [mit], "an object with a different id"],
  ])("to %s is looked up, and has failed where nothing is found", async (method, body, before, words) => {
    const policy = { licenses: { MIT: method === "a POST" ? "allowed" : "denied" } };
    const outcomeOf = async (live: readonly object[]) => {
      const held = { integrations: [], licenses: [...before] as Record<string, unknown>[] };
      const { server, sent } = await answering(held, (_, { licenses }) => {
        licenses.splice(0, 9, ...(live as Record<string, unknown>[]));
        return { body };
      });
      return { outcome: only((await runsAt(server.url, policy).apply()).outcomes), sent: sent() };
    };
    expect(await outcomeOf(before)).toMatchObject({
      outcome: { status: "failed", error: expect.stringContaining(words) },
      sent: 1,
    });
    const done = { ...mit, approval_status: policy.licenses.MIT };
    expect(await outcomeOf([done])).toEqual({ outcome: { status: "applied" }, sent: 1 });
  });

  test("is none where the name differs in case alone", async () => {
    const body = { ...mit, name: "mit" };
    const { server } = await answering({ integrations: [], licenses: [] }, () => ({ status: 201, body }));
    const { outcomes } = await runsAt(server.url, { licenses: { MIT: "allowed" } }).apply();
    expect(only(outcomes)).toEqual({ status: "applied" });
  });
});

test("a list of projects without their paths is an error where globs are held against it", async () => {
  for (const path of [undefined, "", null]) {
    const rows = [
      { id: 1, path_with_namespace: "a/p" },
      { id: 2, path_with_namespace: path },
    ];
    const server = await serve(() => ({ body: rows }));
    const { plan } = await runsAt(server.url, { projects: ["a/*"], disabled: ["irc-gateway"] }).plan();
    const words = "answered 200 with a list whose row 2 is an object whose path_with_namespace is";
    expect(plan.problems).toMatchObject([{ rule: "shape", message: expect.stringContaining(words) }]);
  }
});

describe("the status of a deployment", () => {
  const update = async (standing: string) => {
    const row = { id: 4, status: standing };
    const server = await serve(({ method }) => (method === "GET" ? { body: row } : { status: 504 }));
    return updateDeployment(await writer(server.url, patience), "p", "4", "success");
  };

  test("whose PUT nobody answered is what the record says, or unknown", async () => {
    expect(await update("success")).toEqual({ row: { id: 4, status: "success" } });
    expect(await update("running")).toMatchObject({
      status: "unknown",
      error: expect.stringContaining("answered 504"),
    });
  });
});

describe("nothing is planned on", () => {
  const planned = async (answer: Script, policy: object) => {
    const server = await serve(answer);
    const { plan } = await runsAt(server.url, policy).plan();
    expect(plan.resource_changes).toEqual([]);
    expect(plan.problems).toMatchObject([{ rule: "unreadable", project: "p" }]);
    return plan.problems[0]?.message;
  };

  test.each<[string, Scripted, string]>([
    ["null", { body: "null" }, "answered 200 with null instead of an object with slug or active or properties"],
    ["an empty body", {}, "answered 200 with an empty body"],
    ["{}", { body: {} }, "answered 200 with an object without slug, active, properties"],
    ["[]", { body: [] }, "answered 200 with a list"],
    [
      "an error",
      { body: { error: "oops" } },
      'answered 200 with an error instead of an object with slug or active or properties ("oops")',
    ],
    ["202", { status: 202, body: irc }, "answered 202 which is not a final answer"],
    ["another integration", { body: { ...irc, slug: "other" } }, "with a different slug"],
    ["properties in a list", { body: { ...irc, properties: [] } }, "with an object whose properties is a list"],
    ["properties in a text", { body: { ...irc, properties: "{}" } }, "with an object whose properties is a string"],
    ["an unknown route", { status: 404, body: { error: "404 Not Found" } }, "answered 404"],
    [
      "an unknown project",
      { status: 404, body: { message: "404 Project Not Found" } },
      "answered 404 Project Not Found",
    ],
  ])("one integration shown as %s", async (_, answer, words) => {
    const script: Script = ({ path }) => (path.endsWith("/integrations") ? { body: [irc] } : answer);
    const message = await planned(script, bus);
    expect(message).toMatch(
      /^p:integration\/irc-gateway could not be read .*: GET http:\S+\/projects\/p\/integrations\/irc-gateway /,
    );
    expect(message).toContain(words);
  });

  test.each<[string, Scripted, string]>([
    ["a null row", { body: [mit, null] }, "answered 200 with a list whose row 2 is null"],
    ["a text as id", { body: [{ ...mit, id: "7" }] }, "row 1 is an object whose id is a string"],
    ["no name", { body: [{ ...mit, name: undefined }] }, "row 1 is an object whose name is missing"],
  ])("licenses with %s", async (_, answer, words) => {
    const message = await planned(() => answer, { licenses: { MIT: "denied" } });
    expect(message).toMatch(/^GET http:\S+\/projects\/p\/managed_licenses/);
    expect(message).toContain(words);
  });
});
