import { chmodSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, inject } from "vitest";
import { type Database, packagedServer, startDatabase, systemServer } from "../support/database.mjs";
import { tempFolder } from "../support/folder.ts";
import { killWithRun } from "../support/processes.ts";

/** The PostgreSQL servers that can be had here, by name; each is started when it is first asked for. */
export async function databases(
  options?: Parameters<typeof startDatabase>[2],
): Promise<readonly { readonly name: string; readonly started: () => Promise<Database> }[]> {
  const bins = { "PostgreSQL of npm": await packagedServer(), "PostgreSQL of the system": systemServer() };
  return Object.entries(bins).flatMap(([name, bin]) => (bin ? [{ name, started: once(bin, options) }] : []));
}

function once(bin: string, options: Parameters<typeof startDatabase>[2]): () => Promise<Database> {
  let running: Promise<Database> | undefined;
  afterAll(async () => (await running)?.stop());
  return () => {
    chmodSync(inject("scratch"), 0o711);
    running ??= startDatabase(tempFolder(), bin, { ...options, onStart: killWithRun });
    return running;
  };
}

/** Tests with one PostgreSQL server, which runs again after each of them; they are skipped where there is none. */
export async function withDatabase(title: string, tests: (database: Database) => void): Promise<void> {
  const [available] = await databases();
  describe.skipIf(!available)(`${title} (needs postgresql)`, () => {
    const database = {} as Database;
    beforeAll(async () => void Object.assign(database, await available?.started()));
    afterEach(() => database.start());
    tests(database);
  });
}
