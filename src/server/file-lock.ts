import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { kill, pid } from "node:process";
import { isObject } from "../base/json.ts";
import {
  hasEnded,
  hasEndedAsFarAsKnown,
  isSameProcess,
  ownMark,
  type ProcessMark,
  type ProcessSystem,
} from "../base/process-mark.ts";
import { describeSystemError, systemCode } from "../base/system-errors.ts";

/** That this process alone uses a file. */
export interface FileLock {
  /** @throws where another process took the lock meanwhile, as after a long pause of this one. */
  readonly check: () => void;
  readonly release: () => void;
}

const held = new Set<string>();

/** Milliseconds between two renewals, and after which a lock is free that nobody renewed. */
const [betweenRenewals, duration] = [5000, 30_000];

/**
 * Takes `FILE.pid` for this process, also from one that is known to have ended. One that cannot be asked, such as that of
 * another container, holds it for 30 seconds after its last renewal. Throws where the lock is held.
 */
export function takeFileLock(file: string): FileLock {
  const lock = `${file}.pid`;
  const text = JSON.stringify({ ...ownMark(system), renewed: true, id: randomBytes(6).toString("hex") });
  for (let attempt = 0; attempt < 3; attempt++) {
    if (create(lock, text)) return lockOf(file, lock, text);
    const holder = holderOf(lock);
    if (holder) {
      const { pid, host } = holder;
      throw new Error(
        `the data file ${file} is in use by process ${pid} on ${host}; if that process is not a server, remove ${lock}`,
      );
    }
    setAside(lock);
  }
  throw new Error(`the data file ${file} is being opened by another process`);
}

function lockOf(file: string, lock: string, text: string): FileLock {
  held.add(lock);
  const isHeld = () => textOf(lock) === text;
  const timer = setInterval(() => {
    if (isHeld()) touch(lock);
  }, betweenRenewals);
  timer.unref();
  return {
    check: () => {
      if (!isHeld())
        throw new Error(`the data file ${file} is not this server's any more: ${lock} is gone or another's`);
    },
    release: () => {
      clearInterval(timer);
      held.delete(lock);
      if (isHeld()) rmSync(lock, { force: true });
    },
  };
}

/** The file appears with its text in it or not at all, so that nobody takes a half-written lock for a dead one. */
function create(lock: string, text: string): boolean {
  const draft = `${lock}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(draft, text, { flag: "wx" });
    linkSync(draft, lock);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw new Error(`cannot create ${lock}: ${describeSystemError(error)}`);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Removes a lock that nobody holds; one that another process has taken meanwhile is put back. */
function setAside(lock: string): void {
  const aside = `${lock}.${randomBytes(6).toString("hex")}`;
  try {
    renameSync(lock, aside);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return;
    throw new Error(`cannot take over ${lock}: ${describeSystemError(error)}`);
  }
  if (holderOf(aside)) renameSync(aside, lock);
  else rmSync(aside, { force: true });
}

interface LockText extends ProcessMark {
  /** Left out by versions that did not renew their locks. */
  readonly renewed?: boolean;
}

function holderOf(lock: string): ProcessMark | undefined {
  const owner = ownerIn(textOf(lock) ?? "");
  if (!owner) return undefined;
  if (isSameProcess(owner, ownMark(system))) return held.has(lock) ? owner : undefined;
  if (!owner.renewed) return hasEndedAsFarAsKnown(owner, system) ? undefined : owner;
  return hasEnded(owner, system) || isOver(lock) ? undefined : owner;
}

/** An earlier version wrote the process ID alone. */
function ownerIn(text: string): LockText | undefined {
  try {
    const owner: unknown = JSON.parse(text);
    if (typeof owner === "number") return ownerIn(JSON.stringify({ pid: owner, host: hostname() }));
    const isOwner = isObject(owner) && Number.isInteger(owner.pid) && Number(owner.pid) > 0;
    return isOwner && typeof owner.host === "string" ? (owner as unknown as LockText) : undefined;
  } catch {
    return undefined;
  }
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

function textOf(file: string): string | undefined {
  return orNothing(() => readFileSync(file, "utf8"));
}

const system: ProcessSystem = {
  pid,
  host: hostname(),
  read: textOf,
  linkTarget: (path) => orNothing(() => readlinkSync(path)),
  exists: (number) => {
    try {
      kill(number, 0);
      return true;
    } catch (error) {
      return systemCode(error) !== "ESRCH";
    }
  },
};

function orNothing(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
