import { expect, test } from "vitest";
import { foldRuns } from "../../src/console/runs-page.ts";
import { recordRun } from "../../src/state/run-summary.ts";
import { summary } from "../state/laws.ts";
import { planned, planWith } from "../support/plans.ts";
import { consoleOver, drifted, seen, seenBy } from "./serving.ts";

test("a difference has the commands that resolve it, what is live before what is declared, and who applied it last", async () => {
  const pending = { ...drifted("web/b", "#old"), cause: "pending" as const };
  const { root, state } = await seenBy([seen("web/a", [drifted("web/a", "#war-room")]), seen("web/b", [pending])]);
  const touched = { "web/a": { "integration/irc-gateway": "~a" } };
  await recordRun(state, summary("r-1", { command: "apply", outcome: "applied", who: "grace", touched }));
  const { get } = await consoleOver(root);
  const page = await (await get("/projects/web/a")).text();
  const commands = [...page.matchAll(/<code class="command">(.*?)<\/code>/g)].map(([, line]) => line);
  expect(commands).toEqual([
    "evenkeel apply --target web/a:integration/irc-gateway",
    "evenkeel accept web/a:integration/irc-gateway",
  ]);
  expect(page).toContain("<th>Field</th><th>Live</th><th>Declared</th>");
  expect(page).toMatch(/Last applied by grace, <a href="\/runs\/r-1">/);
  const other = await (await get("/projects/web/b")).text();
  expect(other).toContain("evenkeel apply --target web/b:integration/irc-gateway");
  expect(other).not.toContain("evenkeel accept");
});

test("checks that saw the same are one row, and a saved plan and its apply; what differs is not", () => {
  const fleet = { "in sync": 9, pending: 0, drifted: 0, unreadable: 0 };
  const check = (run: string, more = {}) => summary(run, { command: "watch", outcome: "in sync", fleet, ...more });
  const runs = [
    check("7"),
    check("6"),
    check("5"),
    summary("4", { command: "apply", outcome: "applied", plan: "2b" }),
    summary("3", { command: "apply", outcome: "applied" }),
    summary("2b", { command: "plan", outcome: "pending" }),
    check("2", { outcome: "drift", changes: 1 }),
    check("1"),
  ];
  const rows = foldRuns(runs).map(({ run, planned, earlier }) => [run, planned, ...earlier].map((each) => each?.run));
  expect(rows).toEqual([
    ["7", undefined, "6", "5"],
    ["4", "2b"],
    ["3", undefined],
    ["2", undefined],
    ["1", undefined],
  ]);
});

test("a run groups equal changes, failures first; a saved plan has a way back and its command", async () => {
  const { root, state } = await seenBy([seen("web/a")]);
  const touched = {
    "web/a": { "license/MIT": "~a" },
    "web/b": { "license/MIT": "~a" },
    "web/c": { "license/MIT": "~f" },
  };
  await recordRun(
    state,
    summary("r-1", { command: "apply", outcome: "failed", reasons: ["web/c: 403 Forbidden"], touched }),
  );
  await recordRun(state, summary("r-2", { command: "plan", outcome: "pending" }));
  const changes = ["web/a", "web/b"].map((name) => planned(name, "irc-gateway", "update"));
  await state.put("plans", [["r-2", JSON.stringify(planWith({ changes }))]]);
  const { get } = await consoleOver(root);
  const page = await (await get("/runs/r-1")).text();
  expect(page).toContain('<p class="notice bad">web/c: 403 Forbidden</p>');
  expect([...page.matchAll(/<span class="(?:soft|error)">update, (\w+)</g)].map(([, word]) => word)).toEqual([
    "failed",
    "applied",
  ]);
  expect(page).toContain("<summary>2 projects</summary>");
  expect(await (await get("/runs")).text()).toContain("web/c: 403 Forbidden");
  expect(await (await get("/runs/r-2")).text()).toContain("2 projects");
  const report = await (await get("/runs/r-2/plan")).text();
  expect(report).toContain('<a href="/runs/r-2">r-2</a>');
  expect(report).toContain("evenkeel apply --plan r-2");
  const review = await (await get("/review")).text();
  expect(review).toContain("<summary>2 changes</summary>");
  expect(review).toContain('<a href="/projects/web/a">web/a</a>');
});
