import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ignored =
  "# The journal, the lock and the key stay on this machine. A ledger is committed.\njournal/\nlock\n*.key\n";

/** `.evenkeel` in the workspace, made if it is not there, with what git must never take from it ignored. */
export function stateFolder(root: string): string {
  const folder = join(root, ".evenkeel");
  mkdirSync(folder, { recursive: true });
  const ignore = join(folder, ".gitignore");
  if (!existsSync(ignore)) writeFileSync(ignore, ignored);
  return folder;
}
