import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergePlans, type Part } from "../../src/plan/merge.ts";
import { type Plan, planDigest } from "../../src/plan/plan.ts";
import { changeWith, type Parts, plainWords, planWith } from "../report/told.ts";

const changes = Array.from({ length: 12 }, (_, index) => changeWith({ ...plainWords, project: "p" }, index + 10));
const shard = (name: string, parts: Parts): Part => ({ name, plan: planWith(parts) });
const merged = (parts: readonly Part[]) => mergePlans(parts as [Part, ...Part[]]);
const withPlan = ({ name, plan }: Part, more: Partial<Plan>): Part => ({ name, plan: { ...plan, ...more } });

describe("plans of shards", () => {
  test("come together as the plan of the whole, with a digest of its own", () => {
    const warning = { rule: "deprecated", message: "old word", file: "a.yaml", line: 2, column: 1 };
    const objection = (message: string) => ({ guard: "protected", message, addresses: [message] }) as const;
    const whole = merged([
      shard("a", { changes: changes.slice(0, 5), warnings: [warning], objections: [objection("b")] }),
      shard("b", { changes: changes.slice(5), warnings: [warning], objections: [objection("a")] }),
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
    expect(whole.digest).toBe(planDigest(whole));
  });

  test("are the same in whatever order they come, and one alone is itself", () => {
    const cut = fc.array(fc.nat({ max: 3 }), { minLength: changes.length, maxLength: changes.length });
    fc.assert(
      fc.property(cut, fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }), (owners, order) => {
        const parts = [0, 1, 2, 3].map((part) =>
          shard(String(part), {
            changes: changes.filter((_, index) => owners[index] === part),
            problems: [{ rule: "r", message: `m${part % 2}` }],
          }),
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
    const [a, b] = [shard("a", { changes: changes.slice(0, 3) }), shard("b", {})];
    const applied = withPlan(a, { summary: { ...a.plan.summary, outcomes }, created_at: "2026-11-20T00:00:00.000Z" });
    expect(merged([b, applied])).toMatchObject({ created_at: "2026-11-20T00:00:00.000Z", summary: { outcomes } });
  });

  const [one, two] = [
    shard("one.json", { changes: changes.slice(0, 3) }),
    shard("two.json", { changes: changes.slice(3) }),
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
    const commit = (part: Part, name: string) =>
      withPlan(part, { manifests: { ...part.plan.manifests, commit: name } });
    expect(merged([commit(one, "a"), commit(two, "a")]).manifests.commit).toBe("a");
    expect(merged([commit(one, "a"), commit(two, "b")]).manifests.commit).toBeNull();
  });
});
