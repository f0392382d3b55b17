import { describe, expect, test } from "vitest";
import { scene } from "./workspace.ts";

const names = Array.from({ length: 8 }, (_, index) => `g/p${index}`);
const policy = { projects: names, licenses: { MIT: "allowed" } };
const projects = names.map((path, index) => ({ id: index + 1, path, licenses: { MIT: "denied" } }));

/** g/p5 fails once by its path and once by its ID, which a saved plan knows. */
const chaos = ["g%2Fp5", "6"].map((name) => ({
  ...{ method: "PATCH", match: `/projects/${name}/managed_licenses*`, status: 400, times: 1 },
}));

describe("apply --waves", () => {
  test("tells the waves before and after, what stopped where, and the command that goes on", async () => {
    const { evenkeel, read } = await scene({ projects, policy, chaos, workspace: { canary: ["g/p5"] } });
    const dry = await evenkeel("apply", "--dry-run", "--waves", "1,100%");
    expect([dry.code, dry.writes]).toEqual([0, 0]);
    expect(dry.stdout).toContain("Waves\n  wave 1 of 2: g/p5 (1 change)\n  wave 2 of 2: 7 projects (7 changes)\n");
    const failed = await evenkeel(
      ...[
        "apply",
        "--yes",
        "--waves",
        "1,100%",
        "--target",
        "g/*",
        "--report",
        "markdown=a.md",
        "--report",
        "html=a.html",
      ],
    );
    expect([failed.code, failed.writes]).toEqual([1, 1]);
    expect(failed.stdout.trimEnd().split("\n").slice(-11)).toEqual([
      expect.stringMatching(/^ {2}~ failed g\/p5:license\/MIT: PATCH .* answered 400/),
      "",
      "Waves",
      "  wave 1 of 2: g/p5 (1 change), stopped: g/p5:license/MIT failed",
      "  wave 2 of 2: 7 projects (7 changes), not started",
      "",
      "Next:",
      "  evenkeel plan --target 'g/*'            shows what is left to do",
      expect.stringMatching(/^ {2}evenkeel journal \S+ {2}shows what was sent and answered$/),
      "",
      "Apply: 0 applied, 1 failed, 7 skipped.",
    ]);
    expect(failed.stderr).toContain(
      "wave 1 of 2 ended the run: g/p5:license/MIT failed; 7 projects of later waves are untouched; " +
        "to go on: run this command again  (waves)\n",
    );
    expect(read("a.md")).toContain("- `wave 2 of 2: 7 projects (7 changes), not started`");
    expect(read("a.html")).toContain("not started");
    await evenkeel("plan", "--out", "plan.json");
    const again = await evenkeel("apply", "plan.json", "--waves", "2", "--allow-deletes", "3", "--report", "json");
    expect([again.code, again.writes]).toEqual([1, 2]);
    const { summary, resource_changes: changes, problems } = again.plan();
    expect(summary.waves).toEqual([
      { wave: 1, projects: 2, changes: 2, status: "stopped", reason: "g/p5:license/MIT failed" },
      { wave: 2, projects: 6, changes: 6, status: "not started" },
    ]);
    expect(changes.find(({ project }) => project === "g/p5")).toMatchObject({ wave: 1, outcome: { status: "failed" } });
    expect(problems[0]?.message).toContain("to go on: plan again, and apply that plan");
    const last = await evenkeel("apply", "--yes", "--waves", "50%");
    expect([last.code, last.writes]).toEqual([0, 7]);
    expect((await evenkeel("drift")).code).toBe(0);
    const runs = JSON.parse((await evenkeel("runs", "--report", "json")).stdout) as { run: string; command: string }[];
    const journals = await Promise.all(
      runs.filter(({ command }) => command === "apply").map(({ run }) => evenkeel("journal", run)),
    );
    expect(journals[0]?.stdout).toMatch(/ wave 1 of 2, 4 projects\n(.*\n){8,} .* wave 2 of 2, 3 projects\n/);
    expect(journals[1]?.stdout).toContain("wave 1 of 2, stopped: g/p5:license/MIT failed\n");
  });

  test.each([
    ["0%", "a wave of 0% contains no project"],
    ["5,3", "a wave of 3 does not go beyond the 5 before it"],
    ["some", '"some" is not a wave'],
  ])("%s is refused before anything is sent", async (list, words) => {
    const { evenkeel } = await scene({ projects, policy });
    const ran = await evenkeel("apply", "--yes", "--waves", list);
    expect([ran.code, ran.reads]).toEqual([64, 0]);
    expect(ran.stderr).toContain(words);
  });
});

test.each(["TEAM/b", "Team/B", 2, "Team/B*", "tEAM/?"])(
  "a canary is the project under each of its names: %s",
  async (canary) => {
    const named = [
      { id: 1, path: "a/a" },
      { id: 2, path: "Team/B" },
      { id: 3, path: "c/c" },
    ];
    for (const selector of ["**", "TEAM/B", 2]) {
      const body = { projects: [selector, "a/a", 3], licenses: { MIT: "allowed" } };
      const { evenkeel } = await scene({ projects: named, policy: body, workspace: { canary: [canary] } });
      const { code, stderr, plan } = await evenkeel("apply", "--yes", "--report", "json");
      const first = plan().resource_changes.filter(({ wave }) => wave === 1);
      expect([code, stderr, first.map(({ project }) => project.toLowerCase())]).toEqual([0, "", ["team/b"]]);
    }
  },
);

test("a wave of groups alone counts groups", async () => {
  const groups = ["a", "b", "c", "d"].map((path) => ({ path }));
  const { evenkeel } = await scene({
    seed: { groups },
    policy: { groups: ["a", "b", "c", "d"], labels: { bug: { color: "#cc0000" } } },
  });
  const { stdout } = await evenkeel("apply", "--dry-run", "--waves", "100%");
  expect(stdout).toContain("Waves\n  wave 1 of 1: 4 groups (4 changes)\n");
});
