import { readdirSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../base/exit.ts";
import { describeSystemError, systemCode } from "../../base/system-errors.ts";
import { appendTo } from "../../workspace/append-file.ts";
import { folderError, isFolder, isThere, readRegular } from "../../workspace/durable-file.ts";
import { outputError } from "../../workspace/output-file.ts";
import { isRunName } from "../claim.ts";
import { isUnfinished, journalLineIn } from "../journal.ts";
import type { JournalLine } from "../journal-entry.ts";
import type { LeaseToken } from "../lease-store.ts";
import type { JournalAppender, Journals } from "../state.ts";
import { stateFile } from "./file-name.ts";
import { checkHeld } from "./lock-file.ts";

/** One file of JSON lines per run. */
const home = join(".evenkeel", "journal");

/** The journals of a workspace's folder. */
export function folderJournals(root: string, ready: () => void): Journals {
  return {
    writeError: () => {
      ready();
      return writeErrorIn(root);
    },
    open: (token) => appender(root, token, ready),
    list: async () => listRuns(root),
    read: async (run) => readRun(root, run),
    unfinished: async () => listRuns(root).filter((run) => isUnfinished(readRun(root, run) ?? [])),
    extend: (token, run, lines) => {
      ready();
      return extend(root, token, run, lines);
    },
  };
}

function fileOf(run: string): string {
  return join(home, stateFile(run, "ndjson"));
}

function writeErrorIn(root: string): string | undefined {
  const why = folderError(join(root, home)) ?? outputError(join(root, fileOf("new")));
  return why && `cannot write a journal in ${home}: ${why}`;
}

function appender(root: string, token: LeaseToken, ready: () => void): JournalAppender {
  ready();
  folderError(join(root, home));
  const { append, close } = appendTo(join(root, fileOf(token.run)), "ax");
  return {
    append: async (line) => {
      checkHeld(join(root, ".evenkeel"), token);
      await append(`${JSON.stringify(line)}\n`).catch((error) => unwritable(token.run, error));
    },
    close,
  };
}

function unwritable(run: string, error: unknown): never {
  const why = systemCode(error) === "ELOOP" ? "it is a symbolic link" : describeSystemError(error);
  throw new UserError(`the journal ${fileOf(run)} cannot be written: ${why}`);
}

/** Starts on a new line, because a kill may have cut the last one short. */
async function extend(root: string, token: LeaseToken, run: string, lines: readonly JournalLine[]): Promise<void> {
  if (lines.length === 0) return;
  checkHeld(join(root, ".evenkeel"), token);
  folderError(join(root, home));
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const whole = isThere(join(root, fileOf(run))) ? `\n${text}` : text;
  const file = appendTo(join(root, fileOf(run)));
  await file
    .append(whole)
    .catch((error) => unwritable(run, error))
    .finally(file.close);
}

function listRuns(root: string): string[] {
  const folder = join(root, home);
  try {
    if (!isFolder(folder)) return [];
    const files = readdirSync(folder).filter((name) => name.endsWith(".ndjson"));
    return files
      .map((name) => name.slice(0, -".ndjson".length))
      .filter(isRunName)
      .sort();
  } catch (error) {
    throw new UserError(`cannot read the journals in ${home}: ${describeSystemError(error)}`);
  }
}

function readRun(root: string, run: string): JournalLine[] | undefined {
  if (!listRuns(root).includes(run)) return undefined;
  return readJournal(root, run)
    .split("\n")
    .flatMap((line) => journalLineIn(line) ?? []);
}

function readJournal(root: string, run: string): string {
  try {
    return readRegular(join(root, fileOf(run)));
  } catch (error) {
    throw new UserError(`cannot read the journal ${fileOf(run)}: ${describeSystemError(error)}`);
  }
}
