import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folderState } from "../../src/state/folder-store.ts";
import { readJournal, unfinishedRuns } from "../../src/state/journal.ts";
import { ledgerKey } from "../../src/state/ledger/ledger.ts";
import { loadWorkspace } from "../../src/workspace/load.ts";
import { workspaceText } from "../e2e/workspace.ts";
import { folder } from "../support/folder.ts";

function ledgerAt(ledger: string, files: Readonly<Record<string, string>> = {}, prepare = (_: string) => {}) {
  const { root } = folder({ ...files, "evenkeel.yaml": workspaceText({ url: "https://x" }, { ledger }) });
  prepare(root);
  return loadWorkspace(root).problems.filter(({ rule }) => rule === "ledger");
}

const line = '{"project":"p","key":"12345678","resources":{}}\n';

describe("a ledger's path", () => {
  test.each<[string, string, string, ((root: string) => void)?]>([
    ["outside", "../ledger.ndjson", "inside the workspace"],
    ["an absolute one", "/tmp/ledger.ndjson", "inside the workspace"],
    [
      "behind a link that leaves",
      "out/l",
      "leads out of the workspace",
      (root) => symlinkSync("/tmp", join(root, "out")),
    ],
    ["the workspace's own file", "evenkeel.yaml", "does not end in .yaml"],
    ["a manifest, or what would become one", "policies/new.yml", "does not end in .yaml"],
    ["a link to one", "l", "does not end in .yaml", (root) => symlinkSync("evenkeel.yaml", join(root, "l"))],
    ["a file of something else", "notes.txt", "has other content"],
    ["a text in a merge conflict", "notes.md", "has other content"],
    ["marks of a conflict alone", "marks", "has other content"],
    ["lines of another tool", "data.ndjson", "has other content"],
    ["a ledger with a line of something else", "combine", "has other content"],
    ["the key", ".evenkeel/ledger.key", "not used for other state"],
    ["the lock", ".evenkeel/lock", "not used for other state"],
    ["git's", ".git/index", "outside .git"],
    ["a folder", "d", "got a folder", (root) => mkdirSync(join(root, "d"))],
    ["a FIFO", "f", "expected a regular file", (root) => execFileSync("mkfifo", [join(root, "f")])],
    ["a link round in a circle", "l", "leads nowhere", (root) => symlinkSync("l", join(root, "l"))],
  ])("%s is a problem with its place", (_, ledger, words, prepare) => {
    const foreign = {
      "notes.txt": "mine\n",
      "notes.md": "# T\n<<<<<<< HEAD\nmine\n",
      marks: "<<<<<<< ours\n=======\n>>>>>>> theirs\n",
      "data.ndjson": '{"project":"other tool","budget":5}\n',
      combine: `${line}mine\n`,
    };
    const problems = ledgerAt(ledger, foreign, prepare);
    expect(problems).toMatchObject([
      { severity: "error", path: "ledger", place: { file: "evenkeel.yaml", line: 4, column: 9 } },
    ]);
    expect(problems[0]?.message).toContain(words);
  });

  test.each<[string, string, ((root: string) => void)?]>([
    ["that is new, in a new folder", "state/ledger.ndjson"],
    ["of a ledger", "l"],
    ["of one in a merge conflict", "conflict"],
    ["that is empty", "empty"],
    ["of a link that stays inside", "link", (root) => symlinkSync("l", join(root, "link"))],
  ])("%s is good", (_, ledger, prepare) => {
    const files = { l: line, empty: "\n", conflict: `<<<<<<< ours\n${line}||||||| base\n=======\n>>>>>>> theirs\n` };
    expect(ledgerAt(ledger, files, prepare)).toEqual([]);
  });
});

describe("the ledger's key", () => {
  test.each<[string, Readonly<Record<string, string>>, Readonly<Record<string, string>>, string]>([
    ["a file that is empty", { ".evenkeel/ledger.key": "\n" }, {}, ".evenkeel/ledger.key is empty"],
    ["a file that is short", { ".evenkeel/ledger.key": "0123\n" }, {}, ".evenkeel/ledger.key is too short"],
    ["a folder", { ".evenkeel/ledger.key/x": "" }, {}, "it is a folder"],
  ])("%s is a problem that does not tell it", (_, files, env, words) => {
    const [problem, ...others] = ledgerKey({ root: folder(files).root, env }).problems;
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ severity: "error", rule: "ledger-key", message: expect.stringContaining(words) });
    expect(problem?.message).not.toContain("CANARY");
  });

  test("a variable that is short is used, with a warning that does not tell it", () => {
    const { key, problems } = ledgerKey({ root: folder().root, env: { EVENKEEL_LEDGER_KEY: "short-CANARY" } });
    expect(key).toBe("short-CANARY");
    expect(problems).toMatchObject([{ severity: "warning", rule: "ledger-key" }]);
    expect(JSON.stringify(problems)).not.toContain("CANARY");
  });

  test("a file that git tracks is used, with a warning", () => {
    const { root } = folder({ ".evenkeel/ledger.key": "0123456789abcdef\n" });
    const git = (...args: string[]) => execFileSync("git", args, { cwd: root });
    git("init", "-q");
    expect(ledgerKey({ root, env: {} }).problems).toEqual([]);
    git("add", "-f", ".evenkeel/ledger.key");
    const { key, problems } = ledgerKey({ root, env: {} });
    expect(key).toBe("0123456789abcdef");
    const place = { file: ".evenkeel/ledger.key", line: 1, column: 1 };
    expect(problems).toMatchObject([{ severity: "warning", rule: "ledger-key", place }]);
    expect(JSON.stringify(problems)).not.toContain(key);
  });

  test("a link that leads nowhere is one, and keeps nothing from being read", () => {
    const { root } = folder({ ".evenkeel/x": "" });
    symlinkSync("nowhere", join(root, ".evenkeel/ledger.key"));
    expect(ledgerKey({ root, env: {} }).problems).toHaveLength(1);
    expect(ledgerKey({ root, env: { EVENKEEL_LEDGER_KEY: "0123456789abcdef" } }).problems).toEqual([]);
  });
});

describe("journals of earlier runs", () => {
  const at = "2026-01-01T00:00:00.000Z";
  const intent = JSON.stringify({
    at,
    event: "intent",
    address: "p:license/MIT",
    action: "create",
    method: "POST",
    path: "/",
  });

  test("lines that are none of a journal's are passed over", async () => {
    const text = ["null", "5", '{"event":"intent"}', '{"event":"toString","at":"x"}', intent, intent.slice(0, 40)].join(
      "\n",
    );
    const { root } = folder({ ".evenkeel/journal/r.ndjson": text });
    const state = folderState(root);
    expect(await readJournal(state, "r")).toEqual([JSON.parse(intent)]);
    expect(await unfinishedRuns(state)).toEqual([{ run: "r", inFlight: ["p:license/MIT"] }]);
  });

  test("what cannot be read is a sentence", async () => {
    const { root } = folder({ ".evenkeel/journal/r.ndjson/x": "" });
    const state = folderState(root);
    const words = "cannot read .evenkeel/journal/r.ndjson: it is a folder";
    await expect(unfinishedRuns(state)).rejects.toThrow(words);
    rmSync(join(root, ".evenkeel/journal/r.ndjson"), { recursive: true });
    symlinkSync("nowhere", join(root, ".evenkeel/journal/r.ndjson"));
    await expect(unfinishedRuns(state)).rejects.toThrow("no such file");
    rmSync(join(root, ".evenkeel"), { recursive: true });
    writeFileSync(join(root, ".evenkeel"), "");
    expect(await state.list("journals")).toEqual([]);
  });
});
