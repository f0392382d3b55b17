import { chmodSync } from "node:fs";
import { afterAll, inject } from "vitest";
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
