import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { UserError } from "../base/exit.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { isThere, makeFolder, readRegular, replaceFile } from "../workspace/durable-file.ts";
import { linkFault } from "../workspace/output-file.ts";
import type { JournalLine } from "./journal.ts";

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

export function refuseLinks(root: string): void {
  for (const part of written) {
    const path = join(".evenkeel", part).replace(/[/\\]$/, "");
    const fault = linkFault(root, path);
    if (fault) throw new UserError(`cannot write ${purposes[part] ?? "to"} ${path}: ${fault}`);
  }
}

/** Creates `.evenkeel` with a `.gitignore`. @throws UserError, also if a link in it leads out of the workspace. */
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

function ignore(file: string): void {
  const before = isThere(file) ? readRegular(file) : `${heading}\n`;
  const lines = before.split("\n");
  const missing = ignored.filter((line) => !lines.includes(line));
  if (missing.length > 0) replaceFile(file, [before.replace(/\n*$/, ""), ...missing, ""].join("\n"));
}

/** Writes them to a new file, if necessary in the temporary folder; returns a message with its name. */
export function saveUnstored(root: string, run: string, lines: readonly JournalLine[]): string | undefined {
  const outcomes = lines.filter(isOfRequest);
  if (outcomes.length === 0) return undefined;
  const name = `${run}.${randomBytes(4).toString("hex")}`;
  const text = outcomes.map((line) => `${JSON.stringify(line)}\n`).join("");
  const what = `${outcomes.length} of the outcomes of run ${run} could not be stored`;
  let why = "";
  for (const place of [() => join(stateFolder(root), "journal", name), () => join(tmpdir(), `evenkeel-${name}`)]) {
    try {
      const file = `${place()}.unstored`;
      makeFolder(dirname(file));
      replaceFile(file, text, 0o600);
      return `${what} and are in ${file}`;
    } catch (error) {
      why = error instanceof UserError ? error.message : describeSystemError(error);
    }
  }
  return `${what}: ${why}`;
}

function isOfRequest(line: JournalLine): boolean {
  return (
    line.event === "scheduled" || line.event === "deleted" || (line.event === "result" && line.status !== "skipped")
  );
}
