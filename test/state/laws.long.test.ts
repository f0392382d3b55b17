import { statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll } from "vitest";
import { folderState } from "../../src/state/folder.ts";
import { stateAt } from "../../src/state/open-state.ts";
import type { SharedState } from "../../src/state/state.ts";
import { tempFolder } from "../support/folder.ts";
import { databases } from "./databases.ts";
import { type Backend, laws } from "./laws.ts";
import { sharedStateLaws } from "./shared-laws.ts";

const found = await databases();
const opened: SharedState[] = [];
afterAll(async () => {
  for (const state of opened) await state[Symbol.asyncDispose]();
});

function kept(state: SharedState): SharedState {
  opened.push(state);
  return state;
}

let places = 0;

function sharedLaws(backend: Backend<SharedState>): void {
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

/** What roles, databases and servers may set, each the worst for what the state promises. */
const unfriendly = {
  synchronous_commit: "off",
  default_transaction_isolation: "serializable",
  default_transaction_read_only: "on",
  default_transaction_deferrable: "on",
  statement_timeout: "400",
  lock_timeout: "1",
  idle_in_transaction_session_timeout: "1000",
  search_path: "public, pg_catalog",
  DateStyle: "German, DMY",
  TimeZone: "Asia/Kolkata",
  IntervalStyle: "sql_standard",
  bytea_output: "escape",
  standard_conforming_strings: "off",
  array_nulls: "off",
  extra_float_digits: "-15",
};

for (const { name, started } of found.slice(0, 1)) {
  sharedLaws({
    name: `${name} with unfriendly settings`,
    place: async () => {
      const database = await started();
      const place = `unfriendly${++places}`;
      await asked(database.url(), [`CREATE DATABASE ${place}`]);
      const settings = Object.entries(unfriendly);
      await asked(
        database.url(),
        settings.map(
          ([setting, value]) =>
            `ALTER DATABASE ${place} SET ${setting} = ${value.includes(",") ? value : `'${value}'`}`,
        ),
      );
      return {
        open: async () => kept(await stateAt(database.url(place), "EVENKEEL_STATE", "w", {})),
        age: aging(database.url(place), "w"),
      };
    },
  });
}

/** Lets leases of a workspace, and members, have been noted so much earlier. */
function aging(url: string, workspace: string) {
  const earlier = (milliseconds: number) =>
    ["deadline", "noted"].map((column) => `${column} = ${column} - interval '${milliseconds} milliseconds'`).join();
  return (milliseconds: number) =>
    asked(url, [
      `UPDATE evenkeel.lease SET ${earlier(milliseconds)} WHERE workspace = '${workspace}'`,
      `UPDATE evenkeel.member SET ${earlier(milliseconds)}`,
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
