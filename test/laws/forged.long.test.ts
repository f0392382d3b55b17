import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Plan, type PlannedChange, planDigest } from "../../src/plan/plan.ts";
import { type Runs, runs } from "../reconcile/runs.ts";
import { law } from "./stage.ts";

const hook = "https://chat.example.com/hooks/a";

/** Every action of both kinds, secrets, losses, reasons and a policy that is exclusive, in two projects. */
async function scene(more: object = {}): Promise<Runs> {
  const live = {
    integrations: {
      "irc-gateway": { recipients: "#old", push_events: true },
      "chat-webhook-b": { webhook: "https://chat.example.com/hooks/before", push_events: true },
      "external-wiki": { external_wiki_url: "https://wiki.example.com" },
    },
    licenses: { MIT: "denied", "GPL-3.0": "allowed" },
  };
  const says = {
    integrations: {
      "chat-webhook-b": { webhook: { secret: "env:HOOK" }, push_events: false },
      "chat-webhook-c": { webhook: { secret: "env:HOOK" } },
      "irc-gateway": { recipients: "#new" },
    },
    disabled: ["external-wiki"],
    licenses: { MIT: "allowed", "Apache-2.0": "allowed" },
    exclusive: ["licenses"],
    reason: "the baseline of all teams",
  };
  return runs({
    projects: [
      { id: 1, path: "team/a", ...live },
      { id: 2, path: "team/b", ...live },
    ],
    policy: { projects: ["team/a", "team/b"], ...says },
    workspace: { guards: { deletePercent: 100 } },
    secrets: { HOOK: hook, OTHER: "https://elsewhere.example.com/hooks/b" },
    ...more,
  });
}

type Path = readonly (string | number)[];

/** Every place in a document: leaves, and what holds them. */
function placesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, each]) =>
    placesIn(each, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return [path, ...inner];
}

type Forgery = "another" | "empty" | "removed";

function forgedValue(value: unknown, forgery: Exclude<Forgery, "removed">): unknown {
  if (forgery === "empty") return null;
  if (typeof value === "string") return value.startsWith("env:") ? "env:OTHER" : `${value}x`;
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  return Array.isArray(value) ? [] : {};
}

/** A copy of a document with one place of it forged. */
function forged<Value>(document: Value, path: Path, forgery: Forgery): Value {
  const copy = structuredClone(document);
  const parent = path.slice(0, -1).reduce((at, key) => (at as never)[key], copy as unknown) as Record<string, unknown>;
  const last = path.at(-1) as string;
  if (forgery === "removed") {
    if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else delete parent[last];
    return copy;
  }
  parent[last] = forgedValue(parent[last], forgery);
  return copy;
}

function save(run: Runs, plan: Plan): { readonly saved: string } {
  run.write("plan.json", JSON.stringify({ ...plan, digest: planDigest(plan) }));
  run.asked();
  return { saved: `${run.root}/plan.json` };
}

/** The parts of a change that are sent or reviewed. */
const reviewed = ["address", "change", "live", "notes", "source", "call", "policy_reason"];

const writesOf = (run: Runs) =>
  run
    .asked()
    .filter((request) => !request.startsWith("GET"))
    .toSorted();

describe("of a plan with one place forged and a digest to match", () => {
  test("no change is sent of which people read anything else than what is sent", async () => {
    const run = await scene();
    const { plan } = await run.plan();
    expect(plan.problems).toEqual([]);
    expect(new Set(plan.resource_changes.map(({ change }) => change.actions[0])).size).toBe(4);
    const places = placesIn(plan.resource_changes).filter(
      (path) => path.length > 1 && reviewed.includes(String(path[1])) && path[2] !== "after_sensitive",
    );
    const forgery = fc.constantFrom<Forgery>("another", "empty", "removed");
    await law(60, [fc.constantFrom(...places), forgery], async (path, how) => {
      const run = await scene();
      const { plan } = await run.plan();
      const changes = forged(plan.resource_changes, path, how);
      const index = Number(path[0]);
      if (JSON.stringify(changes) === JSON.stringify(plan.resource_changes)) return;
      const honest = plan.resource_changes[index] as PlannedChange;
      const { outcomes = new Map() } = await run.apply(save(run, { ...plan, resource_changes: changes }));
      expect(writesOf(run)).not.toContain(`${honest.call.method} ${decodeURIComponent(honest.call.path)}`);
      expect(outcomes.get(honest.address)?.status ?? "stale").toBe("stale");
      const isOtherwise = ["failed", "unknown"];
      expect([...outcomes.values()].filter(({ status }) => isOtherwise.includes(status))).toEqual([]);
    });
  });

  test("whatever else is forged, nothing but the changes that it shows is sent", async () => {
    const run = await scene();
    const { plan } = await run.plan();
    const all = plan.resource_changes.map(({ call }) => `${call.method} ${decodeURIComponent(call.path)}`).toSorted();
    const places = placesIn(plan).filter((path) => path.length > 0 && path[0] !== "resource_changes");
    const forgery = fc.constantFrom<Forgery>("another", "empty", "removed");
    await law(40, [fc.constantFrom(...places), forgery], async (path, how) => {
      const run = await scene();
      const { plan } = await run.plan();
      await run.apply(save(run, forged(plan, path, how)));
      const sent = writesOf(run);
      expect(all).toEqual(expect.arrayContaining(sent));
    });
  });
});
