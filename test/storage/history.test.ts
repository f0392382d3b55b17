import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readyJournal, startJournal } from "../../src/state/journal.ts";
import type { JournalEntry } from "../../src/state/journal-entry.ts";
import { historyOf } from "../../src/storage/history.ts";

const server = "http://127.0.0.1:1";
const begin: JournalEntry = { event: "start", who: "a@b", pid: 1, commit: null, manifests: "", server, changes: 1 };

const sent = (address: string, method: string, path: string): JournalEntry => {
  return { event: "intent", address, action: "update", method, path };
};

test("what was sent tells a storage move from a resource of a project that is called storage", async () => {
  const root = mkdtempSync(join(tmpdir(), "evenkeel-history-"));
  readyJournal(root);
  const journal = startJournal(root, () => new Date());
  await journal.write(begin);
  await journal.write(sent("storage:license/projects", "PATCH", "/projects/storage/managed_licenses/7"));
  await journal.write(sent("storage:nfs-1/projects", "POST", "/project_repository_storage_moves"));
  await journal.close();
  expect([...historyOf(root, server)]).toEqual([
    ["storage:nfs-1/projects", { run: journal.run, state: "sent", to: undefined }],
  ]);
  rmSync(root, { recursive: true });
});
