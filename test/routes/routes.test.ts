import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { branchKinds } from "../../src/model/events.ts";
import type { Desired, Fields } from "../../src/model/types.ts";
import { reroutingOf } from "../../src/plan/routes/audience.ts";
import { declaredListeners } from "../../src/plan/routes/listeners.ts";
import { type EventDetails, type Listener, routesOf } from "../../src/plan/routes/routes.ts";

const { integrations, events } = catalogueOf();

type Written = Readonly<Record<string, Fields>>;

const casesOf = (name: string) => parse(readFileSync(join(import.meta.dirname, "../cases/routes", name), "utf8"));

const origin = { place: () => ({ file: "policy.yaml", line: 1, column: 1 }) };

function listenersOf(written: Written): Listener[] {
  const slugs = Object.keys(written).sort();
  const desired = slugs.map((key): Desired => {
    return { kind: "integration", key, identity: key, fields: written[key] ?? {}, presence: "present", origin };
  });
  return declaredListeners(desired);
}

function eventOf(words: string): EventDetails {
  const [event = "", ...rest] = words.split(" ");
  const branch = /on (.+)$/.exec(words)?.[1];
  const pipelineStatus = (["failed", "success"] as const).find((status) => rest.includes(status));
  return { event, branch, branchKind: branchKinds.find((kind) => rest.includes(kind)), pipelineStatus };
}

describe("golden cases of routes", () => {
  for (const { name, integrations, routes } of casesOf("events.yaml")) {
    test.each(Object.entries(routes))(`${name}: %s`, (words, expected) => {
      const found = routesOf(listenersOf(integrations), eventOf(words));
      expect(found.map(({ slug, channel }) => (channel === null ? slug : `${slug} ${channel}`))).toEqual(expected);
      expect(found.filter(({ reason }) => reason === "")).toEqual([]);
    });
  }
});

describe("golden cases of what a change moves and loses", () => {
  for (const { name, slug, before, after, lost, moved } of casesOf("reroutings.yaml")) {
    test(name, () => {
      const [was, is] = [before, after].map((fields) => listenersOf({ [slug]: fields })[0]);
      expect(was && is && reroutingOf(was, is)).toEqual({ lost, moved });
    });
  }
});

test("reasons name what is left open, and what nobody said", () => {
  const fields = { pipeline_channel: "#ci", branches_to_be_notified: "default" };
  const [open] = routesOf(listenersOf({ "chat-notifications-a": fields }), { event: "pipeline" });
  expect(open?.reason).toBe(
    "pipeline_events is not declared, and its default on servers is true; " +
      "failed ones only, because notify_only_broken_pipelines is not declared, and its default on servers is true; " +
      "on the default branch only, because branches_to_be_notified is default; sent to the channel in pipeline_channel",
  );
});

test("every flag of the catalogue has its event, and every event a flag of its name", () => {
  const parameters = [...integrations.values()].flatMap((each) => [...each.parameters.values()]);
  const named = new Set(parameters.flatMap(({ name }) => /^(\w+)_events$/.exec(name)?.[1] ?? []));
  const routed = parameters.flatMap(({ name, route }) => (route?.role === "flag" ? [[name, route.event]] : []));
  expect([...named].sort()).toEqual([...events.keys()].sort());
  for (const [name, event] of routed) expect(name).toBe(`${event}_events`);
  expect(new Set(routed.map(([, event]) => event))).toEqual(named);
});

test("every parameter of a role has a column", () => {
  const parameters = [...integrations.values()].flatMap((each) => [...each.parameters.values()]);
  const routing = /_events$|channel$|^recipients$|^branches_to|^notify_only|^restrict_to_branch$|^comment_on/;
  const missed = parameters.filter(({ name, route }) => routing.test(name) !== (route !== undefined));
  expect(missed.map(({ name }) => name)).toEqual([]);
});
