import { describe, expect, test } from "vitest";
import type { Writer } from "../../src/client/client.ts";
import { CallFailed } from "../../src/client/failure.ts";
import type { Settled } from "../../src/client/reader.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import type { Call, Change, Live } from "../../src/model/types.ts";
import { plannedChange } from "../../src/plan/make-plan.ts";
import { writesOf } from "../../src/plan/plan.ts";
import { requestsOf } from "../../src/plan/requests.ts";
import { applyChanges, type Watcher } from "../../src/run/apply/apply.ts";
import { journalling } from "../../src/run/apply/send-change.ts";
import { type JournalEntry, type JournalLine, lastOutcomes, unfinishedRuns } from "../../src/state/journal.ts";

const address = "shop/api:license/MIT";

const change: Change = {
  ...{ address, project: "shop/api", kind: "license", key: "MIT", action: "replace", reason: "", cause: "drift" },
  before: { approval_status: "denied" },
  after: { approval_status: "allowed" },
  declared: { approval_status: "allowed" },
  live: { kind: "license", key: "MIT", id: 7, fields: { approval_status: "denied" }, active: true },
  liveDigest: "sha256:00",
  origin: { place: () => ({ file: "a.yaml", line: 3, column: 3 }) },
};

type Reply = (call: Call) => Settled;

const failed = (status: number, more: Partial<CallFailed["facts"]> = {}): Reply => {
  return ({ method, path }) => {
    const facts = {
      method,
      path,
      url: `http://a.test${path}`,
      kind: "status",
      what: `answered ${status}`,
      status,
      attempts: 1,
    } as const;
    return { failure: new CallFailed({ ...facts, ...more } as CallFailed["facts"]), unknown: false };
  };
};

const deleted: Reply = () => ({ answer: { status: 204, body: undefined, requestId: undefined } });
const created: Reply = () => {
  const body = { id: 8, name: "MIT", approval_status: "allowed" };
  return { answer: { status: 201, body, requestId: undefined } };
};

/** What an apply of the replacement sends and records, by the replies to its requests. */
async function replacing(
  first: Reply,
  second: Reply,
  others: readonly Watcher[] = [],
  { change: replaced = change, third = second }: { readonly change?: Change; readonly third?: Reply } = {},
) {
  const calls: Call[] = [];
  const entries: JournalEntry[] = [];
  const settle = async (call: Call) => {
    calls.push(call);
    return ([first, second][calls.length - 1] ?? third)(call);
  };
  const writer = { catalogue: catalogueOf(), settle, list: async () => [] } as unknown as Writer;
  const write = async (entry: JournalEntry) => void entries.push(entry);
  const journal = journalling({ write } as unknown as Parameters<typeof journalling>[0]);
  const outcomes = await applyChanges(writer, [{ steps: async () => [{ change: replaced }] }], {
    ...{ workers: 1, watchers: [...others, journal], stopped: () => undefined },
  });
  return {
    sent: calls.map(({ method, path, parameters }) => [method, path, ...(parameters ? [parameters] : [])]),
    events: entries.map((entry) => [entry.event, "action" in entry ? entry.action : "status" in entry && entry.status]),
    entries,
    outcome: outcomes.get(address),
  };
}

