import { statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll } from "vitest";
import { folderState } from "../../src/state/folder-store.ts";
import { stateAt } from "../../src/state/open-state.ts";
import type { WorkspaceState } from "../../src/state/state.ts";
import { tempFolder } from "../support/folder.ts";
import { databases } from "./databases.ts";
import { type Backend, laws } from "./laws.ts";
import { sharedStateLaws } from "./shared-laws.ts";

const found = await databases();
const opened: WorkspaceState[] = [];
afterAll(async () => {
  for (const state of opened) await state[Symbol.asyncDispose]();
});

function kept(state: WorkspaceState): WorkspaceState {
  opened.push(state);
  return state;
}

let places = 0;

function sharedLaws(backend: Backend<WorkspaceState>): void {
  laws(backend);
  sharedStateLaws(backend);
}

laws({
  name: "folder",
  place: async () => {
    const root = tempFolder();
    const age = async (milliseconds: number) => {
      for (const name of ["lock", "watch.lock"].map((each) => join(root, ".evenkeel", each))) {
        const renewed = statSync(name, { throwIfNoEntry: false })?.mtimeMs;
        if (renewed !== undefined) utimesSync(name, renewed / 1000, (renewed - milliseconds) / 1000);
      }
    };
    return { open: async () => folderState(root), age };
  },
});

/** Lets leases of a workspace end so much earlier. */
function aging(url: string, workspace: string) {
  return (milliseconds: number) =>
    asked(url, [
      `UPDATE evenkeel.lease SET deadline = deadline - interval '${milliseconds} milliseconds' WHERE workspace = '${workspace}'`,
    ]);
}

async function asked(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    options: "-c default_transaction_read_only=off -c lock_timeout=0 -c statement_timeout=0",
  });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

for (const { name, started } of found) {
  sharedLaws({
    name,
    place: async () => {
      const database = await started();
      const workspace = `w${++places}`;
      return {
        open: async () => kept(await stateAt(database.url(), "EVENKEEL_STATE", workspace, {})),
        age: aging(database.url(), workspace),
      };
    },
  });
}
