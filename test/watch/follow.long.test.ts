import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createFollower } from "../../src/git/fast-forward.ts";
import { folderState } from "../../src/state/folder-store.ts";
import { listRuns } from "../../src/state/run-summary.ts";
import { touchesWorkspace } from "../../src/watch/checkout.ts";
import { repository } from "../revision/repository.ts";
import { fastForward } from "../support/fast-forward.ts";
import { tempFolder } from "../support/folder.ts";
import { stage } from "../support/stage.ts";
import { minute, movedClock, watching } from "./watching.ts";

const wiki = (url: string) => ({ "external-wiki": { external_wiki_url: url } });
const projects = Array.from({ length: 20 }, (_, index) => ({
  id: index + 1,
  path: `team/p${index}`,
  integrations: wiki("https://a"),
}));
const policy = { projects: ["team/*"], integrations: wiki("https://a") };

/** A workspace that is a clone, and the repository where others commit. */
async function cloned(more: object = {}) {
  const place = await stage({ projects, policy, ...more });
  place.write(".gitignore", ".evenkeel/\n");
  const upstream = tempFolder();
  const { git } = repository(place.root);
  git("add", "-A");
  git("commit", "-q", "-m", "one");
  git("clone", "-q", "--bare", ".", join(upstream, "policies.git"));
  git("remote", "add", "origin", join(upstream, "policies.git"));
  git("fetch", "-q", "origin");
  git("branch", "-q", "--set-upstream-to=origin/main");
  const others = repository(join(upstream));
  others.git("remote", "add", "origin", "policies.git");
  const commit = (files: Readonly<Record<string, string>>) => {
    others.git("fetch", "-q", "origin");
    others.git("checkout", "-q", "-B", "main", "origin/main");
    for (const [name, text] of Object.entries(files)) writeFileSync(join(upstream, name), text);
    others.git("add", ...Object.keys(files));
    others.git("commit", "-q", "-m", "more");
    others.git("push", "-q", "origin", "main");
    return others.git("rev-parse", "HEAD");
  };
  const follow = {
    every: minute / 4,
    forward: () => fastForward(place.root),
    touches: (from: string, to: string) => touchesWorkspace(place.root, from, to),
  };
  return { ...place, git, commit, follow, upstream, others };
}

const policyFor = (project: string, url: string) =>
  `apiVersion: evenkeel/v1\nkind: Policy\nname: ${project}\nprojects: [team/${project}]\nintegrations:\n  external-wiki: { external_wiki_url: ${url} }\n`;

