import { afterAll } from "vitest";
import { folderState } from "../../src/state/folder.ts";
import { stateAt } from "../../src/state/open-state.ts";
import type { WorkspaceState } from "../../src/state/state.ts";
import { tempFolder } from "../support/folder.ts";
import { databases } from "./databases.ts";
import { laws } from "./laws.ts";

const found = await databases();
const opened: WorkspaceState[] = [];
afterAll(async () => {
  for (const state of opened) await state[Symbol.asyncDispose]();
});

function kept(state: WorkspaceState): WorkspaceState {
  opened.push(state);
  return state;
}

laws({
  name: "folder",
  place: async () => {
    const root = tempFolder();
    return { open: async () => folderState(root) };
  },
});

let places = 0;
for (const { name, started } of found) {
  laws({
    name,
    place: async () => {
      const database = await started();
      const workspace = `w${++places}`;
      return { open: async () => kept(await stateAt(database.url(), "EVENKEEL_STATE", workspace, {})) };
    },
  });
}
