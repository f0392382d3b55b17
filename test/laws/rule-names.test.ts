import { describe, expect, test } from "vitest";
import { type Stage, stage } from "../support/stage.ts";

const rule = (when: string, more: object = {}) =>
  `${JSON.stringify({ apiVersion: "evenkeel/v1", kind: "Rule", name: "r", message: "no", when, ...more })}\n`;

/** Every way in which a policy can select one project. */
const selections: readonly (readonly (string | number)[])[] = [
  [42],
  ["42"],
  ["payments/core"],
  ["Payments/Core"],
  ["PAYMENTS/*"],
  ["**"],
  [42, "PAYMENTS/CORE"],
];

const rulesOnIt: readonly (readonly [name: string, when: string])[] = [
  ["the start of a path", 'change.project.startsWith("payments/")'],
  ["a path", 'change.project == "payments/core"'],
  ["a pattern", 'change.project.matches("^payments/")'],
  ["an address", 'change.address.startsWith("payments/core:license/")'],
  ["an ID", "change.project_id == 42"],
];

const policyOf = (projects: readonly (string | number)[]) => ({ projects, licenses: { MIT: "allowed" } });

async function staged(projects: readonly (string | number)[], text: string): Promise<Stage> {
  const place = await stage({ projects: [{ id: 42, path: "payments/core" }], policy: policyOf(projects) });
  place.write("rules.yaml", text);
  return place;
}

describe.each(selections.map((projects) => ({ projects })))("projects: $projects", ({ projects }) => {
  test.each(rulesOnIt)("a rule on %s objects", async (_, when) => {
    const place = await staged(projects, rule(when));
    const { plan } = await place.plan();
    expect(plan.objections).toMatchObject([{ guard: "rule", addresses: [plan.resource_changes[0]?.address] }]);
    expect([(await place.apply()).refused?.length, place.server.requests.writes]).toEqual([1, 0]);
  });

  test.each(["payments/*", "Payments/Core:license/*", "42", "42:*"])("except: %s is meant", async (glob) => {
    const place = await staged(projects, rule("true", { except: [glob] }));
    expect((await place.plan()).plan.objections).toEqual([]);
  });

  test("except of another project is not", async () => {
    const place = await staged(projects, rule("true", { except: ["other/*", "421", "4*:integration/*"] }));
    expect((await place.plan()).plan.objections).toHaveLength(1);
  });

  test("a rule on the plan, and a saved and a merged plan, see the same", async () => {
    const place = await staged(projects, rule('plan.changes.exists(c, c.project == "payments/core")', { on: "plan" }));
    expect((await place.plan()).plan.objections).toHaveLength(1);
    expect((await place.evenkeel("plan", "--out", "one.json")).code).toBe(0);
    expect((await place.evenkeel("merge", "one.json", "--report", "json")).plan().objections).toHaveLength(1);
    expect((await place.evenkeel("apply", "one.json")).code).toBe(3);
  });

  test.each(["payments/*:license/*", "PAYMENTS/CORE", "42:license/mit"])("protected: %s is meant", async (glob) => {
    const place = await stage({
      projects: [{ id: 42, path: "payments/core", licenses: { MIT: "allowed" } }],
      policy: { projects, exclusive: ["licenses"] },
      workspace: { protected: [glob] },
    });
    expect((await place.plan()).plan.objections).toMatchObject([{ guard: "protected" }]);
  });
});

test("a look-up is counted, and needed only where there are rules", async () => {
  const place = await staged([42], rule("false"));
  expect((await place.evenkeel("plan", "--report", "json")).plan().summary.reads).toBe(2);
  place.write("rules.yaml", "");
  expect((await place.evenkeel("plan", "--report", "json")).plan().summary.reads).toBe(1);
});
