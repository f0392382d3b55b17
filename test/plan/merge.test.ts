import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergePlans, type NamedPlan } from "../../src/plan/merge.ts";
import { type Plan, type PlanScope, planDigest } from "../../src/plan/plan.ts";
import { changeWith, plainWords } from "../support/hostile.ts";
import { type Parts, planWith } from "../support/plans.ts";

const changes = Array.from({ length: 12 }, (_, index) => changeWith({ ...plainWords, project: "p" }, index + 10));
const shard = (name: string, parts: Parts, shards = "1/2"): NamedPlan =>
  withPlan({ name, plan: planWith(parts) }, { scope: { shards: [shards] } });
const merged = (parts: readonly NamedPlan[]) => mergePlans(parts as [NamedPlan, ...NamedPlan[]]);
const withPlan = ({ name, plan }: NamedPlan, more: Partial<Plan>): NamedPlan => ({ name, plan: { ...plan, ...more } });

describe("plans of shards", () => {
  test("come together as the plan of the whole, with a digest of its own", () => {
    const warning = { rule: "deprecated", message: "old word", file: "a.yaml", line: 2, column: 1 };
    const objection = (message: string) => ({ guard: "protected", message, addresses: [message] }) as const;
    const whole = merged([
      shard("a", { changes: changes.slice(0, 5), warnings: [warning], objections: [objection("b")] }),
      shard("b", { changes: changes.slice(5), warnings: [warning], objections: [objection("a")] }, "2/2"),
    ]);
    expect(whole.resource_changes).toEqual(changes);
    expect(whole.summary).toMatchObject({
      projects: 14,
      create: 3,
      update: 3,
      disable: 3,
      delete: 3,
      writes: 12,
      reads: 18,
    });
    expect(whole.summary).not.toHaveProperty("outcomes");
    expect(whole.warnings).toEqual([warning]);
    expect(whole.objections.map(({ message }) => message)).toEqual(["a", "b"]);
    expect(whole).not.toHaveProperty("scope");
    expect(whole.digest).toBe(planDigest(whole));
  });

  test("are counted together where they are since one revision, and refused where they are not", () => {
    const since = (name: string, scope: PlanScope) => withPlan({ name, plan: planWith({ changes: [] }) }, { scope });
    const [one, other] = ["1", "2"].map((index) => ({
      since: "a".repeat(40),
      projects: 2,
      of: 5,
      shards: [`${index}/2`],
    }));
    if (!one || !other) throw new Error("two parts");
    const whole = merged([since("a", one), since("b", other)]);
    expect(whole.scope).toEqual({ since: "a".repeat(40), projects: 4, of: 10 });
    expect(() => merged([since("a", one), since("b", { shards: ["2/2"] })])).toThrow(/one revision of --since/);
  });

  test("are the same in whatever order they come, and one alone is itself", () => {
    const cut = fc.array(fc.nat({ max: 3 }), { minLength: changes.length, maxLength: changes.length });
    fc.assert(
      fc.property(cut, fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }), (owners, order) => {
        const parts = [0, 1, 2, 3].map((part) =>
          shard(
            String(part),
            {
              changes: changes.filter((_, index) => owners[index] === part),
              problems: [{ rule: "r", message: `m${part % 2}` }],
            },
            `${part + 1}/4`,
          ),
        );
        const whole = merged(parts);
        expect(whole.resource_changes).toEqual(changes);
        expect(whole.problems).toHaveLength(2);
        expect(merged(order.flatMap((index) => parts[index] ?? []))).toEqual(whole);
        expect(merged([{ name: "whole", plan: whole }])).toEqual(whole);
      }),
    );
  });

  test("add up outcomes, and are as old as the oldest", () => {
    const outcomes = { applied: 2, failed: 1, skipped: 0, stale: 0, unknown: 0 };
    const [a, b] = [shard("a", { changes: changes.slice(0, 3) }), shard("b", {}, "2/2")];
    const applied = withPlan(a, { summary: { ...a.plan.summary, outcomes }, created_at: "2026-11-20T00:00:00.000Z" });
    expect(merged([b, applied])).toMatchObject({ created_at: "2026-11-20T00:00:00.000Z", summary: { outcomes } });
  });

  const [one, two] = [
    shard("one.json", { changes: changes.slice(0, 3) }),
    shard("two.json", { changes: changes.slice(3) }, "2/2"),
  ];
  test.each([
    [
      "other manifests",
      withPlan(two, { manifests: { digest: "sha256:1", commit: null } }),
      /two\.json were not made from the same manifests/,
    ],
    ["another server", withPlan(two, { server: { url: "https://b" } }), /the same server/],
    ["another version", withPlan(two, { evenkeel_version: "9" }), /one version/],
    [
      "an address twice",
      shard("two.json", { changes: changes.slice(2) }),
      /p12:integration\/irc-gateway is in one\.json and in two\.json/,
    ],
  ])("are refused for %s", (_, other, words) => {
    expect(() => merged([one, other])).toThrow(words);
  });

  test("lose their commit where it is not one", () => {
    const commit = (part: NamedPlan, name: string) =>
      withPlan(part, { manifests: { ...part.plan.manifests, commit: name } });
    expect(merged([commit(one, "a"), commit(two, "a")]).manifests.commit).toBe("a");
    expect(merged([commit(one, "a"), commit(two, "b")]).manifests.commit).toBeNull();
  });

  const of = (name: string, scope?: PlanScope) => {
    const { scope: _, ...plan } = shard(name, {}).plan;
    return { name, plan: { ...plan, ...(scope && { scope }) } };
  };
  test.each<[PlanScope | undefined, PlanScope | undefined, RegExp]>([
    [undefined, undefined, /a\.json is of the whole fleet and b\.json of the whole fleet/],
    [
      { shards: ["1/2"] },
      { shards: ["1/2"] },
      /a\.json is of shard 1\/2 and b\.json of shard 1\/2, so projects may be counted/,
    ],
    [{ shards: ["1/2"] }, { shards: ["2/3"] }, /shard 1\/2 and b\.json of shard 2\/3/],
    [{ shards: ["1/3", "2/3"] }, { shards: ["2/3"] }, /shard 1\/3, shard 2\/3 and/],
    [{ shards: ["1/2"] }, undefined, /the whole fleet/],
    [{ targets: ["a/*"] }, { targets: ["a/*"] }, /--target a\/\*/],
    [{ targets: ["a/*"] }, undefined, /the whole fleet/],
  ])("without a change in common are refused where they tell of the same projects: %j and %j", (one, other, words) => {
    const parts = [of("a.json", one), of("b.json", other)];
    expect(() => merged(parts)).toThrow(words);
    expect(() => merged(parts.reverse())).toThrow(/so projects may be counted twice; give each shard's plan only once/);
  });

  test("say what they are of as long as parts are missing", () => {
    const [first, second, third] = ["1/3", "2/3", "3/3"].map((name) => of(name, { shards: [name] }));
    if (!first || !second || !third) throw new Error("there are three");
    const two = merged([second, first]);
    expect(two.scope).toEqual({ shards: ["1/3", "2/3"] });
    expect(merged([third, { name: "two", plan: two }])).not.toHaveProperty("scope");
    const targeted = merged([of("b", { targets: ["b"] }), of("a", { targets: ["a"], shards: ["2/2"] })]);
    expect(targeted.scope).toEqual({ targets: ["a", "b"], shards: ["2/2"] });
  });
});
