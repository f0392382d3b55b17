import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { batchWriter } from "../base/batch-writer.ts";
import { syncFolder } from "./durable-file.ts";

/** Appends to one file. */
export interface Appender {
  /**
   * Resolves when the text is on disk; concurrent texts share one flush. After a failure, all later texts are rejected with
   * the same error, so that nothing is written after an incomplete line.
   */
  readonly append: (text: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_WRONLY } = constants;

/** Does not follow a link. */
const appending = {
  a: O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW,
  ax: O_APPEND | O_CREAT | O_WRONLY | O_EXCL,
} as const;

/** Opens a file for appending; with `x` it must not exist. An error rejects the first append. */
export function appendTo(path: string, flags: "a" | "ax" = "a"): Appender {
  const file = open(path, appending[flags]).then((opened) => {
    syncFolder(dirname(path));
    return opened;
  });
  file.catch(() => {});
  const { add } = batchWriter<string>(async (texts) => {
    const opened = await file;
    await opened.appendFile(texts.join(""));
    await opened.datasync();
  });
  return {
    append: add,
    close: async () => {
      const opened = await file.catch(() => undefined);
      await opened?.close();
    },
  };
}
