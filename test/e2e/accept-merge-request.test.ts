import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { type Scene, scene } from "./workspace.ts";

function git({ root }: Scene, ...words: string[]): string {
  const person = ["AUTHOR", "COMMITTER"].flatMap((who) => [
    [`GIT_${who}_NAME`, "a"],
    [`GIT_${who}_EMAIL`, "a@b"],
  ]);
  const env = { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: "1", ...Object.fromEntries(person) };
  const { status, stdout, stderr } = spawnSync("git", words, { cwd: root, encoding: "utf8", env });
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.trim();
}

/** A committed workspace whose remote is a project of its server, where a label was changed. */
async function made(remote = (url: string) => `${url.replace("//", "//me:password-CANARY@")}/ops/policies.git`) {
  const run = await scene({
    site: { dialect: "gitlab" },
    dialect: "gitlab",
    projects: [
      { path: "ops/policies", default_branch: "trunk" },
      { path: "g/a", resources: { labels: [{ name: "bug", color: "#ff0000" }] } },
    ],
    policy: { projects: ["g/a"], labels: { bug: { color: "#00ff00" } } },
  });
  git(run, "init", "--quiet", "--initial-branch", "trunk");
  git(run, "add", "all.yaml", "evenkeel.yaml");
  git(run, "commit", "--quiet", "--message", "start");
  git(run, "remote", "add", "origin", remote(run.server.url));
  const project = "/projects/ops%2Fpolicies";
  const requests = async () => (await run.ask("GET", `${project}/merge_requests?state=opened`)).json;
  const file = async (branch: string) =>
    (await run.ask("GET", `${project}/repository/files/all.yaml/raw?ref=${branch}`)).text;
  const commits = async (branch: string) =>
    (await run.ask("GET", `${project}/repository/commits?ref_name=${branch}`)).json;
  return { ...run, requests, file, commits, head: git(run, "rev-parse", "HEAD") };
}

const address = "g/a:label/bug";

test("live values are proposed as a merge request, and a repetition updates it", async () => {
  const run = await made();
  const before = run.read("all.yaml");
  const first = await run.evenkeel("accept", address, "--merge-request", "--report", "json");
  expect(first).toMatchObject({ code: 0, stderr: "" });
  const { merge_request } = JSON.parse(first.stdout);
  expect(merge_request).toMatchObject({
    iid: 1,
    updated: false,
    branch: expect.stringMatching(/^evenkeel\/accept-[0-9a-f]{8}$/),
  });
  const [opened] = await run.requests();
  expect(opened).toMatchObject({
    title: `Accept the live value of ${address}`,
    target_branch: "trunk",
    web_url: merge_request.url,
  });
  expect(opened.description).toContain('- labels: {"bug":{"color":"#00ff00"}}');
  expect(await run.file(merge_request.branch)).toContain("#ff0000");
  expect(run.read("all.yaml")).toBe(before);
  await run.ask("PUT", "/projects/g%2Fa/labels/bug", { json: { color: "#0000ff" } });
  const second = await run.evenkeel("accept", address, "--merge-request");
  expect(second).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Updated ${merge_request.url} (branch evenkeel/accept-`),
  });
  expect(await run.requests()).toHaveLength(1);
  expect(await run.file(merge_request.branch)).toContain("#0000ff");
  expect(await run.commits(merge_request.branch)).toMatchObject([{ parent_ids: [run.head] }]);
});

test("on a branch with an open merge request of somebody else, a commit is added", async () => {
  const run = await made();
  const project = "/projects/ops%2Fpolicies";
  const actions = [{ action: "create", file_path: "b.yaml", content: "" }];
  await run.ask("POST", `${project}/repository/commits`, {
    json: { branch: "mine", start_branch: "trunk", commit_message: "m", actions },
  });
  const fields = { source_branch: "mine", target_branch: "trunk", title: "Mine" };
  await run.ask("POST", `${project}/merge_requests`, { json: fields });
  const { code, stdout } = await run.evenkeel("accept", address, "--merge-request", "--branch", "mine");
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("Updated ") });
  expect(await run.commits("mine")).toHaveLength(2);
});

test.each([
  [
    "another server",
    () => "https://me:password-CANARY@code.example.com/ops/policies.git",
    "the remote origin, https://code.example.com/ops/policies.git, is not a project of http://127.0.0.1:",
  ],
  ["another server by ssh", () => "git@code.example.com:ops/policies.git", "is not a project of"],
])("a remote on %s is refused", async (_, remote, message) => {
  const run = await made(remote);
  const { code, stderr, writes } = await run.evenkeel("accept", address, "--merge-request");
  expect({ code, writes, stderr }).toEqual({ code: 64, writes: 0, stderr: expect.stringContaining(message) });
  expect(stderr).not.toContain("CANARY");
});

test.each([
  [["--branch", "x"], 64, "--branch names the branch of a merge request; give --merge-request too"],
  [
    ["--merge-request", "--branch", "trunk"],
    1,
    "trunk is the default branch of ops/policies; name another branch with --branch",
  ],
  [["--merge-request", "--dry-run"], 0, ""],
])("%j writes nothing", async (options, code, message) => {
  const run = await made((url) => url);
  git(run, "remote", "set-url", "origin", `ssh://git@127.0.0.1:2222/ops/policies.git`);
  const ended = await run.evenkeel("accept", address, ...options);
  expect(ended).toMatchObject({ code, writes: 0, stderr: expect.stringContaining(message) });
});

test("uncommitted manifests are refused", async () => {
  const run = await made();
  run.write("all.yaml", `${run.read("all.yaml")}# more\n`);
  const { code, stderr } = await run.evenkeel("accept", address, "--merge-request");
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining("has uncommitted changes, which the merge request would lack"),
  });
});

test("a watcher opens a merge request for each group of equal drift, and closes it when the drift is gone", async () => {
  const run = await made();
  const watch = () => run.evenkeel("watch", "--merge-request", "--max-checks", "1", "--grace", "1");
  expect((await watch()).stderr).toMatch(/^opened http:.*\/ops\/policies\/-\/merge_requests\/1 for 1 resource$/m);
  expect(await run.requests()).toMatchObject([{ iid: 1, source_branch: expect.stringMatching(/^evenkeel\/drift-/) }]);
  expect((await watch()).writes).toBe(0);
  await run.ask("PUT", "/projects/g%2Fa/labels/bug", { json: { color: "#00ff00" } });
  expect((await watch()).stderr).toContain("its drift is gone");
  expect(await run.requests()).toEqual([]);
});
