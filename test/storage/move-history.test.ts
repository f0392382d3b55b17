import { expect, test } from "vitest";
import { historyOf } from "../../src/run/storage/moves.ts";
import { folderState } from "../../src/state/folder-store.ts";
import { type JournalEntry, startJournal } from "../../src/state/journal.ts";
import { taken } from "../state/laws.ts";
import { tempFolder } from "../support/folder.ts";

const server = "http://127.0.0.1:1";
const begin: JournalEntry = { event: "start", who: "a@b", pid: 1, commit: null, manifests: "", server, changes: 1 };

const sent = (address: string, method: string, path: string): JournalEntry => {
  return { event: "intent", address, action: "update", method, path };
};

test("what was sent tells a storage move from a resource of a project that is called storage", async () => {
  const state = folderState(tempFolder());
  const journal = startJournal(state, await taken(state, "r"), () => new Date());
  await journal.write(begin);
  await journal.write(sent("storage:license/projects", "PATCH", "/projects/storage/managed_licenses/7"));
  await journal.write(sent("storage:nfs-1/projects", "POST", "/project_repository_storage_moves"));
  await journal.close();
  expect([...(await historyOf(state, server))]).toEqual([
    ["storage:nfs-1/projects", { run: "r", state: "sent", to: undefined }],
  ]);
});

test("the journals of many runs are read one at a time", async () => {
  let reading = 0;
  const lines = async () => {
    expect(reading++).toBe(0);
    await new Promise(setImmediate);
    reading--;
    return new Map();
  };
  expect(await historyOf({ list: async () => ["r", "s", "t"], lines }, server)).toEqual(new Map());
});
