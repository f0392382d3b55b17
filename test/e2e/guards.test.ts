import { expect, test } from "vitest";
import { scene } from "./workspace.ts";

const licenses = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`L-${i}`, "allowed"]));
const keeping = (count: number) => ({ licenses: licenses(count), exclusive: ["licenses"] });

/** Projects p0, p1, … with so many licenses each, of which the policies keep so many. */
function fleet(live: readonly number[], kept: readonly number[], guards: object) {
  const policies = kept.map((count, i) => [`policy-${i}`, { projects: [`p${i}`], ...keeping(count) }]);
  return scene({
    projects: live.map((count, i) => ({ path: `p${i}`, licenses: licenses(count) })),
    policies: Object.fromEntries(policies),
    workspace: { guards },
  });
}

test("the refusal lists what would have happened, in text and report, and keeps no journal", async () => {
  const { evenkeel, files, read } = await fleet([12], [0], {});
  expect(await evenkeel("plan", "--detailed-exitcode")).toMatchObject({ code: 2 });
  const refused = await evenkeel("apply", "--yes", "--report", "json=refused.json");
  expect(refused).toMatchObject({ code: 3, writes: 0 });
  expect(refused.stderr).toContain("nothing was written");
  const { objections, resource_changes } = JSON.parse(read("refused.json"));
  expect(objections).toHaveLength(1);
  expect(objections[0]).toMatchObject({ guard: "delete-percent" });
  expect(objections[0].addresses).toHaveLength(12);
  expect(resource_changes[0].outcome).toEqual({ status: "skipped", error: "blocked by a guard" });
  expect(Object.keys(files()).filter((name) => name.includes("journal/"))).toEqual([]);
});

test("plan --fail-on-guard exits as apply would, and says what would let it pass", async () => {
  const { evenkeel, policy, write } = await fleet([12], [1], {});
  const refused = await evenkeel("plan", "--fail-on-guard", "--detailed-exitcode", "--report", "sarif=plan.sarif");
  expect(refused).toMatchObject({ code: 3, writes: 0 });
  expect(refused.stderr).toBe(
    "error: blocked by --fail-on-guard: a guard would block an apply of this plan. If intended, apply with --allow-deletes 11.\n",
  );
  policy({ projects: ["p0"], ...keeping(12) }, "policy-0");
  expect(await evenkeel("plan", "--fail-on-guard")).toMatchObject({ code: 0, stderr: "" });
  const rule = {
    apiVersion: "evenkeel/v1",
    kind: "Rule",
    name: "none",
    on: "plan",
    when: "true",
    message: "not today",
  };
  write("rule.yaml", JSON.stringify(rule));
  expect(await evenkeel("plan", "--fail-on-guard")).toMatchObject({
    code: 3,
    stderr: "error: blocked by --fail-on-guard: a rule would block an apply of this plan. No option waives a rule.\n",
  });
});

test("a guard that was waived does not read as a refusal, in text, report or saved plan", async () => {
  const { evenkeel, read } = await fleet([12], [1], {});
  await evenkeel("plan", "--out", "plan.json");
  const waive = ["--allow-deletes", "11", "--report", "json=done.json", "--report", "markdown=done.md"];
  for (const args of [
    ["apply", "--dry-run"],
    ["apply", "plan.json"],
  ]) {
    const { stdout, code } = await evenkeel(...args, ...waive);
    expect(code).toBe(0);
    for (const text of [stdout, read("done.md")]) {
      expect(text).toContain("Waived for this run");
      expect(text).not.toContain("would refuse");
    }
    expect(JSON.parse(read("done.json")).objections).toMatchObject([{ guard: "delete-percent", waived: true }]);
  }
});

test("a guard's refusal outweighs a project that could not be read", async () => {
  const { evenkeel } = await scene({
    projects: [
      { path: "p", licenses: licenses(12) },
      { path: "q", access: "none" },
    ],
    policies: {
      "policy-p": { projects: ["p"], ...keeping(0) },
      "policy-q": { projects: ["q"], licenses: { MIT: "allowed" } },
    },
  });
  expect((await evenkeel("plan")).code).toBe(1);
  const refused = await evenkeel("apply", "--yes");
  expect(refused).toMatchObject({ code: 3, writes: 0 });
  expect(refused.stderr).toContain("403");
});
