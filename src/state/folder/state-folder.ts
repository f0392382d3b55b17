import { join } from "node:path";
import { Refusal } from "../../base/exit.ts";
import { systemTrouble } from "../../base/system-errors.ts";
import { isThere, makeFolder, readRegular, replaceFile } from "../../workspace/durable-file.ts";

const heading = "# What stays on this machine. A ledger is committed.";
const ignored = [
  ".gitignore",
  "journal/",
  "runs/",
  "plans/",
  "notes/",
  "sightings/",
  "fleet/",
  "lock",
  "watch.lock",
  "*.key",
];

/**
 * `.evenkeel` in the workspace, made if it is not there, with what git must never take from it ignored.
 * @throws Refusal where it cannot be made.
 */
export function stateFolder(root: string): string {
  const folder = join(root, ".evenkeel");
  try {
    makeFolder(folder);
    ignore(join(folder, ".gitignore"));
  } catch (error) {
    throw new Refusal(`cannot write to ${folder}: ${systemTrouble(error)}`);
  }
  return folder;
}

/** Lines that an earlier version did not know are added; all others are a person's. */
function ignore(file: string): void {
  const before = isThere(file) ? readRegular(file) : `${heading}\n`;
  const lines = before.split("\n");
  const missing = ignored.filter((line) => !lines.includes(line));
  if (missing.length > 0) replaceFile(file, [before.replace(/\n*$/, ""), ...missing, ""].join("\n"));
}
