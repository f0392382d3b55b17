import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commitOf } from "../../src/git/repository.ts";
import { runProgram } from "../e2e/program.ts";
import { folder } from "../support/folder.ts";

const commit = "0123456789abcdef0123456789abcdef01234567";
const pipelines = (top: string, sha = commit) => [
  { CI_COMMIT_SHA: sha, CI_PROJECT_DIR: top },
  { GITHUB_SHA: sha, GITHUB_WORKSPACE: top },
];

test("the commit is git's, and the pipeline's where git cannot tell", async () => {
  const { root } = folder({ "ops/evenkeel.yaml": "apiVersion: evenkeel/v1\nkind: Workspace\n", "other/.git/x": "" });
  for (const env of pipelines(root)) {
    expect(commitOf(join(root, "ops"), env)).toBe(commit);
    expect(commitOf(root, env)).toBe(commit);
  }
  const ran = await runProgram(["plan", "--report", "json"], join(root, "ops"), pipelines(root)[0]);
  expect(JSON.parse(ran.stdout).manifests.commit).toBe(commit);

  mkdirSync(join(root, "ops/.git"));
  for (const env of pipelines(join(root, "ops"))) expect(commitOf(join(root, "ops"), env)).toBe(commit);
  execFileSync("git", ["init", "--quiet"], { cwd: root });
  const author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  execFileSync("git", [...author, "commit", "--quiet", "--allow-empty", "--message", "x"], { cwd: root });
  const own = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
  for (const env of pipelines(root)) expect(commitOf(root, env)).toBe(own);
});

test("a pipeline is not asked for the commit of what it did not check out, nor believed if that is none", () => {
  const { root } = folder({ "checkout/x": "", "checkout/cloned/.git/x": "", "elsewhere/x": "" });
  const top = join(root, "checkout");
  for (const env of pipelines(top)) {
    expect(commitOf(join(top, "cloned"), env)).toBeNull();
    expect(commitOf(join(root, "elsewhere"), env)).toBeNull();
  }
  for (const env of pipelines(join(root, "gone"))) expect(commitOf(top, env)).toBeNull();
  for (const sha of ["", "main", `${commit}\n::error::x`]) {
    for (const env of pipelines(top, sha)) expect(commitOf(top, env)).toBeNull();
  }
});
