import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";

import { blameLines } from "../../src/git/blame.ts";
import { commitOf, repositoryAround } from "../../src/git/repository.ts";
import { openRevisions } from "../../src/run/revisions.ts";
import { followedBranch, touchesWorkspace } from "../../src/watch/checkout.ts";
import { repository } from "../revision/repository.ts";
import { fastForward } from "../support/fast-forward.ts";
import { tempFolder } from "../support/folder.ts";

afterEach(() => vi.unstubAllEnvs());

const workspace = "apiVersion: evenkeel/v1\nkind: Workspace\nserver: { url: https://code.example.com }\n";
const policy = (name: string) =>
  `apiVersion: evenkeel/v1\nkind: Policy\nname: ${name}\nprojects: [team/a]\nlicenses: { MIT: allowed }\n`;

/** Writes files below a folder, with the folders that they need. */
function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

/** A clone whose workspace lies in `ops/live`, and the repository where others push. */
function cloned() {
  const root = tempFolder();
  const others = repository(join(root, made(root, "others")));
  const upstream = join(root, "policies.git");
  write(join(root, "others"), { "ops/live/evenkeel.yaml": workspace, "ops/live/p.yaml": policy("p") });
  others.commit();
  others.git("clone", "-q", "--bare", ".", upstream);
  others.git("remote", "add", "origin", upstream);
  execFileSync("git", ["clone", "-q", upstream, join(root, "checkout")]);
  const push = (files: Readonly<Record<string, string>>) => {
    write(join(root, "others"), files);
    others.git("add", "--force", "-A");
    others.git("commit", "-q", "-m", "more");
    others.git("push", "-q", "origin", "main");
    return others.git("rev-parse", "HEAD");
  };
  return { root, top: join(root, "checkout"), at: join(root, "checkout", "ops", "live"), push };
}

function made(root: string, name: string): string {
  mkdirSync(join(root, name));
  return name;
}

/** The files of a bare repository, whose configuration names a program wherever one can be named. */
function bareLayout(folder: string, victim: string, program: string): Readonly<Record<string, string>> {
  const inside = (name: string) => join(folder, name);
  const source = tempFolder();
  repository(source).commit();
  const commit = repository(source).git("rev-parse", "HEAD");
  const config = [
    "[core]",
    "  bare = false",
    `  worktree = ${victim}`,
    "  repositoryformatversion = 0",
    `  hooksPath = ${dirname(program)}`,
    ...["fsmonitor", "sshCommand", "pager", "editor", "askPass", "alternateRefsCommand", "gitProxy"].map(
      (key) => `  ${key} = ${program}`,
    ),
    "[alias]",
    ...["fetch", "merge", "rev-parse", "config", "diff", "blame"].map((name) => `  ${name} = !${program}`),
    `[filter "x"]\n  clean = ${program}\n  smudge = ${program}\n  process = ${program}\n  required = true`,
    `[diff "x"]\n  textconv = ${program}\n  command = ${program}`,
    `[diff]\n  external = ${program}`,
    `[credential]\n  helper = ${program}`,
    `[remote "origin"]\n  url = ${source}\n  fetch = +refs/heads/*:refs/remotes/origin/*\n  uploadpack = ${program}`,
    `[branch "main"]\n  remote = origin\n  merge = refs/heads/main`,
    "",
  ].join("\n");
  const git = join(source, ".git");
  const objects = readdirSync(join(git, "objects"), { recursive: true, encoding: "utf8" });
  expect(objects.length).toBeGreaterThan(0);
  return {
    [inside("HEAD")]: "ref: refs/heads/main\n",
    [inside("config")]: config,
    [inside("refs/heads/main")]: `${commit}\n`,
    [inside("objects/info/alternates")]: `${join(git, "objects")}\n`,
    [inside("hooks/post-merge")]: `#!/bin/sh\n${program}\n`,
    [inside(".gitattributes")]: "* filter=x diff=x\n",
  };
}

/** A program that leaves a mark. */
function fingerprint(): { readonly program: string; readonly mark: string } {
  const folder = tempFolder();
  const [program, mark] = [join(folder, "program"), join(folder, "was-here")];
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${mark}\ncat\n`);
  for (const hook of ["post-merge", "post-checkout", "reference-transaction", "post-index-change"]) {
    writeFileSync(join(folder, hook), `#!/bin/sh\necho ${hook} >> ${mark}\n`);
    chmodSync(join(folder, hook), 0o755);
  }
  chmodSync(program, 0o755);
  return { program, mark };
}

/** All that the program asks git for, and what each came to. */
async function everyUse(at: string, from: string, to: string) {
  const { top, prefix } = repositoryAround(at);
  const ref = followedBranch(at);
  const { before, after } = await openRevisions({ folder: at, from, to });
  const names = (side: typeof before) => [side.commit, side.isThere, side.side.policies.map(({ name }) => name)];
  return {
    place: { top, prefix, ref },
    commit: commitOf(at),
    touches: await touchesWorkspace(at, from, to),
    revisions: [names(before), names(after)],
    blame: blameLines(at, "p.yaml", [1]),
  };
}

