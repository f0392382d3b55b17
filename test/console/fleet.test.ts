import { describe, expect, test } from "vitest";
import { fleetDays } from "../../src/console/history.ts";
import type { Change } from "../../src/model/types.ts";
import type { RunSummary } from "../../src/state/run-summary.ts";
import { recordObservation } from "../../src/state/snapshots/record.ts";
import { summary } from "../state/laws.ts";
import { look } from "../state/observations.ts";
import { consoleOver, drifted, fleet, seen, seenBy } from "./serving.ts";

interface Cause {
  readonly id: string;
  readonly cause: string;
  readonly projects: number;
  readonly within: string;
  readonly differences: readonly string[];
  readonly commands: readonly string[];
}

async function causesOver(root: string) {
  const { get } = await consoleOver(root);
  const json = async (path: string) => (await get(path)).json();
  const { causes } = (await json("/fleet.json")) as { causes: readonly Cause[] };
  return { get, json, causes };
}

const pending = (project: string, value: string): Change => ({ ...drifted(project, value), cause: "pending" });

describe("causes", () => {
  test("are drift, what cannot be read and what waits, each once with its projects, its filter and its commands", async () => {
    const { changes: _, ...away } = seen("web/b");
    const projects = [
      ...["a", "b", "c"].map((name) => seen(`payments/${name}`, [drifted(`payments/${name}`, "#war-room")])),
      seen("payments/d", [drifted("payments/d", "#other")]),
      seen("web/a", [pending("web/a", "#old")]),
      { ...away, problems: ["403 Forbidden"] },
      seen("web/fine"),
    ];
    const { root } = await seenBy(projects);
    const { get, json, causes } = await causesOver(root);
    expect(causes).toMatchObject([
      { cause: "drift", projects: 3, within: "payments", differences: ["integration/irc-gateway"] },
      { cause: "drift", projects: 1, within: "payments/d" },
      { cause: "unreadable", projects: 1, within: "web/b", reason: "403 Forbidden", commands: [] },
      { cause: "pending", projects: 1, within: "web/a" },
    ]);
    expect(causes[0]?.commands).toEqual([
      "evenkeel apply --target 'payments/*:integration/irc-gateway'",
      "evenkeel accept 'payments/*:integration/irc-gateway'",
    ]);
    expect(causes[3]?.commands).toEqual(["evenkeel apply --target web/a:integration/irc-gateway"]);
    for (const { id, projects: count } of causes)
      expect(await json(`/fleet.json?cause=${id}`)).toMatchObject({ total: count });
    const page = await (await get("/")).text();
    expect(page).toContain("<code>#war-room</code>, declared <code>#general</code>");
    expect(page).toContain("evenkeel accept &#39;payments/*:integration/irc-gateway&#39;");
    const chosen = await (await get(`/?cause=${causes[0]?.id}`)).text();
    expect(chosen).toContain("3 projects with this cause");
  });

  test("of what cannot be read are apart by their reasons, though each names its own project", async () => {
    const unread = (project: string, why: string) => {
      const { changes: _, ...away } = seen(project);
      return { ...away, problems: [`GET /projects/${encodeURIComponent(project)}/integrations answered ${why}`] };
    };
    const reasons = ["403", "404", "500", "502", "a truncated answer"];
    const projects = reasons.flatMap((why) =>
      ["a", "b"].map((name) => unread(`team${why.length}${why[2]}/${name}`, why)),
    );
    const { root } = await seenBy([...projects, seen("web/fine")]);
    const { get, causes } = await causesOver(root);
    expect(causes.map(({ cause, projects: count }) => `${cause} ${count}`)).toEqual(reasons.map(() => "unreadable 2"));
    const page = await (await get("/")).text();
    for (const why of reasons) expect(page).toContain(`GET /projects/…/integrations answered ${why}`);
  });

  test("of values that are as many as projects are one, and a commit is one whatever it changes", async () => {
    const many = Array.from({ length: 1000 }, (_, index) => `g/p${index}`);
    const commit = ["h/a", "h/b"].map((name, index) => seen(name, [pending(name, `#${index}`)]));
    const { root, state } = await seenBy([
      ...many.map((name) => seen(name, [drifted(name, `#${name.slice(2)}`)])),
      seen("x/y"),
    ]);
    const at = new Date().toISOString();
    const head = {
      run: "z",
      at,
      whole: false,
      covers: () => false,
      cause: "pending" as const,
      hasLedger: true,
      commit: "c0ffee",
    };
    await recordObservation(state, look("z", commit, head));
    const { causes } = await causesOver(root);
    expect(causes.map(({ cause, projects }) => [cause, projects])).toEqual([
      ["drift", 1000],
      ["pending", 2],
    ]);
    expect(causes[1]?.commands).toEqual(["evenkeel apply --target 'h/*:integration/irc-gateway'"]);
  });

  test("a value that only the project's own path makes different is the same", async () => {
    const projects = ["g/a", "g/b"].map((name) => seen(name, [drifted(name, `#${name}-alerts`)]));
    const { root } = await seenBy(projects);
    const { causes } = await causesOver(root);
    expect(causes).toMatchObject([
      { projects: 2, before: { recipients: "#$${project.path}-alerts".replace("$$", "$") } },
    ]);
  });
});

