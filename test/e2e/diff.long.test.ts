import { symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RevisionDocument } from "../../src/report/revision.ts";
import { repository } from "../revision/repository.ts";
import { folder } from "../support/folder.ts";
import { runProgram } from "./program.ts";
import { policyText, scene, workspaceText } from "./workspace.ts";

const wiki = (url: string, projects = ["p/one"]) =>
  policyText({ projects, integrations: { "external-wiki": { external_wiki_url: url } } });

/** A workspace in a folder of a repository, with one commit. */
function workspace(files: Readonly<Record<string, string>> = {}) {
  const made = folder({
    "ws/evenkeel.yaml": workspaceText({ url: "http://127.0.0.1:1" }),
    "ws/all.yaml": wiki("https://old"),
    ...files,
  });
  const { commit, git } = repository(made.root);
  const base = commit();
  const diff = (...words: string[]) => runProgram(["diff", ...words], join(made.root, "ws"));
  const document = async (...words: string[]): Promise<RevisionDocument> =>
    JSON.parse((await diff(...words, "--report", "json")).stdout);
  return { ...made, base, commit, git, diff, document };
}

test("diff compares the files as they are, or a later revision, with an earlier one", async () => {
  const { diff, document, write, base, commit } = workspace();
  expect(await diff("HEAD", "--detailed-exitcode")).toMatchObject({ code: 0, stderr: "" });
  write("ws/all.yaml", wiki("https://new"));
  const found = await document("HEAD");
  expect(found).toMatchObject({ base: { revision: base }, head: { revision: null } });
  expect(found.summary).toEqual({
    projects: 1,
    declare: 0,
    edit: 1,
    disable: 0,
    withdraw: 0,
    tightened: 0,
    loosened: 0,
  });
  expect(found.changes).toEqual([
    {
      address: "p/one:integration/external-wiki",
      project: "p/one",
      kind: "integration",
      key: "external-wiki",
      action: "edit",
      before: { external_wiki_url: "https://old" },
      after: { external_wiki_url: "https://new" },
      source: { file: "all.yaml", line: 5, column: 33 },
    },
  ]);
  expect((await diff("HEAD", "--detailed-exitcode")).code).toBe(2);
  const later = commit();
  const committed = await document("HEAD~1", "--to", "HEAD");
  expect(committed.changes).toEqual(found.changes);
  expect(committed.head).toEqual({ revision: later });
  expect((await diff("HEAD~1", "--to", "HEAD~1", "--detailed-exitcode")).code).toBe(0);
});

test("manifests of a revision are found as those on disk are", async () => {
  const files = {
    ".gitignore": "/ws/ignored-from-above\n",
    "ws/.gitignore": "ignored.yaml\n",
    "ws/nested/evenkeel.yaml": workspaceText({}),
    "ws/nested/p.yaml": "not: ours\n",
    "ws/.hidden/p.yaml": "not: ours\n",
    "ws/deep/a.yaml": policyText({ projects: ["p/two"], licenses: { MIT: "denied" } }, "two"),
    "shared/outside.yaml": "not: ours\n",
  };
  const made = workspace(files);
  symlinkSync("deep/a.yaml", join(made.root, "ws/link.yaml"));
  for (const name of ["ws/ignored.yaml", "ws/ignored-from-above/x.yaml"]) made.write(name, "not: ours\n");
  made.git("add", "-f", "-A");
  made.commit();
  const clean = await made.diff("HEAD", "--detailed-exitcode");
  expect([clean.code, clean.stderr]).toEqual([0, ""]);
  unlinkSync(join(made.root, "ws/link.yaml"));
  expect((await made.diff("HEAD", "--detailed-exitcode")).code).toBe(0);
  made.write("ws/evenkeel.yaml", `${workspaceText({ url: "http://127.0.0.1:1" })}manifests: ["deep/*.yaml"]\n`);
  const narrowed = await made.document("HEAD");
  expect(narrowed.changes.map(({ action, address }) => `${action} ${address}`)).toEqual([
    "withdraw p/one:integration/external-wiki",
  ]);
});

