import { chmodSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Finding } from "../../src/scan/scan.ts";
import { runProgram } from "../e2e/program.ts";
import { workspaceText } from "../e2e/workspace.ts";
import { folder } from "../support/folder.ts";

const ci = "types: [build]\nbuild:\n  type: build # soon\n  script: make\n";
const run = (root: string, ...args: readonly string[]) => runProgram(["deprecations", ...args], root);

async function found(root: string, ...args: readonly string[]) {
  const { code, stdout, stderr } = await run(root, "scan", ...args, "--report", "json");
  return { code, stderr, findings: JSON.parse(stdout) as Finding[] };
}

describe("deprecations", () => {
  it("lists the whole schedule without a workspace, and what a release or a day makes due", async () => {
    const { root } = folder();
    const [all, release, day] = await Promise.all([
      run(root, "--report", "json"),
      run(root, "--release", "14.5", "--report", "json"),
      run(root, "--as-of", "2021-12-22"),
    ]);
    expect(all).toMatchObject({ code: 0, stderr: "" });
    const rows: { id: string; due: boolean }[] = JSON.parse(all.stdout);
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.filter(({ due }) => due).map(({ id }) => id)).toEqual(["task-runner-pod", "task-runner-chart"]);
    expect(JSON.parse(release.stdout).map(({ id }: Finding) => id)).toEqual(["task-runner-pod", "task-runner-chart"]);
    expect(day.stdout).toContain("3 changes, 3 due by 2021-12-22.");
  });

  it("refuses what is no release and no day", async () => {
    const { root } = folder();
    const [release, day] = await Promise.all([run(root, "--release", "soon"), run(root, "--as-of", "2022-02-30")]);
    expect(release).toMatchObject({
      code: 64,
      stderr: 'error: --release takes a release such as 15.0, not "soon"\n',
    });
    expect(day).toMatchObject({
      code: 64,
      stderr:
        "error: option '--as-of <date>' argument '2022-02-30' is invalid: expected a date that exists, such as 2027-06-30\n",
    });
  });

  it("shows examples first", async () => {
    const { root } = folder();
    const [list, scan, bare] = await Promise.all([run(root, "-h"), run(root, "scan", "-h"), run(root, "scan")]);
    for (const { code, stdout } of [list, scan]) expect([code, stdout.split("\n")[0]]).toEqual([0, "Examples:"]);
    expect(scan.stdout).toContain("--fix");
    expect(bare.code).toBe(64);
  });
});