describe("a replacement", () => {
  const list = "/projects/shop%2Fapi/managed_licenses";

  test("deletes and creates, and both are in the journal", async () => {
    const { sent, events, outcome } = await replacing(deleted, created);
    expect(sent).toEqual([
      ["DELETE", `${list}/7`],
      ["POST", list, { name: "MIT", approval_status: "allowed" }],
    ]);
    expect(events).toEqual([
      ["intent", "delete"],
      ["deleted", false],
      ["intent", "create"],
      ["result", "applied"],
    ]);
    expect(outcome).toEqual({ status: "applied" });
  });

  test("creates what is gone already", async () => {
    const { sent, outcome } = await replacing(() => ({ found: true }), created);
    expect([sent.length, outcome]).toEqual([2, { status: "applied" }]);
  });

  test("whose deletion fails creates nothing", async () => {
    const { sent, outcome } = await replacing(failed(403), created);
    expect([sent.length, outcome?.status]).toEqual([1, "failed"]);
    expect(outcome?.error).not.toContain("deleted now");
  });

  test.each([
    ["is refused", failed(422)],
    ["is not sent, as the run ended", failed(0, { kind: "aborted", sent: false, attempts: 0 } as never)],
  ])("whose creation %s says that the resource is deleted now", async (_, reply) => {
    const { outcome, events } = await replacing(deleted, reply);
    expect(outcome?.status).toBe("failed");
    expect(outcome?.error).toMatch(
      /^it is deleted now and was not created again: .*; run evenkeel apply --target "shop\/api:license\/MIT" to create it$/,
    );
    expect(events.at(-1)).toEqual(["result", "failed"]);
  });

  test("whose creation is refused leaves the resource as it was", async () => {
    const live = { ...change.live, row: { id: 7, name: "MIT", approval_status: "blacklisted" } } as Live;
    const { sent, events, outcome } = await replacing(deleted, failed(422), [], {
      change: { ...change, live },
      third: created,
    });
    expect(sent[2]).toEqual(["POST", list, { name: "MIT", approval_status: "denied" }]);
    expect(outcome?.error).toMatch(/answered 422; it was created again as it was$/);
    expect(events.at(-1)).toEqual(["result", "failed"]);
  });

  const level = (access_level: number) => ({ access_level, user_id: null, group_id: null });
  test.each([
    ["a role", [level(0)], { create_access_level: 0 }],
    [
      "a user beside a role",
      [level(40), { access_level: null, user_id: 50 }],
      { allowed_to_create: [{ access_level: 40 }, { user_id: 50 }] },
    ],
    ["a role that no request can have", [level(35)], undefined],
  ])("whose creation is refused restores a tag of %s", async (_, create_access_levels, parameters) => {
    const tag = { kind: "protected_tag", key: "v*", address: "shop/api:protected_tag/v*" };
    const live = { ...tag, fields: {}, active: true, row: { name: "v*", create_access_levels } } as unknown as Live;
    const declared = { create_access_level: 40 };
    const { sent } = await replacing(deleted, failed(422), [], {
      change: { ...change, ...tag, before: {}, after: declared, declared, live } as Change,
      third: created,
    });
    expect(sent.slice(2)).toEqual(
      parameters ? [["POST", "/projects/shop%2Fapi/protected_tags", { name: "v*", ...parameters }]] : [],
    );
  });

  test("whose creation may have happened says so", async () => {
    const unknown: Reply = (call) => ({ ...failed(502)(call), unknown: true }) as Settled;
    const { outcome } = await replacing(deleted, unknown);
    expect(outcome?.status).toBe("unknown");
    expect(outcome?.error).toMatch(/^it was deleted, and perhaps not created again: /);
  });

  test("is not half sent without being recorded", async () => {
    const intent = async ({ action }: Change) => (action === "create" ? "the journal is full" : undefined);
    const { sent, outcome } = await replacing(deleted, created, [{ intent }]);
    expect(sent).toHaveLength(1);
    expect(outcome?.error).toContain("it is deleted now and was not created again: the journal is full");
  });

  test("that is cut anywhere leaves in flight what may still happen, and what is known", async () => {
    const { entries } = await replacing(deleted, created);
    const lines = entries.map((entry, index): JournalLine => ({ ...entry, at: `2026-01-01T00:00:0${index}Z` }));
    const found = await Promise.all(
      lines.map(async (_, index) => {
        const texts = lines.slice(0, index + 1).map((line) => JSON.stringify(line));
        const list = async () => ["r"];
        const state = { list, lines: async () => new Map([["r", texts]]), lastLines: async () => new Map([["r", ""]]) };
        const [run] = await unfinishedRuns(state);
        const [last] = await lastOutcomes(state, [address]);
        return [run?.inFlight.length, last?.status, last?.error?.startsWith("it was deleted") ?? false];
      }),
    );
    expect(found).toEqual([
      [1, "unknown", false],
      [0, "unknown", true],
      [1, "unknown", true],
      [0, "applied", false],
    ]);
  });
});

describe("a deletion with a call before it", () => {
  const list = "/projects/shop%2Fapi/environments/7";
  const removal: Change = {
    ...change,
    ...{ kind: "environment", key: "old", action: "delete", before: {}, after: null, declared: {} },
    live: { kind: "environment", key: "old", id: 7, fields: {}, active: true },
  };
  const stopped: Reply = () => ({ answer: { status: 200, body: { id: 7 }, requestId: undefined } });
  const unknown: Reply = (call) => ({ ...failed(502)(call), unknown: true }) as Settled;
  const both = [
    ["POST", `${list}/stop?force=true`],
    ["DELETE", list],
  ];

  test.each([
    ["sends both", stopped, deleted, both, "applied"],
    ["does not delete what is not stopped", failed(403), deleted, both.slice(0, 1), "failed"],
    ["does not delete after a lost answer", unknown, deleted, both.slice(0, 1), "unknown"],
    ["leaves it to the next run where it is still stopping", stopped, failed(403), both, "failed"],
  ] as const)("%s", async (_, first, second, requests, status) => {
    const { sent, events, outcome } = await replacing(first, second, [], { change: removal });
    expect(sent).toEqual(requests);
    expect(events).toEqual([...requests.map(() => ["intent", "delete"]), ["result", status]]);
    expect(outcome?.status).toBe(status);
  });

  test("is listed with it, and counted", () => {
    const planned = plannedChange(removal, catalogueOf());
    expect(planned).toMatchObject({ before_call: { method: "POST" }, call: { method: "DELETE" } });
    expect(writesOf([planned])).toBe(2);
    expect(requestsOf(removal, catalogueOf()).map(({ method, path }) => [method, path])).toEqual(both);
  });
});
