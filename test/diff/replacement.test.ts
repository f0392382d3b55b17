import { describe, expect, test } from "vitest";
import { catalogueOf } from "../../src/model/catalogue.ts";
import type { ResourceKind } from "../../src/model/resource-kind.ts";
import { kindRowOf } from "../../src/model/resource-kind-row.ts";
import type { Desired, Fields, Live } from "../../src/model/types.ts";
import { diff } from "../../src/plan/diff/diff.ts";
import type { Recollection } from "../../src/plan/diff/last-applied.ts";
import type { DiffOptions } from "../../src/plan/diff/options.ts";
import { callsOf, secretsSentBy } from "../../src/plan/requests.ts";
import { minimal } from "../kinds/kinds.ts";

const calls = {
  list: "GET /projects/:id/hooks",
  create: "POST /projects/:id/hooks",
  update: "PUT /projects/:id/hooks/:row.id",
  delete: "DELETE /projects/:id/hooks/:row.id",
};
const properties = {
  url: { type: "string" },
  name: { type: "string" },
  level: { type: "integer", "x-immutable": true },
  token: { type: "string", writeOnly: true },
  seal: { type: "string", writeOnly: true, "x-immutable": true },
} as const;

const fileWith = (more: object) =>
  ({ ...minimal, calls, replace: true, fields: { required: ["url"], properties }, ...more }) as unknown as ResourceKind;

const whole = { place: () => ({ file: "a.yaml", line: 3, column: 3 }) };
const origin = { ...whole, fieldPlace: (name: string) => ({ file: "a.yaml", line: 3 + name.length, column: 5 }) };

interface Case {
  readonly file?: object;
  readonly declared?: Fields;
  readonly live?: Fields | null;
  readonly absent?: boolean;
  readonly options?: Partial<DiffOptions>;
}

function run({ file = {}, declared = {}, live = {}, absent = false, options = {} }: Case) {
  const kinds = new Map([...catalogueOf().kinds, ["hook", kindRowOf(fileWith(file))] as const]);
  const catalogue = { ...catalogueOf(), kinds };
  const resource = { kind: "hook", key: "https://a.test", fields: declared, origin };
  const desired: Desired = { ...resource, identity: "hook/https://a.test", presence: absent ? "absent" : "present" };
  const row = { id: 7, url: "https://a.test", ...live };
  const found: Live = { kind: "hook", key: "https://a.test", id: 7, fields: live ?? {}, active: true, row };
  const project = { project: { name: "p" }, resources: [desired], kinds: new Set(["hook"]), exclusive: new Map() };
  const { changes, problems, unverified } = diff(project, live ? [found] : [], {
    ...{ alwaysSend: false, catalogue },
    ...options,
  });
  const [change] = changes;
  return {
    action: change?.action,
    after: change?.after,
    sent: change && callsOf(change, catalogue).map(({ method, parameters }) => [method, parameters]),
    resets: change?.resets,
    secrets: change && secretsSentBy(change, catalogue).map(({ secret }) => secret),
    problem: problems.map(({ rule, place }) => `${rule} at ${place?.line}`)[0],
    message: problems[0]?.message,
    unverified: unverified.flatMap(({ fields }) => fields),
  };
}

const token = { secret: "env:TOKEN" };
const seal = { secret: "env:SEAL" };
const url = "https://a.test";

describe("what a replacement leaves to the server", () => {
  const level = { type: "integer", "x-immutable": true };
  const pushers = { type: "array", items: { type: "string" } };
  const kept = { type: "boolean", default: false };
  const fields = {
    required: ["url"],
    properties: { ...properties, level, pushers, kept, note: { type: "string" } },
    allOf: [{ not: { required: ["level", "pushers"] } }],
  };
  const resetsOf = (declared: Fields, live: Fields) => run({ file: { fields }, declared, live }).resets;

  test.each<[string, Fields, Fields, readonly string[] | undefined]>([
    ["a field with a value of its own", { level: 40 }, { level: 30, name: "a", kept: true }, ["name", "kept"]],
    [
      "no field that is unset or at its default",
      { level: 40 },
      { level: 30, name: "", kept: false, note: null },
      undefined,
    ],
    ["no field that is declared", { level: 40, name: "a" }, { level: 30, name: "a" }, undefined],
    ["no secret", { level: 40 }, { level: 30, token: "hidden" }, undefined],
    ["no other form of what is declared", { level: 40 }, { level: 30, pushers: ["a"] }, undefined],
    ["no value that a policy could not declare", { level: 40 }, { level: 30, name: 7 }, undefined],
  ])("is %s", (_, declared, live, resets) => {
    expect(resetsOf(declared, live)).toEqual(resets);
  });

  test("is nothing for an update", () => {
    expect(resetsOf({ name: "b" }, { name: "a", kept: true })).toBeUndefined();
  });
});