test("mistakes of either side are named with their revision, and nothing is compared", async () => {
  const { diff, document, write, commit } = workspace();
  write("ws/broken.yaml", "apiVersion: evenkeel/v1\nkind: Polcy\n");
  const base = commit();
  write("ws/broken.yaml", "apiVersion: evenkeel/v1\nkind: Policy\n");
  const { code, stdout, stderr } = await diff("HEAD");
  expect([code, stdout]).toEqual([1, ""]);
  const lines = stderr.trimEnd().split("\n");
  expect(lines[0]).toMatch(new RegExp(`^error: at ${base.slice(0, 12)}: broken.yaml:2:7 .*Policy`));
  expect(lines.slice(1).every((line) => line.startsWith("broken.yaml:1:1"))).toBe(true);
  const rule = { apiVersion: "evenkeel/v1", kind: "Rule", name: "odd", when: 'change.kye == "MIT"', message: "no" };
  write("ws/broken.yaml", JSON.stringify(rule));
  commit();
  const mended = JSON.stringify({ ...rule, when: 'change.key == "MIT"' });
  write("ws/broken.yaml", mended);
  expect(await diff("HEAD")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: at [0-9a-f]{12}: .*there is no kye/),
  });
  commit();
  write("ws/broken.yaml", "");
  expect((await diff("HEAD", "--detailed-exitcode")).code).toBe(2);
  expect((await document("HEAD")).notices).toEqual([
    expect.objectContaining({
      message: 'rule odd: "error" -> (unset): the rule is gone',
      file: "broken.yaml",
      line: 1,
    }),
  ]);
});

test("the list of projects is the one that the last plan kept, or a file's", async () => {
  const { evenkeel, root, policy, write } = await scene({
    projects: [{ path: "a/one" }, { path: "a/two" }],
    policy: { projects: ["a/*"], licenses: { MIT: "denied" } },
  });
  const { commit, git } = repository(root);
  const base = commit();
  policy({ projects: ["a/*"], licenses: { MIT: "allowed" } });
  const changes = async (...more: string[]) => {
    const { changes: found }: RevisionDocument = JSON.parse(
      (await evenkeel("diff", base, "--report", "json", ...more)).stdout,
    );
    return found.map(({ action, address, policy_effect }) => `${action} ${address} ${policy_effect}`);
  };
  expect(await changes()).toEqual(["edit a/*:license/MIT loosened"]);
  expect((await evenkeel("plan")).code).toBe(0);
  expect(git("status", "--porcelain")).toBe("M all.yaml");
  expect(await changes()).toEqual(["edit a/one:license/MIT loosened", "edit a/two:license/MIT loosened"]);
  write("evenkeel.yaml", workspaceText({ url: "https://elsewhere.example.com" }));
  commit();
  const moved = await evenkeel("diff", "HEAD~1", "--to", "HEAD");
  expect([moved.code, moved.reads]).toEqual([0, 0]);
  expect(moved.stdout).toContain("all requests go to another server");
  write("fleet.txt", "# ours\na/three\n\n");
  expect(await changes("--projects", "fleet.txt")).toEqual(["edit a/three:license/MIT loosened"]);
  write("fleet.txt", "a/three\n42\na/*\n");
  const wrong = await evenkeel("diff", "HEAD", "--projects", "fleet.txt");
  expect(wrong.code).toBe(1);
  expect(wrong.stderr.match(/^fleet\.txt:\d:1/gm)).toEqual(["fleet.txt:2:1", "fleet.txt:3:1"]);
});

