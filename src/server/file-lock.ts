import { randomBytes } from "node:crypto";
import fs, { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import os from "node:os";
import process from "node:process";
import { UserError } from "../base/exit.ts";
import { isObject, parsedJson } from "../base/json.ts";
import { type ProcessMark, processMarks } from "../base/process-mark.ts";
import { describeSystemError, systemCode } from "../base/system-errors.ts";

/** Ensures that no other process uses a file. */
export interface FileLock {
  /** @throws if another process has taken the lock, for example after this one was suspended. */
  readonly check: () => void;
  readonly release: () => void;
}

const held = new Set<string>();
const marks = processMarks(fs, os, process);

/** Milliseconds. */
const renewalInterval = 5000;
/** A lock expires this many milliseconds after its last renewal. */
const duration = 30_000;

/**
 * Creates `FILE.pid`, also if the process that created it is known to have ended. One that cannot be inspected, such as
 * one in another container, holds the lock for 30 seconds after its last renewal. @throws UserError if the lock is held, or cannot be made.
 */
export function takeFileLock(file: string): FileLock {
  const lock = `${file}.pid`;
  const text = JSON.stringify({ ...marks.own(), id: randomBytes(6).toString("hex") });
  for (let attempt = 0; attempt < 3; attempt++) {
    if (create(lock, text)) return createLock(file, lock, text);
    const holder = readHolder(lock);
    if (holder) {
      const { pid, host } = holder;
      throw new UserError(
        `the data file ${file} is in use by process ${pid} on ${host}; if that process is not a server, remove ${lock}`,
      );
    }
    setAside(lock);
  }
  throw new UserError(`the data file ${file} is being opened by another process`);
}

function createLock(file: string, lock: string, text: string): FileLock {
  held.add(lock);
  const isHeld = () => readLock(lock) === text;
  const timer = setInterval(() => {
    if (isHeld()) touch(lock);
  }, renewalInterval);
  timer.unref();
  return {
    check: () => {
      if (!isHeld())
        throw new Error(`the data file ${file} is in use by another server: ${lock} was removed or replaced`);
    },
    release: () => {
      clearInterval(timer);
      held.delete(lock);
      if (isHeld()) rmSync(lock, { force: true });
    },
  };
}

/** The file is created with its content atomically, so that no process mistakes a half-written lock for an abandoned one. */
function create(lock: string, text: string): boolean {
  const draft = `${lock}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(draft, text, { flag: "wx" });
    linkSync(draft, lock);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw new UserError(`cannot create ${lock}: ${describeSystemError(error)}`);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Removes an abandoned lock. One that another process took in the meantime is put back. */
function setAside(lock: string): void {
  const aside = `${lock}.${randomBytes(6).toString("hex")}`;
  try {
    renameSync(lock, aside);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return;
    throw new UserError(`cannot take over ${lock}: ${describeSystemError(error)}`);
  }
  if (readHolder(aside)) renameSync(aside, lock);
  else rmSync(aside, { force: true });
}

function readHolder(lock: string): ProcessMark | undefined {
  const owner = parseOwner(readLock(lock) ?? "");
  return owner && marks.mayLive(owner, held.has(lock)) && !isOver(lock) ? owner : undefined;
}

function readLock(lock: string): string | undefined {
  try {
    return readFileSync(lock, "utf8");
  } catch {
    return undefined;
  }
}

/** Undefined for invalid content. */
function parseOwner(text: string): ProcessMark | undefined {
  const owner = parsedJson(text);
  const isOwner = isObject(owner) && Number.isInteger(owner.pid) && Number(owner.pid) > 0;
  return isOwner && typeof owner.host === "string" ? (owner as unknown as ProcessMark) : undefined;
}

function isOver(lock: string): boolean {
  const renewed = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  return renewed === undefined || Date.now() > renewed + duration;
}

function touch(lock: string): void {
  try {
    const now = new Date();
    utimesSync(lock, now, now);
  } catch {
    // The next write finds out whether the lock is still held.
  }
}
