import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scene } from "../e2e/workspace.ts";
import { tempFolder } from "../support/folder.ts";
import { changes, objections, outcomes, runs, warnings } from "./runs.ts";

const rule = (name: string, body: object) =>
  `apiVersion: evenkeel/v1\nkind: Rule\nname: ${name}\n${Object.entries({ message: "no", ...body })
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join("")}`;

const noMit = rule("no-mit", { when: 'change.key == "MIT"', message: "MIT is not for us" });
const setting = {
  projects: [{ id: 7, path: "p" }],
  policy: { projects: ["p"], licenses: { MIT: "allowed", BSD: "allowed" } },
};

/** A folder outside any workspace, for EVENKEEL_RULES. */
function outside(files: Readonly<Record<string, string>>): string {
  const folder = tempFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

describe("a rule of severity error", () => {
  test("is shown by plan, which keeps its code, and refuses an apply: 3, nothing written, and what to do", async () => {
    const { evenkeel, write } = await scene(setting);
    write("rules/mit.yaml", noMit);
    const said = "rule no-mit: MIT is not for us (rules/mit.yaml:5): p:license/MIT";
    const planned = await evenkeel("plan", "--detailed-exitcode", "--out", "plan.json");
    expect(planned.code).toBe(2);
    expect(planned.stdout).toContain(`! ${said}`);
    expect((await evenkeel("plan", "--report", "json")).plan().objections).toEqual([
      { guard: "rule", name: "no-mit", message: said, addresses: ["p:license/MIT"] },
    ]);
    for (const args of [
      ["apply", "--yes"],
      ["apply", "plan.json"],
      ["apply", "--dry-run"],
    ]) {
      const refused = await evenkeel(...args);
      expect([args, refused.code, refused.writes]).toEqual([args, 3, 0]);
      expect(refused.stdout).toContain(said);
    }
    expect((await evenkeel("apply", "--yes", "--allow-deletes", "9")).stderr).toBe(
      "error: blocked by a rule; nothing was written. No option waives a rule: change what it objects to, or list the address under its except.\n",
    );
    write("rules/mit.yaml", noMit.replace(/$/, 'except: ["7:license/mit"]\n'));
    expect(await evenkeel("apply", "--yes")).toMatchObject({ code: 0, writes: 2 });
  });
});

test("a rule of severity warning warns where the change stands, and lets it pass", async () => {
  const { evenkeel, write } = await scene(setting);
  write("rules/mit.yaml", noMit.replace("when", "severity: warning\nwhen"));
  const { code, writes, stderr } = await evenkeel("apply", "--yes");
  expect({ code, writes }).toEqual({ code: 0, writes: 2 });
  expect(stderr).toContain("warning: all.yaml:5:12  rule no-mit: MIT is not for us");
  expect(stderr).toContain("(rule/no-mit)\n");
});

describe("a saved plan", () => {
  test("is judged by the rules as they are then, also by those that came after it", async () => {
    const run = await runs(setting);
    const rules = outside({ "later.yaml": noMit });
    run.write("plan.json", JSON.stringify((await run.plan()).plan));
    const env = { EVENKEEL_TOKEN: "token-CANARY-of-the-workspace", EVENKEEL_RULES: rules };
    const applied = await run.apply({ saved: `${run.root}/plan.json`, env });
    expect(applied.refused?.map(({ guard }) => guard)).toEqual(["rule"]);
    expect(objections(applied)).toEqual([`rule no-mit: MIT is not for us (${rules}/later.yaml:5): p:license/MIT`]);
    expect(run.server.requests.writes).toBe(0);
  });
});

describe("EVENKEEL_RULES", () => {
  test("adds rules that one of the same name in the workspace does not replace", async () => {
    const { evenkeelWith, write } = await scene(setting);
    write("mine.yaml", rule("no-mit", { when: "false" }));
    const rules = outside({ "deep/er/a.yml": noMit, ".hidden.yaml": "no: rule", "notes.md": "not yaml" });
    const { code, stderr, stdout } = await evenkeelWith({ EVENKEEL_RULES: rules }, "apply", "--yes");
    expect(code).toBe(3);
    expect(stdout).toContain(`rule no-mit: MIT is not for us (${rules}/deep/er/a.yml:5): p:license/MIT`);
    expect(stderr).toContain(
      `warning: mine.yaml:3:7  name  a rule named no-mit is also defined outside the workspace, at ${rules}/deep/er/a.yml:3; both hold  (duplicate-rule)\n`,
    );
  });

  test("that cannot be had end the run before any request, and validate", async () => {
    const { evenkeelWith } = await scene(setting);
    const policy = "apiVersion: evenkeel/v1\nkind: Policy\nname: x\nprojects: [p]\n";
    const folders = [
      ["/nowhere/rules", /^\/nowhere\/rules:1:1 {2}EVENKEEL_RULES cannot be read: .*\(rules-folder\)\n/],
      ["", /EVENKEEL_RULES is empty; expected a folder with rules/],
      [outside({}), /no \.yaml or \.yml file there/],
      [outside({ "a.yaml": policy }), /a\.yaml:2:7 {2}kind {2}expected kind: Rule/],
      [
        outside({ "a.yaml": rule("x", { when: "chang" }) }),
        /a\.yaml:5:8 {2}when {2}unknown name chang; did you mean change\?/,
      ],
    ] as const;
    expect((await evenkeelWith({ EVENKEEL_RULES: "" }, "validate")).code).toBe(1);
    for (const [folder, message] of folders) {
      const ran = await evenkeelWith({ EVENKEEL_RULES: folder }, "plan");
      expect([folder, ran.code, ran.reads]).toEqual([folder, 1, 0]);
      expect(ran.stderr).toMatch(message);
    }
  });
});

describe("a policy with until", () => {
  const two = {
    projects: [{ path: "p", licenses: { MIT: "allowed", WTFPL: "allowed", Zlib: "allowed" } }, { path: "q" }],
    policies: {
      base: { projects: ["*"], licenses: { MIT: "denied" }, exclusive: ["licenses"] },
      trial: { until: "2027-06-30", projects: ["p"], licenses: { MIT: "allowed", WTFPL: "allowed", Zlib: "allowed" } },
    },
  };

  test("counts through that day; after it, what follows gives it as the reason", async () => {
    const run = await runs(two);
    const last = await run.plan({ today: "2027-06-30" });
    expect(changes(last)).toEqual(["create q:license/MIT"]);
    const after = await run.plan({ today: "2027-07-01" });
    expect(after.plan.resource_changes.map(({ address, action_reason }) => `${address} ${action_reason}`)).toEqual([
      "p:license/MIT expired: trial.yaml:4, tightened",
      "p:license/WTFPL expired: trial.yaml:4, tightened",
      "p:license/Zlib expired: trial.yaml:4, tightened",
      "q:license/MIT not on the server, tightened",
    ]);
    expect(warnings(after)).toContain(
      "policy trial expired and no longer counts: its last day was 2027-06-30; extend until, or remove it",
    );
  });

  test("is warned of from two weeks before, by validate, as of any day", async () => {
    const { evenkeel } = await scene(two);
    const said = async (day: string) => (await evenkeel("validate", "--as-of", day)).stderr;
    expect(await said("2027-06-15")).toBe("");
    expect(await said("2027-06-16")).toMatch(
      /^warning: trial\.yaml:4:1 {2}until {2}policy trial expires: 2027-06-30 is the last day/,
    );
    expect(await said("2027-07-01")).toMatch(
      /^warning: trial\.yaml:4:1 {2}until {2}policy trial expired and no longer counts/,
    );
    const bad = await evenkeel("validate", "--as-of", "2027-02-30");
    expect(bad).toMatchObject({ code: 64, stderr: expect.stringMatching(/^[^\n]*2027-02-30[^\n]*\n$/) });
  });

  test("that a var comes from is the reason, too", async () => {
    const wiki = { "external-wiki": { external_wiki_url: "https://$" + "{vars.host}/x" } };
    const run = await runs({
      projects: [{ path: "p", integrations: { "external-wiki": { external_wiki_url: "https://new/x" } } }],
      policies: {
        base: { projects: ["*"], vars: { host: "old" }, integrations: wiki },
        trial: { until: "2027-06-30", projects: ["p"], vars: { host: "new" } },
      },
    });
    expect(changes(await run.plan({ today: "2027-06-30" }))).toEqual([]);
    const { plan } = await run.plan({ today: "2027-07-01" });
    expect(plan.resource_changes.map(({ action_reason }) => action_reason)).toEqual(["expired: trial.yaml:4"]);
  });

  test("that alone selected a project leaves it as it is, and that is said", async () => {
    const only = { until: "2027-06-30", projects: ["p"], licenses: { MIT: "allowed" }, exclusive: ["licenses"] };
    const { evenkeel } = await scene({ projects: [{ path: "p", licenses: { X: "denied" } }], policies: { only } });
    const { code, stderr, requests, plan } = await evenkeel("plan", "--as-of", "2027-07-01", "--report", "json");
    expect({ code, requests, changes: plan().resource_changes }).toEqual({ code: 0, requests: [], changes: [] });
    expect(stderr).toContain("since policy only expired, no policy selects p; what it declared stays on the server");
    const shown = await evenkeel("show", "p", "--as-of", "2027-07-01");
    expect(shown).toMatchObject({ code: 1, stdout: "" });
    expect(shown.stderr).toContain("no policy selects p any more: the last day of only was 2027-06-30\n");
    expect((await evenkeel("show", "p", "--as-of", "2027-06-30")).stdout).toContain("MIT: allowed");
  });

  test("that expires between plan and apply makes the saved plan stale, not wrong", async () => {
    const run = await runs(two);
    run.write("plan.json", JSON.stringify((await run.plan({ today: "2027-06-30" })).plan));
    const saved = `${run.root}/plan.json`;
    const late = await run.apply({ saved, today: "2027-07-01" });
    expect([late.stale, late.outcomes]).toEqual([true, undefined]);
    expect(run.server.requests.writes).toBe(0);
    expect(outcomes(await run.apply({ saved, today: "2027-06-30" }))).toEqual(["applied q:license/MIT"]);
  });

  test("another day is for looking: apply writes as of today", async () => {
    const { evenkeel } = await scene(two);
    const writing = await evenkeel("apply", "--yes", "--as-of", "2027-07-01");
    expect(writing).toMatchObject({ code: 64, reads: 0, stderr: expect.stringContaining("only with --dry-run") });
    const dry = await evenkeel("apply", "--dry-run", "--as-of", "2027-07-01");
    expect([dry.code, dry.writes, dry.stdout.includes("expired: trial.yaml:4")]).toEqual([0, 0, true]);
    expect(dry.stderr).toContain("warning: this is as of 2027-07-01, not of today  (as-of)\n");
    expect((await evenkeel("drift", "--as-of", "2027-07-01")).code).toBe(2);
  });
});

test("merge asks the rules again, of the whole: what no shard shows, all of them together may", async () => {
  const paths = ["a", "b", "c", "d"];
  const { evenkeel, evenkeelWith, write } = await scene({
    projects: paths.map((path) => ({ path })),
    policy: { projects: paths, licenses: { MIT: "denied" } },
  });
  write("rules/few.yaml", rule("few", { on: "plan", when: "plan.summary.changed_projects > 3" }));
  for (const shard of ["1/2", "2/2"]) {
    const { code, plan } = await evenkeel("plan", "--shard", shard, "--out", `${shard[0]}.json`, "--report", "json");
    expect([code, plan().objections]).toEqual([0, []]);
  }
  const merged = await evenkeel("merge", "1.json", "2.json", "--out", "whole.json", "--report", "json");
  expect(merged.plan().objections.map(({ message }) => message)).toEqual(["rule few: no (rules/few.yaml:6)"]);
  expect(await evenkeel("apply", "whole.json")).toMatchObject({ code: 3, writes: 0 });
  const lost = await evenkeelWith({ EVENKEEL_RULES: "/nowhere" }, "merge", "1.json", "2.json");
  expect([lost.code, lost.stderr.includes("EVENKEEL_RULES cannot be read")]).toEqual([1, true]);
});
