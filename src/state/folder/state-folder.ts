import { join } from "node:path";
import { UserError } from "../../base/exit.ts";
import { describeSystemError } from "../../base/system-errors.ts";
import { isThere, makeFolder, readRegular, replaceFile } from "../../workspace/durable-file.ts";
import { linkFault } from "../../workspace/links.ts";

const heading = "# What stays on this machine. A ledger is committed.";

/** What git must never take from the state folder, as lines of its `.gitignore`; a key above all. */
export const ignored: readonly string[] = [
  ".gitignore",
  "journal/",
  "runs/",
  "plans/",
  "notes/",
  "snapshots/",
  "lock",
  "watch.lock",
  "*.key",
];

/** Parts of the folder that are written; a key may be a link to where the machine keeps it, since it is only read then. */
const written: readonly string[] = ["", ...ignored.filter((line) => line !== "*.key"), "ledger.ndjson"];

const purposes: Readonly<Record<string, string>> = { "journal/": "a journal in", lock: "the lock" };

/** @throws UserError where a link in the state folder of a workspace leads out of the workspace. */
export function refuseLinks(root: string): void {
  for (const part of written) {
    const path = join(".evenkeel", part).replace(/[/\\]$/, "");
    const fault = linkFault(root, path);
    if (fault) throw new UserError(`cannot write ${purposes[part] ?? "to"} ${path}: ${fault}`);
  }
}

/**
 * `.evenkeel` in the workspace, made if it is not there, with what git must never take from it ignored.
 * @throws UserError where it cannot be made, or a link in it leads out of the workspace.
 */
export function stateFolder(root: string): string {
  const folder = join(root, ".evenkeel");
  refuseLinks(root);
  try {
    makeFolder(folder);
    ignore(join(folder, ".gitignore"));
  } catch (error) {
    throw new UserError(`cannot write to ${folder}: ${describeSystemError(error)}`);
  }
  return folder;
}

/** Adds missing lines and keeps the user's own. */
function ignore(file: string): void {
  const before = isThere(file) ? readRegular(file) : `${heading}\n`;
  const lines = before.split("\n");
  const missing = ignored.filter((line) => !lines.includes(line));
  if (missing.length > 0) replaceFile(file, [before.replace(/\n*$/, ""), ...missing, ""].join("\n"));
}