describe("a change of a field that the server takes at creation only", () => {
  const declared = { level: 40, name: "b", token };
  const live = { level: 30, name: "a" };

  test("is a replacement that sends all that is declared", () => {
    const { action, sent, secrets } = run({ declared, live });
    expect([action, secrets]).toEqual(["replace", ["env:TOKEN"]]);
    expect(sent).toEqual([
      ["DELETE", undefined],
      ["POST", { url, name: "b", level: 40, token }],
    ]);
  });

  test("is a problem at its place where the kind is not replaced, and nothing is planned", () => {
    const { action, problem, message } = run({ file: { replace: false }, declared, live });
    expect([action, problem]).toEqual([undefined, "cannot-change at 8"]);
    expect(message).toMatch(
      /^level of p:hook\/https:\/\/a\.test cannot be changed: the server takes it at creation only/,
    );
  });

  test("is an update of the others if it is as declared", () => {
    const { action, sent, secrets } = run({ declared: { ...declared, level: 30 }, live });
    expect([action, secrets]).toEqual(["update", ["env:TOKEN"]]);
    expect(sent).toEqual([["PUT", { url, name: "b", token }]]);
  });
});

describe("a change where the server has no update", () => {
  const { update: _, ...others } = calls;
  const later = { ...calls, update: { call: calls.update, release: "15.6" } };
  const differing = { declared: { name: "b" }, live: { name: "a" } };

  test.each([
    ["none at all", { calls: others }, "15.6", "replace"],
    ["one of a later release", { calls: later }, "15.5.2", "replace"],
    ["one of this release", { calls: later }, "15.6", "update"],
    ["one of a release, and that of the server is not known", { calls: later }, undefined, "update"],
  ])("%s", (_, file, release, action) => {
    const options = release === undefined ? {} : { release };
    expect(run({ ...differing, file, options }).action).toBe(action);
    const refused = run({ ...differing, file: { ...file, replace: false }, options });
    expect(refused.problem).toBe(action === "update" ? undefined : "cannot-change at 7");
  });

  test("names the release", () => {
    const { message } = run({ ...differing, file: { calls: later, replace: false }, options: { release: "15.5" } });
    expect(message).toContain("the server cannot change hooks before release 15.6; it is 15.5");
  });
});

describe("what cannot be compared", () => {
  const declared = { name: "a", token, seal };
  const live = { name: "a" };
  const { update: _, ...others } = calls;
  const resend = () => true;

  test("is no change by itself, and is sent again where that is asked for", () => {
    expect(run({ declared, live })).toMatchObject({ action: undefined, unverified: ["seal", "token"] });
    expect(run({ declared: { name: "a", token }, live, options: { resend } }).sent).toEqual([["PUT", { url, token }]]);
    expect(run({ declared: { name: "a" }, live, options: { resend } }).sent).toEqual([["PUT", { url, name: "a" }]]);
  });

  test("is not deleted to be sent in every run, only where it is asked for", () => {
    expect(run({ declared, live, options: { alwaysSend: true } }).sent).toEqual([["PUT", { url, token }]]);
    expect(run({ declared, live, options: { alwaysSend: true }, file: { calls: others } }).action).toBeUndefined();
    expect(run({ declared, live, options: { resend } }).action).toBe("replace");
  });

  test("is replaced where a ledger knows that it was edited", () => {
    const ledger: Recollection = {
      recall: () => ({ sent: { name: "a", token: "t", seal: "old" } }),
      fingerprint: (_, __, name) => ({ name: "a", token: "t", seal: "new" })[name],
    };
    expect(run({ declared, live, options: { ledger } })).toMatchObject({ action: "replace", after: { seal } });
  });
});

describe("a kind without a call", () => {
  const { create: _, delete: __, ...others } = calls;
  const file = { calls: others, replace: false };

  test("is a problem where the resource is declared and is not there", () => {
    const { action, problem, message } = run({ file, declared: { name: "a" }, live: null });
    expect([action, problem]).toEqual([undefined, "cannot-create at 3"]);
    expect(message).toBe("p:hook/https://a.test is not on the server, and the server cannot create hooks");
  });

  test("is a problem where it is to be absent and is there", () => {
    expect(run({ file, absent: true })).toMatchObject({ action: undefined, problem: "cannot-delete at 3" });
    expect(run({ file, absent: true, live: null })).toMatchObject({ action: undefined, problem: undefined });
  });
});
