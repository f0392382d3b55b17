import { execFileSync } from "node:child_process";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folderState } from "../../src/state/folder-store.ts";
import { readJournal, unfinishedRuns } from "../../src/state/journal.ts";
import { ledgerKey } from "../../src/state/ledger/ledger.ts";
import { folder } from "../support/folder.ts";

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
    const state = folderState(folder({ ".evenkeel/journal/r.ndjson": text }).root);
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
