import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { type Scene, scene } from "./workspace.ts";

const head = "apiVersion: evenkeel/v1\nkind: Policy\n";
const team = `${head}name: team
projects: [payments/api, payments/core]
vars:
  room: "#team"
integrations:
  irc-gateway:
    recipients: \${vars.room}
    push_events: true
licenses: { MIT: allowed }
`;
const own = `${head}name: api\nprojects: [payments/api]\npriority: 1\nvars: { room: "\${vars.place}", place: "#api" }\nlicenses: { MIT: denied }\n`;
const address = "payments/api:integration/irc-gateway";

/** Real git, without anything of this machine's own settings. */
function git({ root }: Scene, ...words: string[]): string {
  const person = { GIT_AUTHOR_NAME: "Eve \u001b[31m\u202e|", GIT_COMMITTER_NAME: "c", EMAIL: "e@example.com" };
  const dates = { GIT_AUTHOR_DATE: "2026-02-03T04:05:06+05:30", GIT_COMMITTER_DATE: "2026-02-03T04:05:06Z" };
  const env = { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: "1", ...person, ...dates };
  const { status, stdout, stderr } = spawnSync("git", words, { cwd: root, encoding: "utf8", env });
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.trim();
}

async function made(): Promise<Scene> {
  const stage = await scene({ projects: [{ path: "payments/api" }, { path: "payments/core" }] });
  stage.write("team.yaml", team);
  stage.write("own.yaml", own);
  return stage;
}

const blamed = async (stage: Scene, what = address) =>
  JSON.parse((await stage.evenkeel("blame", what, "--report", "json")).stdout);

test("each line that has a say is told with its commit, and the run that applied it, without a token", async () => {
  const stage = await made();
  git(stage, "init", "--quiet");
  git(stage, "add", "team.yaml", "own.yaml");
  git(stage, "commit", "--quiet", "-m", "Rooms for \u001b[31mteams");
  const sha = git(stage, "rev-parse", "HEAD");
  expect((await stage.evenkeel("apply", "--yes")).code).toBe(0);
  stage.write("team.yaml", team.replace("push_events: true", "push_events: false"));

  const shown = await stage.evenkeelWith({ EVENKEEL_TOKEN: undefined }, "blame", address);
  expect(shown).toMatchObject({ code: 0, stderr: "", reads: 0 });
  for (const hidden of ["\u001b", "\u202e"]) expect(shown.stdout).not.toContain(hidden);
  const report = await blamed(stage);
  const commit = { sha, date: "2026-02-03T04:05:06+05:30", subject: "Rooms for \u001b[31mteams", shallow: false };
  expect(report.decides).toMatchObject({ file: "team.yaml", line: 8, column: 3, policy: "team", commit });
  expect(
    report.lines.map(({ what, file, line, committed }: Record<string, unknown>) => [what, file, line, committed]),
  ).toEqual([
    ["irc-gateway", "team.yaml", 8, true],
    ["recipients", "team.yaml", 9, true],
    ["push_events", "team.yaml", 10, false],
    ["vars.room", "own.yaml", 6, true],
    ["vars.place", "own.yaml", 6, true],
  ]);
  expect(report).toMatchObject({ git: null, tried_since: [], last_applied: { status: "applied", commit: sha } });
  expect(await blamed(stage, "Payments/API:license/mit")).toMatchObject({
    key: "MIT",
    decides: { file: "own.yaml" },
    lines: [{ role: "entry" }, { role: "overridden", file: "team.yaml", policy: "team" }],
    last_applied: { status: "applied" },
  });
});

test("what a clone cannot know, what git does not know, and no git at all are said", async () => {
  const stage = await made();
  expect(await stage.evenkeel("blame", address)).toMatchObject({
    code: 64,
    stderr: "error: blame names no commits: not under git\n",
    stdout: expect.stringContaining("team.yaml:8:3"),
  });
  git(stage, "init", "--quiet");
  expect((await blamed(stage)).decides).toMatchObject({ committed: false, commit: null });
  git(stage, "add", "team.yaml");
  git(stage, "commit", "--quiet", "-m", "first");
  git(stage, "commit", "--quiet", "--allow-empty", "-m", "second");
  stage.write("own.yaml", "");
  git(stage, "clone", "--quiet", "--depth", "1", `file://${stage.root}`, "clone");
  stage.write("clone/evenkeel.yaml", stage.read("evenkeel.yaml"));
  const { stdout } = await stage.evenkeel("blame", "-C", "clone", address);
  expect(stdout).toContain("or earlier (shallow clone)");
});

test("an address that means nothing is refused with the nearest, and one that exclusive decides has that line", async () => {
  const stage = await made();
  const misspelt = await stage.evenkeel("blame", "payments/api:integration/irc-gatewya");
  expect(misspelt).toMatchObject({ code: 1, reads: 0, stderr: expect.stringContaining(`did you mean ${address}?`) });
  for (const bad of ["payments/api", "payments/api:irc-gateway", ":license/MIT", "a:b/c"]) {
    expect((await stage.evenkeel("blame", bad)).code).toBe(64);
  }
  stage.write("own.yaml", `${head}name: api\nprojects: [payments/api]\nexclusive: [licenses]\n`);
  expect((await blamed(stage, "payments/api:license/WTFPL")).decides).toMatchObject({ file: "own.yaml", line: 5 });
});

test("blame runs no pager, monitor, alias or differ", async () => {
  const stage = await made();
  git(stage, "init", "--quiet");
  stage.write("run.sh", 'touch "$(dirname "$0")/ran"; cat "$@"\n');
  stage.write(".gitattributes", "*.yaml diff=own\n");
  git(stage, "add", "team.yaml", "own.yaml", ".gitattributes");
  git(stage, "commit", "--quiet", "-m", "work");
  const program = `sh '${stage.root}/run.sh'`;
  for (const name of ["diff.own.textconv", "diff.external", "core.fsmonitor", "core.pager", "alias.blame"])
    git(stage, "config", name, program);
  const { lines } = await blamed(stage);
  expect(lines.map(({ committed }: { committed: boolean }) => committed)).not.toContain(false);
  expect(existsSync(`${stage.root}/ran`)).toBe(false);
});

test("a key may state the part that is left out by its default, and what is absent is said in the word of the manifest", async () => {
  const stage = await made();
  stage.write(
    "keys.yaml",
    `${head}name: keys\nprojects: [payments/api]\nvariables: { DEPLOY: { value: { secret: env:DEPLOY } } }\nabsent: { labels: [old] }\n`,
  );
  git(stage, "init", "--quiet");
  git(stage, "add", "-A");
  git(stage, "commit", "--quiet", "-m", "one");
  const whole = await blamed(stage, "payments/api:variable/DEPLOY@*");
  expect(whole).toEqual(await blamed(stage, "payments/api:variable/DEPLOY"));
  expect(whole.decides).toMatchObject({ file: "keys.yaml", line: 5 });
  const { stdout } = await stage.evenkeel("blame", "payments/api:label/old");
  expect(stdout).toContain("absent: old");
});