test("without a revision it is where the branch left the remote's default branch", async () => {
  const { root, base, commit, git, write, diff, document } = workspace();
  expect(await diff()).toMatchObject({ code: 64, stdout: "" });
  git("clone", "-q", "--bare", root, join(root, "../origin.git"));
  git("remote", "add", "origin", join(root, "../origin.git"));
  git("fetch", "-q", "origin");
  git("checkout", "-q", "-b", "work");
  write("ws/all.yaml", wiki("https://new"));
  commit();
  expect((await document()).base).toEqual({ revision: base });
  expect((await document()).summary.edit).toBe(1);
  git("update-ref", "-d", "refs/remotes/origin/main");
  git("update-ref", "refs/remotes/origin/trunk", base);
  const trunk = await runProgram(["diff", "--report", "json"], join(root, "ws"), { CI_DEFAULT_BRANCH: "trunk" });
  expect(JSON.parse(trunk.stdout)).toMatchObject({ base: { revision: base }, summary: { edit: 1 } });
});

test("a shallow clone names the fetch that brings what is missing, and that brings it", async () => {
  const origin = workspace();
  origin.git("checkout", "-q", "-b", "work");
  origin.write("ws/all.yaml", wiki("https://new"));
  origin.commit();
  const clone = folder();
  const { git } = repository(clone.root);
  git("remote", "add", "origin", `file://${origin.root}`);
  git("fetch", "-q", "--depth=1", "origin", "work");
  git("checkout", "-q", "FETCH_HEAD");
  const diff = () => runProgram(["diff", "--detailed-exitcode"], join(clone.root, "ws"));
  const { code, stderr } = await diff();
  const [, fetch = ""] = /(git fetch .*?) brings it/.exec(stderr) ?? [];
  expect([code, fetch]).toEqual([64, "git fetch --unshallow origin '+refs/heads/main:refs/remotes/origin/main'"]);
  git(...fetch.replaceAll("'", "").split(" ").slice(1));
  expect(await diff()).toMatchObject({ code: 2, stderr: "" });
});

test("outside a repository, without git, and for what is no revision: one sentence each", async () => {
  const bare = folder({ "evenkeel.yaml": workspaceText({}) });
  const outside = await runProgram(["diff"], bare.root);
  expect(outside).toMatchObject({ code: 64, stdout: "" });
  expect(outside.stderr).toMatch(/is not in a git repository/);
  const { diff } = workspace();
  for (const revision of ["nowhere", "--output=x", "HEAD:ws"]) {
    const { code, stderr } = await diff("--", revision);
    expect([code, stderr]).toEqual([64, `error: git finds no commit "${revision}" here\n`]);
  }
});

test.each([":(top)x", "a*b", "two\nlines"])("a workspace in a folder named %j is found at a revision", async (name) => {
  const { root, write, commit } = workspace({
    [`${name}/evenkeel.yaml`]: workspaceText({ url: "http://127.0.0.1:1" }),
  });
  write(`${name}/all.yaml`, wiki("https://old"));
  commit();
  write(`${name}/all.yaml`, wiki("https://new"));
  const { stdout } = await runProgram(["diff", "HEAD", "--report", "json"], join(root, name));
  expect(JSON.parse(stdout).summary).toMatchObject({ edit: 1, declare: 0 });
});

test("a revision is what was committed, whatever refs/replace puts in its place", async () => {
  const { document, write, commit, base, git } = workspace();
  write("ws/all.yaml", wiki("https://new"));
  git("replace", base, commit());
  expect((await document(base)).summary.edit).toBe(1);
});

test("a revision may be named by words of its message, and not by what git leaves out", async () => {
  const { diff, base, document } = workspace();
  expect((await document(":/work")).base.revision).toBe(base);
  expect(await diff("^HEAD")).toMatchObject({ code: 64, stderr: expect.stringContaining('no commit "^HEAD"') });
});

test("warns that files of a submodule are not read at a revision", async () => {
  const policies = folder({
    "p.yaml": policyText({ projects: ["p/two"], licenses: { MIT: "allowed" } }, "shared"),
  });
  const { commit: commitPolicies } = repository(policies.root);
  commitPolicies();
  const { diff, commit, git } = workspace();
  git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", policies.root, "ws/shared");
  commit();
  const { code, stderr } = await diff("HEAD");
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^warning: at \w{12}: shared:1:1 {2}files of a submodule are not read at a revision, so its/),
  ]);
});
