import { join } from "node:path";
import { Refusal } from "../base/exit.ts";
import { systemTrouble } from "../base/system-errors.ts";
import { isThere, makeFolder, replaceFile } from "../workspace/durable-file.ts";

const ignored =
  "# The journal, the lock and the key stay on this machine. A ledger is committed.\njournal/\nlock\n*.key\n";

/**
 * `.evenkeel` in the workspace, made if it is not there, with what git must never take from it ignored.
 * @throws Refusal where it cannot be made.
 */
export function stateFolder(root: string): string {
  const folder = join(root, ".evenkeel");
  try {
    makeFolder(folder);
    const ignore = join(folder, ".gitignore");
    if (!isThere(ignore)) replaceFile(ignore, ignored);
  } catch (error) {
    throw new Refusal(`cannot write to ${folder}: ${systemTrouble(error)}`);
  }
  return folder;
}
