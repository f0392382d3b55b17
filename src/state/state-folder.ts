import { join } from "node:path";
import { UserError } from "../base/exit.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { isThere, makeFolder, readRegular, replaceFile } from "../workspace/durable-file.ts";
import { linkFault } from "../workspace/output-file.ts";

const heading = "# What stays on this machine. A ledger is committed.";

/** Lines of its `.gitignore`, above all for the key. */
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

/** Parts that are written. The key may be a link, because an existing one is only read. */
const written: readonly string[] = ["", ...ignored.filter((line) => line !== "*.key"), "ledger.ndjson"];

const purposes: Readonly<Record<string, string>> = { "journal/": "a journal in", lock: "the lock" };

/** @throws UserError if a link in the state folder leads out of the workspace. */
export function refuseLinks(root: string): void {
  for (const part of written) {
    const path = join(".evenkeel", part).replace(/[/\\]$/, "");
    const fault = linkFault(root, path);
    if (fault) throw new UserError(`cannot write ${purposes[part] ?? "to"} ${path}: ${fault}`);
  }
}

/**
 * Creates `.evenkeel` in the workspace, with a `.gitignore`.
 * @throws UserError if it cannot be created, or a link in it leads out of the workspace.
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

/** Adds missing lines. */
function ignore(file: string): void {
  const before = isThere(file) ? readRegular(file) : `${heading}\n`;
  const lines = before.split("\n");
  const missing = ignored.filter((line) => !lines.includes(line));
  if (missing.length > 0) replaceFile(file, [before.replace(/\n*$/, ""), ...missing, ""].join("\n"));
}