describe("deprecations scan", () => {
  it("warns before the removal and fails from it on, whatever the report", async () => {
    const { root } = folder({ ".gitlab-ci.yml": ci });
    const [now, later, text] = await Promise.all([
      found(root, "."),
      found(root, ".", "--release", "15.0"),
      run(root, "scan", "--release", "15.0", "."),
    ]);
    expect([now.code, later.code, text.code]).toEqual([0, 1, 1]);
    expect(now.findings.map(({ severity }) => severity)).toEqual(["warning", "warning"]);
    expect(later.findings[1]).toEqual({
      id: "ci-type",
      file: ".gitlab-ci.yml",
      line: 3,
      column: 3,
      severity: "error",
      message: "the keyword type in CI/CD configuration is removed (release 15.0); use stage",
    });
    expect(text.stdout.split("\n")[0]).toBe(
      ".gitlab-ci.yml:1:1  error  the keyword types in CI/CD configuration is removed (release 15.0); use stages  (ci-types)",
    );
  });

  it("holds uses against the release of the workspace around it", async () => {
    const { root } = folder({ "evenkeel.yaml": workspaceText({ release: "15.0.1" }), "a/b/ci.yml": ci });
    expect(await found(join(root, "a/b"), "ci.yml")).toMatchObject({ code: 1, findings: [{}, {}] });
    expect((await found(join(root, "a"), "b", "--release", "14.10")).code).toBe(0);
  });

  it("agrees with validate on manifests", async () => {
    const policy =
      "apiVersion: evenkeel/v1\nkind: Policy\nname: p\nprojects: [a/b]\nlicenses: { MIT: approved }\nintegrations:\n  chat-webhook-d:\n    webhook: { secret: env:HOOK }\n    notify_only_default_branch: true\n";
    const { root } = folder({ "evenkeel.yaml": workspaceText({}), "p.yaml": policy });
    const { findings } = await found(root, ".");
    const { stdout } = await runProgram(["validate", "--report", "json"], root);
    const { warnings }: { warnings: Finding[] } = JSON.parse(stdout);
    const placed = (each: readonly Finding[]) => each.map(({ line, column, message }) => ({ line, column, message }));
    expect(findings).toHaveLength(2);
    expect(placed(findings)).toEqual(placed(warnings));
  });

  it("leaves out node_modules, .git, links, binaries and what is too large", async () => {
    const { root, write } = folder({
      "node_modules/x/.gitlab-ci.yml": ci,
      ".git/ci.yml": ci,
      "binary-ci.yml": `${ci}#\0`,
      "large-ci.yml": `${ci}#${"x".repeat(4 * 1024 * 1024)}`,
      ".hidden/ci.yml": ci,
    });
    symlinkSync(join(root, ".hidden"), join(root, "link"));
    symlinkSync(join(root, ".hidden/ci.yml"), join(root, "link-ci.yml"));
    write("empty-ci.yml", "");
    const { findings } = await found(root, ".", ".hidden/ci.yml");
    expect(findings.map(({ file }) => file)).toEqual([".hidden/ci.yml", ".hidden/ci.yml"]);
  });

  it("names a path that is not there, and scans the others", async () => {
    const { root } = folder({ "ci.yml": ci });
    const { code, stderr, findings } = await found(root, "gone", "ci.yml");
    expect({ code, stderr, count: findings.length }).toEqual({
      code: 1,
      stderr: "error: gone: no such file or folder\n",
      count: 2,
    });
  });

  it("does not say that nothing was found where it could not look", async () => {
    const { root } = folder({ "ci.yml": "stages: [build]\n" });
    const [gone, looked] = await Promise.all([run(root, "scan", "nope"), run(root, "scan", "ci.yml")]);
    expect(gone).toMatchObject({ code: 1, stdout: "", stderr: "error: nope: no such file or folder\n" });
    expect(looked).toMatchObject({ code: 0, stdout: "No uses found.\n", stderr: "" });
  });

  it("rewrites in place, keeps comments, line ends, a byte order mark and the mode, and reports what is left", async () => {
    const promote = "#!/bin/sh\ngitlab-ctl promote-db # now\n";
    const { root, read } = folder({
      "ci.yml": `\uFEFF${ci.replaceAll("\n", "\r\n")}`,
      "failover.sh": promote,
      "mr.graphql": "{ mergeRequest { defaultMergeCommitMessageWithDescription } }\n",
    });
    chmodSync(join(root, "failover.sh"), 0o755);
    const { code, stderr, findings } = await found(root, ".", "--fix", "--release", "15.0");
    expect(read("ci.yml")).toBe("\uFEFFstages: [build]\r\nbuild:\r\n  stage: build # soon\r\n  script: make\r\n");
    expect(read("failover.sh")).toBe("#!/bin/sh\ngitlab-ctl promote # now\n");
    expect(statSync(join(root, "failover.sh")).mode & 0o777).toBe(0o755);
    expect(findings.map(({ id }) => id)).toEqual(["graphql-default-merge-commit-message"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "Rewrote 3 uses in 2 files.\n" });
  });

  it("says what it could not read, and nothing of templates of something else", async () => {
    const { root } = folder({ ".gitlab-ci.yml": "types: [a\n", "config.toml": "[[runners]\n", "a.yml": "{{ x\n" });
    expect(await found(root, ".")).toEqual({
      code: 0,
      findings: [],
      stderr:
        "warning: .gitlab-ci.yml is not YAML that can be read; not all of it was scanned\n" +
        "warning: config.toml is not TOML that can be read; not all of it was scanned\n",
    });
  });

  it("follows includes, and tells hints from what ends the run", async () => {
    const { root } = folder({
      ".gitlab-ci.yml": "include: { local: /jobs/build.yml }\n",
      "jobs/build.yml": "build:\n  type: build\n  script: make\n",
      "other/build.yml": "build:\n  type: build\n  script: make\n",
      "services.sh": 'curl "$CI_API_V4_URL/projects/1/services"\n',
    });
    const { findings } = await found(root, ".", "--release", "15.0");
    expect(findings.map(({ file, severity }) => `${file} ${severity}`)).toEqual([
      "jobs/build.yml error",
      "services.sh hint",
    ]);
    const fixed = await found(root, "services.sh", "--release", "15.0", "--fix");
    expect(fixed).toMatchObject({ code: 0, stderr: "", findings: [{ id: "services-path", severity: "hint" }] });
  });

  it("rewrites all of a command or none, and says what it left", async () => {
    const whole = "kubectl exec deployment/gitlab-task-runner -c task-runner -- backup-utility\n";
    const half = "kubectl exec deploy/gitlab-task-runner -- tar xf /tmp/my-task-runner.tar\n";
    const { root, read } = folder({ "whole.sh": whole, "half.sh": half });
    const { code, stdout, stderr } = await run(root, "scan", ".", "--fix", "--release", "14.5");
    expect(read("whole.sh")).toBe("kubectl exec deployment/gitlab-toolbox -c toolbox -- backup-utility\n");
    expect(read("half.sh")).toBe(half);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "Rewrote 2 uses in 1 file.\n" });
    expect(stdout).toContain("half.sh:1:28  error");
  });

  it("touches nothing without --fix", async () => {
    const files = { "ci.yml": ci, "a.sh": "gitlab-ctl promote-db\n" };
    const { root, files: now } = folder(files);
    await found(root, ".");
    expect(now()).toEqual(files);
  });
});