describe("--follow", () => {
  test("checks once, and only, at what a commit changed; what a commit asks for is carried out", async () => {
    const place = await cloned({ workspace: { ledger: "state" } });
    await place.apply();
    place.server.requests.reset();
    const clock = movedClock();
    let commit = "";
    const one = watching(place, {
      clock,
      follow: place.follow,
      apply: "pending",
      checks: 2,
      after: (_, checks) => {
        if (checks === 1) commit = place.commit({ "p3.yaml": policyFor("p3", "https://new") });
        if (checks === 1) place.server.requests.reset();
      },
    });
    expect(await one.ended).toBe(0);
    expect(one.ends.map(({ whole, plan }) => [whole, plan.summary.projects, plan.manifests.commit === commit])).toEqual(
      [
        [true, 20, false],
        [false, 1, true],
      ],
    );
    expect(one.outcomes()).toEqual(["in sync", "applied"]);
    const asked = place.asked().filter((line) => line.startsWith("GET"));
    expect(asked.every((line) => line.includes("/projects/team/p3"))).toBe(true);
    const between = (one.ends[1]?.finishedAt.getTime() ?? 0) - (one.ends[0]?.finishedAt.getTime() ?? 0);
    expect(between).toBeLessThan(5 * minute);
    expect((await listRuns(folderState(place.root)))[0]).toMatchObject({ command: "apply", commit });
  });

  test("does not check a commit that changed nothing of the workspace, and goes on from it", async () => {
    const place = await cloned();
    const clock = movedClock(minute);
    const one = watching(place, { clock, follow: place.follow });
    await expect.poll(() => one.ends.length).toBe(1);
    const other = place.commit({ "README.md": "else" });
    clock.move(minute);
    await expect.poll(() => place.git("rev-parse", "HEAD")).toBe(other);
    place.commit({ "p3.yaml": policyFor("p3", "https://new") });
    clock.move(minute);
    await expect.poll(() => one.ends.length).toBe(2);
    expect(one.ends[1]?.plan.scope?.since).toBe(other);
    one.stop();
    expect(await one.ended).toBe(0);
  });

  test("a checkout that cannot be fast-forwarded is said once, nothing is applied, and checks go on", async () => {
    const place = await cloned({ workspace: { ledger: "state" } });
    await place.apply();
    place.policy({ projects: ["team/p1"], integrations: wiki("https://mine") }, "mine");
    place.git("add", "-A");
    place.git("commit", "-q", "-m", "own");
    place.commit({ "p3.yaml": policyFor("p3", "https://new") });
    const before = place.server.requests.writes;
    const follow = { ...place.follow, every: 10 * minute };
    const one = watching(place, { follow, apply: "pending", checks: 2 });
    expect(await one.ended).toBe(1);
    expect(one.said).toEqual([expect.stringContaining("cannot be fast-forwarded to refs/heads/main of origin")]);
    expect(one.ends.map(({ errors }) => errors.length)).toEqual([1, 1]);
    expect(place.server.requests.writes).toBe(before);
  });

  test.each([
    ["commits of its own", "commit", ["commit", "-q", "--allow-empty", "-m", "own"]],
    ["commits that were taken back", "push", ["push", "-q", "--force", "origin", "HEAD~1:main"]],
  ] as const)("a checkout with %s is no more what its remote has", async (_, __, words) => {
    const place = await cloned();
    place.commit({ "p3.yaml": policyFor("p3", "https://new") });
    expect(await fastForward(place.root)).toMatchObject({ moved: true });
    place.git(...words);
    expect(await fastForward(place.root)).toEqual({
      why: "the checkout cannot be fast-forwarded to refs/heads/main of origin: it has commits that are not there",
    });
  });

  test("checks once at a commit that cannot be checked without an error, and then as often as planned", async () => {
    const place = await cloned();
    place.policy({ projects: ["team/gone"], integrations: wiki("https://a") }, "gone");
    place.git("add", "-A");
    place.git("commit", "-q", "-m", "two");
    place.git("push", "-q", "origin", "main");
    const clock = movedClock();
    const began = clock.now();
    const follow = { ...place.follow, every: 10 * minute };
    const one = watching(place, { clock, follow, checks: 2 });
    expect(await one.ended).toBe(1);
    expect(one.ends.map(({ finishedAt }) => (finishedAt.getTime() - began) / minute > 29)).toEqual([false, true]);
  });

  test.each([
    [
      "a remote that is gone",
      ["remote", "set-url", "origin", "/nowhere"],
      "git cannot fetch refs/heads/main of origin",
    ],
    ["no upstream", ["branch", "--unset-upstream"], "follows no branch of a remote"],
    ["no branch", ["checkout", "-q", "--detach"], "is on no branch"],
  ])("%s is said in a sentence", async (_, words, why) => {
    const place = await cloned();
    place.git(...words);
    expect(await fastForward(place.root)).toEqual({ why: expect.stringContaining(why) });
  });

  test("does not wait for a remote that does not answer: checks go on, nothing is applied, and it is told once", async () => {
    const place = await cloned({ workspace: { ledger: "state" } });
    await place.apply();
    place.policy({ projects: ["team/p1"], integrations: wiki("https://pending") }, "more");
    const asked: Socket[] = [];
    const silent = createServer((socket) => asked.push(socket.on("error", () => {}).resume())).listen(0, "127.0.0.1");
    onTestFinished(() => void silent.close());
    await new Promise((resolve) => silent.once("listening", resolve));
    const { port } = silent.address() as { port: number };
    place.git("remote", "set-url", "origin", `http://127.0.0.1:${port}/policies.git`);
    const before = place.server.requests.writes;
    const { forward, [Symbol.dispose]: giveUp } = createFollower(place.root, new AbortController().signal, 100);
    const one = watching(place, { follow: { ...place.follow, forward }, apply: "pending", checks: 2 });
    expect(await one.ended).toBe(1);
    expect(one.said).toEqual([
      "git cannot fetch refs/heads/main of origin: no answer; nothing is applied until this is resolved",
    ]);
    expect(one.ends.map(({ plan, errors }) => [plan.summary.writes, errors.length])).toEqual([
      [1, 1],
      [1, 1],
    ]);
    await expect.poll(() => asked.length).toBe(1);
    expect(place.server.requests.writes).toBe(before);
    giveUp();
    await expect.poll(() => asked.map(({ closed }) => closed)).toEqual([true]);
  });

  test("takes what a slow fetch brought when it is over", async () => {
    const place = await cloned();
    const commit = place.commit({ "p3.yaml": policyFor("p3", "https://new") });
    const { forward } = createFollower(place.root, new AbortController().signal, 0);
    expect(await forward()).toMatchObject({ late: true, why: expect.stringContaining("no answer") });
    await expect.poll(forward).toEqual({ commit, moved: true });
  });

  test("follows no commit that does not verify, where merge.verifySignatures asks for that", async () => {
    const place = await cloned();
    const key = join(place.upstream, "key");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    writeFileSync(`${key}.allowed`, `ada@example.com ${readFileSync(`${key}.pub`, "utf8")}`);
    place.git("config", "merge.verifySignatures", "true");
    place.git("config", "gpg.ssh.allowedSignersFile", `${key}.allowed`);
    const unsigned = place.commit({ "p3.yaml": policyFor("p3", "https://new") });
    const why = `commit ${unsigned.slice(0, 12)} of origin is not followed, because merge.verifySignatures is set: `;
    expect(await fastForward(place.root)).toEqual({ why: expect.stringContaining(why) });
    expect(existsSync(join(place.root, "p3.yaml"))).toBe(false);
    const signing = ["-c", "gpg.format=ssh", "-c", `user.signingKey=${key}`];
    place.others.git(...signing, "commit", "-q", "-S", "--allow-empty", "-m", "signed");
    place.others.git("push", "-q", "origin", "main");
    expect(await fastForward(place.root)).toMatchObject({ moved: true });
  });

  test("runs no hook and no program in place of a remote", async () => {
    const place = await cloned();
    const mark = join(place.upstream, "was-here");
    const program = join(place.upstream, "program");
    writeFileSync(program, `#!/bin/sh\necho "$0" >> ${mark}\ncat\n`, { mode: 0o755 });
    const hooks = join(place.root, ".git", "hooks");
    for (const hook of [
      "post-merge",
      "post-checkout",
      "reference-transaction",
      "pre-merge-commit",
      "post-index-change",
    ])
      writeFileSync(join(hooks, hook), `#!/bin/sh\necho ${hook} >> ${mark}\n`, { mode: 0o755 });
    place.git("config", "core.hooksPath", hooks);
    place.git("config", "core.fsmonitor", program);
    place.git("config", "remote.origin.uploadpack", `${program}; git-upload-pack`);
    const commit = place.commit({ "p3.yaml": policyFor("p3", "https://new") });
    expect(await fastForward(place.root)).toEqual({ commit, moved: true });
    expect(existsSync(mark)).toBe(false);
    expect(place.read("p3.yaml")).toContain("https://new");
    place.git("config", "remote.origin.url", `ext::sh -c "touch ${mark}"`);
    expect(await fastForward(place.root)).toEqual({ why: expect.stringContaining("git cannot fetch") });
    expect(existsSync(mark)).toBe(false);
  });
});
