import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  existsSync,
  fdatasync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  write as writeTo,
} from "node:fs";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { stateFolder } from "./folder.ts";
import type { Entry, Written } from "./journal-entry.ts";

/** The journal of one run, open for appending. */
export interface Journal {
  readonly run: string;
  /** Resolves when the entry is on disk. Entries that arrive together share one flush. */
  readonly write: (entry: Entry) => Promise<void>;
  readonly close: () => Promise<void>;
}

const sync = promisify(fdatasync);
const writeText = promisify<number, string, number>((fd, text, done) =>
  writeTo(fd, text, (error, n) => done(error, n)),
);

/** Starts the journal of a new run in `.evenkeel/journal`. */
export function startJournal(root: string, now: () => Date): Journal {
  const folder = join(stateFolder(root), "journal");
  mkdirSync(folder, { recursive: true });
  const run = `${now().toISOString().replace(/[-:]/g, "").slice(0, 15)}Z-${randomBytes(2).toString("hex")}`;
  const file = openSync(join(folder, `${run}.ndjson`), "ax");
  const append = appender(file);
  return {
    run,
    write: (entry) => append(`${JSON.stringify({ at: now().toISOString(), ...entry })}\n`),
    close: async () => {
      await append("");
      closeSync(file);
    },
  };
}

function appender(file: number): (line: string) => Promise<void> {
  let waiting = "";
  let next: Promise<void> | undefined;
  let current: Promise<void> = Promise.resolve();
  const flush = async () => {
    await current;
    const text = waiting;
    waiting = "";
    next = undefined;
    current = text ? writeText(file, text).then(() => sync(file)) : Promise.resolve();
    await current;
  };
  return (line) => {
    waiting += line;
    next ??= flush();
    return next;
  };
}

/** Who runs this, for the journal: `user@host`. */
export function whoRuns(): string {
  return `${userInfo().username}@${hostname()}`;
}

/** Names of the runs that have a journal, oldest first. */
export function listRuns(root: string): string[] {
  const folder = join(root, ".evenkeel", "journal");
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => name.endsWith(".ndjson"));
  return files.map((name) => name.slice(0, -".ndjson".length)).sort();
}

/** The entries of a run, but for a last line that a kill cut short. Undefined where there is no such run. */
export function readRun(root: string, run: string): Written[] | undefined {
  const file = join(root, ".evenkeel", "journal", `${run}.ndjson`);
  if (!listRuns(root).includes(run)) return undefined;
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => parse(line) ?? []);
}

function parse(line: string): Written | undefined {
  try {
    return line ? (JSON.parse(line) as Written) : undefined;
  } catch {
    return undefined;
  }
}

/** A run that neither ended nor was noticed since, and the addresses whose requests nobody saw answered. */
export interface CutShort {
  readonly run: string;
  readonly inFlight: readonly string[];
}

/** Runs that were killed, as a later one should name them. */
export function runsCutShort(root: string): CutShort[] {
  return listRuns(root).flatMap((run) => {
    const entries = readRun(root, run) ?? [];
    return entries.some(({ event }) => event === "end" || event === "noticed")
      ? []
      : [{ run, inFlight: inFlight(entries) }];
  });
}

/** Notes in the journal of a run cut short that a later one has named it. */
export function notice(root: string, run: string, at: Date): void {
  const entry: Written = { at: at.toISOString(), event: "noticed" };
  appendFileSync(join(root, ".evenkeel", "journal", `${run}.ndjson`), `\n${JSON.stringify(entry)}\n`);
}

function inFlight(entries: readonly Written[]): string[] {
  const open = new Set<string>();
  for (const entry of entries) {
    if (entry.event === "intent") open.add(entry.address);
    if (entry.event === "outcome" || entry.event === "scheduled") open.delete(entry.address);
  }
  return [...open];
}
