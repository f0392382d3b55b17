import { exit, UserError } from "../base/exit.ts";
import { didYouMean } from "../base/nearest.ts";
import { printable } from "../base/printable.ts";
import type { Reader } from "../client/client.ts";
import { readMigrations } from "../manifest/migrations.ts";
import { statusJson, statusText } from "../report/server-texts.ts";
import { type Remainder, remaindersOn, StorageHidden, storagesOfMoves } from "../run/storage/storage-view.ts";
import { loadWorkspace, workspaceAbove } from "../workspace/load.ts";
import type { Run } from "./command.ts";
import { reading } from "./connected.ts";
import { folderOf } from "./run-request.ts";
import type { Options } from "./table.ts";

/** `evenkeel storage status STORAGE`. */
export const run: Run<Options<"storage status">> = (terminal, options, [storage = ""]) => {
  if (storage.trim() === "") throw new UserError("STORAGE is empty; expected the name of a storage", exit.usage);
  return reading(terminal, options, async (reader) => {
    try {
      const remainders = await remaindersOn(reader, storage);
      const doubt = await doubtAbout(storage, remainders, reader, folderOf(terminal, options));
      if (doubt) terminal.note(printable(`warning: ${doubt}`));
      return {
        text: () => statusText(storage, remainders, terminal.palette),
        json: () => statusJson(storage, remainders),
      };
    } catch (error) {
      if (error instanceof StorageHidden) return { status: "failed", error: error.message };
      throw error;
    }
  });
};

/** A misspelled storage would appear drained, since the API has no list of storages. */
async function doubtAbout(
  storage: string,
  remainders: readonly Remainder[],
  reader: Reader,
  folder: string,
): Promise<string | undefined> {
  if (remainders.some(({ left }) => left)) return undefined;
  const known = new Set([...declaredStorages(folder), ...(await storagesOfMoves(reader))]);
  if (known.has(storage)) return undefined;
  return `no project, listed move or manifest names storage ${storage}, so it may not exist${didYouMean(storage, known)}`;
}

function declaredStorages(folder: string): readonly string[] {
  if (!workspaceAbove(folder)) return [];
  const { migrations } = readMigrations(loadWorkspace(folder));
  return migrations.flatMap(({ from, to }) => [from, to]);
}