test("the list is of what is out of sync, unless all are asked for", async () => {
  const { root } = await seenBy(fleet(30));
  const { get } = await consoleOver(root);
  const rows = async (path: string) => [
    ...(await (await get(path)).text()).matchAll(/<tr><th scope="row"><a href="\/projects/g),
  ];
  expect(await rows("/")).toHaveLength(3);
  expect(await rows("/?status=any")).toHaveLength(30);
  expect(await rows("/?q=project-2&status=any")).toHaveLength(11);
  expect(await (await get("/?q=project-2")).text()).toContain("Show all 11 projects");
});

test("a filter finds the projects whose difference comes from a policy; overrides lead to their policy", async () => {
  const { root, state } = await seenBy([]);
  const projects = [
    seen("a/one", [drifted("a/one")], "wide"),
    seen("a/two", [], "wide"),
    seen("b/one", [drifted("b/one")], "own"),
  ];
  const overrides = [{ policy: "wide", entry: "integration/irc-gateway", projects: 2, differ: 1 }];
  const at = new Date().toISOString();
  await recordObservation(state, { ...look("r", projects, { run: "r", at, whole: true }), overrides });
  const { get } = await consoleOver(root);
  const { projects: listed } = (await (await get("/fleet.json?from=wide")).json()) as {
    projects: readonly { project: string }[];
  };
  expect(listed.map(({ project }) => project)).toEqual(["a/one"]);
  expect(await (await get("/?policy=own")).text()).not.toContain("is overridden in");
  const page = await (await get("/")).text();
  expect(page).toContain('<a href="/?status=any&amp;from=own#list">own</a>');
  expect(page).toContain(
    ">wide: integration/irc-gateway is overridden in 2 projects; in 1 of them the live value differs from it</a>",
  );
});

test("a search counts what it found, also beyond what it lists", async () => {
  const { root } = await seenBy(fleet(40), 2);
  const { get } = await consoleOver(root);
  expect(await (await get("/search.json?q=project")).json()).toMatchObject({ counts: { projects: 40, runs: 0 } });
  const page = await (await get("/search?q=project")).text();
  expect(page).toContain('Projects <span class="soft">the first 30 of 40</span>');
  expect(page).toContain("group-1/<wbr>team-1/<wbr>project-1</a>");
});

describe("the history", () => {
  const now = Date.parse("2026-11-21T12:00:00.000Z");
  const counts = { "in sync": 1, pending: 0, drifted: 2, unreadable: 0 };
  const run = (ended: string, more: Partial<RunSummary> = {}) => summary(ended, { started: ended, ended, ...more });

  test("begins with the first run, has gaps where nothing was compared, and marks applies and runs that failed or were blocked", () => {
    const runs = [
      run("2026-11-21T08:00:00.000Z", { command: "drift", outcome: "failed" }),
      run("2026-11-20T08:00:00.000Z", { command: "apply", outcome: "refused" }),
      run("2026-11-19T09:00:00.000Z", { command: "apply", outcome: "applied", fleet: counts }),
      run("2026-11-19T08:00:00.000Z", { command: "drift", outcome: "drift", fleet: { ...counts, drifted: 9 } }),
    ];
    const days = fleetDays({ runs }, 4, now);
    expect(
      days.map(({ day, counts: of, applied, failed }) => [day, of?.drifted, applied.length, failed.length]),
    ).toEqual([
      ["2026-11-19", 2, 1, 0],
      ["2026-11-20", undefined, 0, 1],
      ["2026-11-21", undefined, 0, 1],
    ]);
  });
});
