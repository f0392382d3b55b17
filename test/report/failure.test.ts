import { describe, expect, test } from "vitest";
import type { Outcome } from "../../src/model/types.ts";
import type { Objection } from "../../src/plan/guards.ts";
import { findingRenderers, planRenderers } from "../../src/report/formats.ts";
import { findingKinds, planKinds } from "../../src/report/report.ts";
import { scene } from "../e2e/workspace.ts";
import { planned, planWith, reportOf } from "../support/plans.ts";

const guards: readonly Objection["guard"][] = [
  ...(["delete-percent", "protected", "storage", "loosening", "approvals", "rule"] as const),
];
const kinds = planKinds.filter((kind) => kind !== "text" && kind !== "json");
const none = () => undefined;

describe.each(kinds)("%s", (kind) => {
  const text = async (plan: ReturnType<typeof planWith>, exitCode: 0 | 1 | 3 | 4) =>
    (await planRenderers([kind]))[kind as "dotenv"](reportOf(plan, { exitCode }), none);

  test.each(guards)("tells that %s made the run fail, also among many other reasons", async (guard) => {
    const others = Array.from({ length: 30 }, (_, n): Objection => {
      return { guard: "rule", message: `rule ${n} objects`, addresses: [] };
    });
    const objection: Objection = { guard, message: `the-reason-${guard}`, addresses: ["a/b:integration/x"] };
    const changes = [planned("a/b", "x", "update")];
    for (const objections of [[objection], [...others, objection]]) {
      const said = await text(planWith({ changes, objections }), 3);
      expect(said).toMatch(new RegExp(`\\b${guard}\\b`));
      expect(said).not.toBe(await text(planWith({ changes }), 0));
    }
  });

  test.each(["failed", "skipped", "stale", "unknown"] as const)("tells of a change that is %s", async (status) => {
    const outcome: Outcome = { status, error: "why" };
    const said = await text(planWith({ changes: [planned("a/b", "x", "update", { outcome })] }), 1);
    expect(said.toLowerCase()).toContain(status);
  });

  test("tells of a problem", async () => {
    const problem = { rule: "tie", message: "two policies" };
    const said = await text(planWith({ problems: [problem] }), 1);
    expect(said).not.toBe(await text(planWith({}), 0));
    expect(said).toMatch(/problems?\b|two policies/i);
  });
});

test("a report that needs no plan is among those of a plan", () => {
  const names = findingKinds.filter((kind) => kind !== "text" && kind !== "json");
  expect(Object.keys(findingRenderers).sort()).toEqual(names.toSorted());
});

const licenses = (status: string) => ({ projects: ["payments/core"], licenses: { MIT: status } });
const projects = [{ id: 1, path: "payments/core", licenses: { MIT: "denied" } }] as const;

test.each([["plan"], ["drift"], ["apply", "--yes"], ["apply", "--dry-run"]])(
  "every report of %s %s tells that --fail-on-loosening failed",
  async (...command) => {
    const { evenkeel, read } = await scene({ projects: [...projects], policy: licenses("allowed") });
    const reports = planKinds.flatMap((kind) => ["--report", `${kind}=out/${kind}`]);
    const ran = await evenkeel(...command.filter(Boolean), "--fail-on-loosening", ...reports);
    expect(ran).toMatchObject({ code: 3, writes: 0 });
    for (const kind of planKinds)
      expect([kind, read(`out/${kind}`)]).toEqual([kind, expect.stringMatching(/loosening/)]);
  },
);

const plans = planKinds.flatMap((kind) => ["--report", `${kind}=out/${kind}`]);

test.each([
  ["apply of a saved plan", ["apply", "p.json"], 4],
  ["rehearsal of a saved plan", ["apply", "p.json", "--dry-run"], 4],
  ["merge of what is no plan", ["merge", "all.yaml"], 1],
] as const)("every report says why it failed as a whole: %s", async (_, command, code) => {
  const { evenkeel, read, policy } = await scene({ projects: [...projects], policy: licenses("allowed") });
  await evenkeel("plan", "--out", "p.json");
  policy(licenses("denied"));
  expect(await evenkeel(...command, ...plans)).toMatchObject({ code, writes: 0 });
  for (const kind of planKinds) {
    expect([kind, read(`out/${kind}`)]).toEqual([
      kind,
      expect.stringMatching(/stale|not JSON|problem.{3,12}1|exit_code/i),
    ]);
  }
  expect(read("out/text")).toMatch(/manifests changed since the plan was made|it is not JSON/);
});

test.each(["plan", "drift", "validate", "apply"])("a report of text names the problems of %s", async (command) => {
  const { evenkeel, read } = await scene({ projects: [...projects], policy: licenses("alowed") });
  const { code } = await evenkeel(command, "--report", "text=out/text", ...(command === "apply" ? ["--yes"] : []));
  expect([code, read("out/text")]).toEqual([1, expect.stringContaining("alowed")]);
});

test("every report of validate is written where there is no workspace", async () => {
  const { evenkeel, read } = await scene({ projects: [...projects], policy: licenses("allowed") });
  const reports = findingKinds.flatMap((kind) => ["--report", `${kind}=out/${kind}`]);
  expect(await evenkeel("validate", "-C", "/", ...reports)).toMatchObject({ code: 1 });
  for (const kind of findingKinds)
    expect([kind, read(`out/${kind}`)]).toEqual([kind, expect.stringContaining("evenkeel.yaml")]);
});
