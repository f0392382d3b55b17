import { exit, Refusal } from "../base/exit.ts";
import { statusJson, statusText } from "../report/storage-status.ts";
import { remaindersOn } from "../storage/status.ts";
import { StorageHidden } from "../storage/view.ts";
import { reading } from "./deployments/connected.ts";
import type { Options } from "./flags.ts";
import type { Run } from "./verb.ts";

/** `evenkeel storage status STORAGE`. */
export const run: Run<Options<"storage status">> = (terminal, options, [storage = ""]) => {
  if (storage.trim() === "") throw new Refusal("STORAGE is empty; it takes the name of a storage", exit.usage);
  return reading(terminal, options, async (reader) => {
    try {
      const remainders = await remaindersOn(reader, storage);
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
