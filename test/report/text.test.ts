import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { waiversText } from "../../src/commands/next-steps.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import type { Outcome } from "../../src/model/types.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { outcomeLines } from "../../src/report/outcomes.ts";
import { type Palette, plain } from "../../src/report/terminal.ts";
import { planText } from "../../src/report/text.ts";
import { planned, planWith } from "../support/plans.ts";

const folder = join(import.meta.dirname, "../cases/plan");
const names = readdirSync(folder).flatMap((file) => (file.endsWith(".json") ? [basename(file, ".json")] : []));
const planNamed = (name: string) => JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")) as Plan;

const mark = (name: string) => (text: string) => `<${name}>${text}</${name}>`;
const marked: Palette = {
  add: mark("add"),
  change: mark("change"),
  remove: mark("remove"),
  strong: mark("strong"),
  faint: mark("faint"),
  warn: mark("warn"),
};

describe.each(names)("what people read of the plan of %s", (name) => {
  test("is the golden text", async () => {
    await expect(`${planText(planNamed(name), catalogueOf(), plain)}\n`).toMatchFileSnapshot(
      join(folder, `${name}.txt`),
    );
  });

  test("has no colour where there is none, and the same words where there is", () => {
    const text = planText(planNamed(name), catalogueOf(), marked);
    expect(text.replace(/<\/?\w+>/g, "")).toBe(planText(planNamed(name), catalogueOf(), plain));
    expect(text).toContain("<strong>");
  });
});

test("each action has its sign and its colour, and no address is told twice", () => {
  const text = planText(planNamed("mixed"), catalogueOf(), marked);
  for (const [sign, address] of [
    ["<add>+</add>", "integration/chat-notifications-a"],
    ["<change>~</change>", "integration/emails-on-push"],
    ["<remove>x</remove>", "integration/irc-gateway"],
    ["<remove>-</remove>", "license/WTFPL"],
  ]) {
    expect(text.split(`  ${sign} ${address}  `)).toHaveLength(2);
  }
});

test("projects are called in sync only where nothing is wrong", () => {
  const read = (plan: Partial<Plan>) => planText(planWith({ unverified: [], ...plan }), catalogueOf(), plain);
  const problems = [{ rule: "cannot-change", message: "enabled cannot be changed" }];
  expect(read({})).toContain("No changes: 7 projects in sync.");
  expect(read({ problems })).toContain("No changes among what could be compared in 7 projects.");
  expect(read({ problems })).not.toContain("in sync");
});

test("secrets that are not set are named in one sentence", () => {
  const entry = (name: string, reason: string) => ({ address: `p:variable/${name}`, fields: ["value"], reason });
  const read = (...unverified: Plan["unverified"]) => planText(planWith({ unverified }), catalogueOf(), plain);
  const one = entry("A", "not compared: A is not set");
  expect(read(one)).toContain("\nnot compared: A is not set.\n");
  expect(read(one, entry("B", "not compared: B is not set, f cannot be read"), one)).toContain(
    "\n2 secrets are not set here, so their values were not compared: A (2), B.\nnot compared: f cannot be read.\n",
  );
});

test("unverified fields are counted as in the summary, whatever the reason", () => {
  const hidden = { address: "p:webhook/x", fields: ["token"] };
  const unset = { address: "p:variable/A", fields: ["value"], reason: "not compared: A is not set" };
  const read = (...unverified: Plan["unverified"]) => planText(planWith({ unverified }), catalogueOf(), plain);
  expect(read(hidden)).toContain("\n1 unverified (declared, not reported by the server): webhook/x token.\n");
  expect(read(unset)).toContain("\n1 unverified (declared, not compared).\nnot compared: A is not set.\n");
  expect(read(hidden, unset)).toContain(
    "\n2 unverified (declared; 1 not reported by the server, 1 not compared): webhook/x token.\nnot compared: A",
  );
});

test("an apply lists equal outcomes of many projects once, and what was not applied last", () => {
  const of = (project: string, outcome: Outcome) => ({
    ...planned(project, "irc-gateway", "disable"),
    ...{ project, outcome },
  });
  const failed = (project: string) => {
    const error = `PUT /projects/${encodeURIComponent(project)}/hooks/${project.length + 7} answered 500`;
    return of(project, { status: "failed", error });
  };
  const applied = ["a/1", "a/2", "a/3", "a/4"].map((project) => of(project, { status: "applied" }));
  const text = outcomeLines([failed("b/1"), ...applied, ...["b/2", "b/33", "b/4", "b/5"].map(failed)], plain);
  expect(text.split("\n")).toEqual([
    "  x applied a/1:integration/irc-gateway",
    "      also in a/2, a/3, a/4",
    "  x failed b/1:integration/irc-gateway: PUT /projects/b%2F1/hooks/10 answered 500",
    "      also in b/2, b/33, b/4 and 1 more",
  ]);
});

test("a plan of another day says so in its head, and lists what rules warn of, but no other warning", () => {
  const warnings = [
    { rule: "as-of", message: "this is as of 2027-06-30, not of today" },
    { rule: "deprecated", message: "approved means allowed" },
    ...Array.from({ length: 22 }, (_, n) => ({ rule: "calm", message: `warned ${n}`, from_rule: true as const })),
  ];
  const lines = planText({ ...planNamed("fleet"), warnings }, catalogueOf(), plain).split("\n");
  expect(lines[1]).toBe("Note: this is as of 2027-06-30, not of today");
  const at = lines.indexOf("Warnings of rules");
  expect([lines[at + 1], lines[at + 20], lines[at + 21]]).toEqual(["  ! warned 0", "  ! warned 19", "  and 2 more"]);
  expect(lines.join()).not.toContain("approved means allowed");
});

test("a waiver can be pasted, whatever a thing is called", () => {
  const addresses = ["p:license/'; touch hit; '", "p:integration/irc-gateway"];
  const objections = [{ guard: "protected", message: "m", addresses }] as const;
  expect(waiversText(planWith({ objections }))).toBe(
    "--allow-protected 'p:license/'\\''; touch hit; '\\''' --allow-protected p:integration/irc-gateway",
  );
  const many = Array.from({ length: 34 }, (_, index) => ({ ...objections[0], addresses: [`p:license/L-${index}`] }));
  expect(waiversText(planWith({ objections: [...many, ...many] }))).toBe(
    "--allow-protected ADDRESS for each of the 34 protected addresses",
  );
});