describe("a push that brings what looks like a repository", () => {
  const places = ["ops/live", "ops", ".", "ops/live/deep"] as const;
  test.each(places)("into %s changes nothing that git is asked, and runs and writes nothing", async (place) => {
    const { root, top, at, push } = cloned();
    const { program, mark } = fingerprint();
    const victim = join(root, made(root, "victim"));
    const first = commitOf(at) ?? "";
    const planted = push(bareLayout(place, victim, program));
    expect(await fastForward(at)).toEqual({ commit: planted, moved: true });
    expect(existsSync(join(top, place, "HEAD"))).toBe(true);

    const next = push({ "ops/live/q.yaml": policy("q"), "ops/live/p.yaml": `${policy("p")}# more\n` });
    expect(await fastForward(at)).toEqual({ commit: next, moved: true });
    const used = await everyUse(at, first, next);
    expect(used).toMatchObject({
      place: { top, prefix: "ops/live/", ref: "refs/heads/main" },
      commit: next,
      touches: true,
      revisions: [
        [first, true, ["p"]],
        [next, true, ["p", "q"]],
      ],
    });
    expect([...(used.blame as ReadonlyMap<number, { sha: string }>)].map(([line, { sha }]) => [line, sha])).toEqual([
      [1, first],
    ]);
    expect(readFileSync(join(at, "p.yaml"), "utf8")).toContain("# more");
    expect([readdirSync(victim), existsSync(mark)]).toEqual([[], false]);
  });

  test("is none either where a folder is in no repository", () => {
    const root = tempFolder();
    const { program, mark } = fingerprint();
    write(root, bareLayout("ops", tempFolder(), program));
    expect(commitOf(join(root, "ops"))).toBeNull();
    expect(() => repositoryAround(join(root, "ops"))).toThrow("not in a git repository");
    expect(blameLines(join(root, "ops"), "config", [1])).toEqual({ why: "not under git" });
    expect(existsSync(mark)).toBe(false);
  });
});

describe("which repository git is told", () => {
  const variables = [
    ...["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_GLOB_PATHSPECS"],
    "GIT_EXTERNAL_DIFF",
  ];
  const asEver = async (at: string, from: string, to: string) => {
    const used = await everyUse(at, from, to);
    expect(used).toMatchObject({
      commit: to,
      touches: true,
      revisions: [
        [from, true, ["p"]],
        [to, true, ["p", "q"]],
      ],
    });
    return used;
  };

  test.each(variables)("%s of the environment misleads no question and no fetch", async (name) => {
    const { root, top, at, push } = cloned();
    const first = commitOf(at) ?? "";
    const next = push({ "ops/live/q.yaml": policy("q") });
    vi.stubEnv(name, join(root, "others", ".git"));
    expect(await fastForward(at)).toEqual({ commit: next, moved: true });
    expect((await asEver(at, first, next)).place).toMatchObject({ top, prefix: "ops/live/" });
  });

  test("a linked work tree and a submodule, whose .git is a file, are themselves", async () => {
    const { root, top, at, push } = cloned();
    const first = commitOf(at) ?? "";
    const next = push({ "ops/live/q.yaml": policy("q") });
    expect(await fastForward(at)).toEqual({ commit: next, moved: true });
    const author = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"];
    const git = (cwd: string, ...words: string[]) => execFileSync("git", [...author, ...words], { cwd, stdio: "pipe" });
    git(top, "worktree", "add", "-q", "-b", "other", join(root, "linked"));
    expect((await asEver(join(root, "linked/ops/live"), first, next)).place).toMatchObject({
      top: join(root, "linked"),
    });
    const outer = join(root, made(root, "outer"));
    repository(outer).commit();
    git(outer, "submodule", "--quiet", "add", join(root, "policies.git"), "policies");
    const inner = join(outer, "policies");
    expect((await asEver(join(inner, "ops/live"), first, next)).place).toMatchObject({ top: inner });
    git(inner, "checkout", "-q", "-B", "main", "--track", "origin/main");
    const last = push({ "ops/live/q.yaml": `${policy("q")}# again\n` });
    expect(await fastForward(join(inner, "ops/live"))).toEqual({ commit: last, moved: true });
    expect(readFileSync(join(inner, "ops/live/q.yaml"), "utf8")).toContain("again");
  });

  test("a repository without a work tree is refused", () => {
    const { root, top, at } = cloned();
    execFileSync("git", ["config", "core.bare", "true"], { cwd: top });
    expect(() => repositoryAround(at)).toThrow("must be run in a work tree");
    expect(() => repositoryAround(join(root, "policies.git"))).toThrow("not in a git repository");
  });
});

test("git is started in one file", () => {
  const source = join(import.meta.dirname, "../../src");
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const starts = files.filter((name) => /\w\(\s*"git"\s*,/.test(readFileSync(join(source, name), "utf8")));
  expect(starts).toEqual([join("git", "run-git.ts")]);
});
