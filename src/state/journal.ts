import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { Refusal } from "../base/exit.ts";
import { systemTrouble } from "../base/system-errors.ts";
import { appendTo, isFolder, makeFolder, readRegular } from "../workspace/durable-file.ts";
import { outputTrouble } from "../workspace/output-file.ts";
import { stateFolder } from "./folder.ts";
import type { JournalEntry, JournalLine } from "./journal-entry.ts";

/** The journal of one run, open for appending. */
export interface Journal {
  readonly run: string;
  /**
   * Resolves when the entry is on disk, or to why it is not. Entries that arrive together share one flush; after one
   * that could not be written there are no others.
   */
  readonly write: (entry: JournalEntry) => Promise<string | undefined>;
  readonly close: () => Promise<void>;
}

/** Where journals lie, seen from the workspace. */
const journals = join(".evenkeel", "journal");

function fileOf(run: string): string {
  return join(journals, `${run}.ndjson`);
}

/** Makes sure that a journal can be kept, as far as that can be known. @throws Refusal where it cannot. */
export function readyJournal(root: string): void {
  stateFolder(root);
  const trouble = folderTrouble(join(root, journals)) ?? outputTrouble(join(root, fileOf("new")));
  if (trouble) throw new Refusal(`cannot write a journal in ${journals}: ${trouble}`);
}

function folderTrouble(folder: string): string | undefined {
  try {
    makeFolder(folder);
    return undefined;
  } catch (error) {
    return systemTrouble(error);
  }
}

/** Starts the journal of a new run in `.evenkeel/journal`. What keeps it from that is told by the first `write`. */
export function startJournal(root: string, now: () => Date): Journal {
  const run = `${now().toISOString().replace(/[-:]/g, "").slice(0, 15)}Z-${randomBytes(2).toString("hex")}`;
  const file = appendTo(join(root, fileOf(run)), "ax");
  return {
    run,
    write: (entry) => {
      const line = `${JSON.stringify({ at: now().toISOString(), ...entry })}\n`;
      return file.append(line).then(
        () => undefined,
        (error) => `the journal ${fileOf(run)} cannot be written: ${systemTrouble(error)}`,
      );
    },
    close: file.close,
  };
}

/** Who runs this, for the journal: `user@host`. */
export function whoRuns(): string {
  return `${userInfo().username}@${hostname()}`;
}

/** Names of the runs that have a journal, oldest first. @throws Refusal where the folder of journals cannot be read. */
export function listRuns(root: string): string[] {
  const folder = join(root, journals);
  try {
    if (!isFolder(folder)) return [];
    const files = readdirSync(folder).filter((name) => name.endsWith(".ndjson"));
    return files.map((name) => name.slice(0, -".ndjson".length)).sort();
  } catch (error) {
    throw new Refusal(`cannot read the journals in ${journals}: ${systemTrouble(error)}`);
  }
}

/**
 * The entries of a run, but for lines that a kill or a full disk cut short. Undefined where there is no such run.
 * @throws Refusal where its journal cannot be read.
 */
export function readRun(root: string, run: string): JournalLine[] | undefined {
  if (!listRuns(root).includes(run)) return undefined;
  return textOf(root, run)
    .split("\n")
    .flatMap((line) => parse(line) ?? []);
}

function textOf(root: string, run: string): string {
  try {
    return readRegular(join(root, fileOf(run)));
  } catch (error) {
    throw new Refusal(`cannot read the journal ${fileOf(run)}: ${systemTrouble(error)}`);
  }
}

function parse(line: string): JournalLine | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return isEntry(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** What each event has beside the time at which it was written. */
const parts: Readonly<Record<JournalEntry["event"], readonly string[]>> = {
  start: ["who", "server"],
  intent: ["address", "method", "path"],
  outcome: ["address", "status"],
  scheduled: ["address", "to"],
  end: [],
  noticed: [],
};

function isEntry(value: unknown): value is JournalLine {
  if (typeof value !== "object" || value === null || !("event" in value)) return false;
  const row: Readonly<Record<string, unknown>> = { ...value };
  const event = Object.entries(parts).find(([name]) => name === row.event);
  return event !== undefined && ["at", ...event[1]].every((name) => typeof row[name] === "string");
}

/** A run that neither ended nor was noticed since, and the addresses whose requests nobody saw answered. */
export interface UnfinishedRun {
  readonly run: string;
  readonly inFlight: readonly string[];
}

/** Runs that were killed, as a later one should name them. */
export function unfinishedRuns(root: string): UnfinishedRun[] {
  return listRuns(root).flatMap((run) => {
    const entries = readRun(root, run) ?? [];
    return entries.some(({ event }) => event === "end" || event === "noticed")
      ? []
      : [{ run, inFlight: inFlight(entries) }];
  });
}

/** Notes in the journal of a run cut short that a later one has named it. Returns why it could not. */
export async function notice(root: string, run: string, at: Date): Promise<string | undefined> {
  const entry: JournalLine = { at: at.toISOString(), event: "noticed" };
  const file = appendTo(join(root, fileOf(run)));
  try {
    await file.append(`\n${JSON.stringify(entry)}\n`);
    return undefined;
  } catch (error) {
    return `the journal ${fileOf(run)} cannot be written: ${systemTrouble(error)}`;
  } finally {
    await file.close();
  }
}

function inFlight(entries: readonly JournalLine[]): string[] {
  const open = new Set<string>();
  for (const entry of entries) {
    if (entry.event === "intent") open.add(entry.address);
    if (entry.event === "outcome" || entry.event === "scheduled") open.delete(entry.address);
  }
  return [...open];
}
