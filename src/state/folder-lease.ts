import { randomBytes } from "node:crypto";
import {
  closeSync,
  fstatSync,
  futimesSync,
  linkSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import process from "node:process";
import { ifPossible, UserError } from "../base/exit.ts";
import { isObject, parsedJson } from "../base/json.ts";
import { attempt, describeSystemError, systemCode } from "../base/system-errors.ts";
import { readRegular } from "../workspace/durable-file.ts";
import { type Claim, type Holder, LeaseLostError, type Leases, type LeaseToken } from "./lease.ts";

/** Content of a lock file. It is never rewritten: a renewal sets its modification time. */
interface LockOwner extends Omit<Holder, "deadline"> {
  /** The boot and the PID namespace in which its number is valid, if known. */
  readonly system?: string | undefined;
  readonly milliseconds: number;
}

interface Lock extends LockOwner {
  readonly end: number;
}

const heldFiles = new Set<string>();

/** A lease as a lock file. It also ends when its process is known to have ended. */
export function folderLeases(file: string, ready: () => void): Leases {
  return {
    take: async (claim, milliseconds) => {
      ready();
      return take(file, claim, milliseconds);
    },
    renew: async (token) => renew(file, token),
    remaining: async (token) => Math.max(0, (heldLock(token, readLock(file))?.end ?? 0) - Date.now()),
    holder: async () => findHolder(file),
    release: async (run, fence) => {
      if (fence !== undefined) heldFiles.delete(file);
      const lock = fence === undefined ? findHolder(file) : readLock(file);
      if (lock?.run !== run || lock.fence !== (fence ?? lock.fence)) return false;
      attempt(`cannot release the lock ${file}`, () => rmSync(file, { force: true }));
      return true;
    },
  };
}

function take(file: string, claim: Claim, milliseconds: number): LeaseToken | { heldBy: Holder } {
  for (let round = 0; round < 3; round++) {
    const now = new Date();
    const fence = Math.max(now.getTime(), (readLock(file)?.fence ?? 0) + 1);
    const owner: LockOwner = { ...ownMark(), since: now.toISOString(), ...claim, fence, milliseconds };
    if (create(file, JSON.stringify(owner))) return { run: claim.run, fence };
    const heldBy = findHolder(file);
    if (heldBy) return { heldBy };
    setAside(file);
  }
  throw new UserError(`another run just took the lock ${file}`);
}

/** The file is created with its content atomically, so that no process mistakes a half-written lock for an abandoned one. */
function create(file: string, text: string): boolean {
  const draft = besides(file);
  try {
    writeFileSync(draft, text, { flag: "wx" });
    linkSync(draft, file);
    heldFiles.add(file);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw new UserError(`cannot take the lock ${file}: ${describeSystemError(error)}`);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Renames an abandoned lock to a unique name, so that only one process takes it over. */
function setAside(file: string): void {
  const aside = besides(file);
  const move = () => {
    renameSync(file, aside);
    if (isHeld(readLock(aside), file)) renameSync(aside, file);
    else rmSync(aside, { force: true });
  };
  attempt(`cannot take over the lock ${file}`, () => unlessGone(move));
}

function besides(file: string): string {
  return `${file}.${randomBytes(6).toString("hex")}`;
}

/** Touches the file that was read, by its descriptor, so that no other run's lease is extended. */
function renew(file: string, token: LeaseToken): boolean {
  return attempt(`cannot renew the lock ${file}`, () => {
    const opened = unlessGone(() => openSync(file, "r+"));
    if (opened === undefined) return false;
    try {
      if (!heldLock(token, parseLock(readFileSync(opened, "utf8"), fstatSync(opened).mtimeMs))) return false;
      const now = new Date();
      futimesSync(opened, now, now);
      return true;
    } finally {
      closeSync(opened);
    }
  });
}

/** @throws LeaseLostError if the run no longer holds the lease; UserError if the lock cannot be read. */
export function checkHeld(file: string, token: LeaseToken): void {
  if (!heldLock(token, readLock(file))) throw new LeaseLostError(token.run);
}

function heldLock({ run, fence }: LeaseToken, lock: Lock | undefined): Lock | undefined {
  return lock?.run === run && lock.fence === fence && lock.end >= Date.now() ? lock : undefined;
}

function findHolder(file: string): Holder | undefined {
  const lock = readLock(file);
  if (!lock || !isHeld(lock, file)) return undefined;
  const { run, who, host, pid, job, fence, since, end } = lock;
  return { run, who, host, pid, job, fence, since, deadline: new Date(end).toISOString() };
}

/** Undefined for invalid content too: locks are created atomically, so no running process owns that. */
function readLock(file: string): Lock | undefined {
  try {
    return unlessGone(() => parseLock(readRegular(file), statSync(file).mtimeMs));
  } catch (error) {
    const why = `${describeSystemError(error)}; if no apply is running here, remove it`;
    throw new UserError(`cannot take the lock ${file}: ${why}`);
  }
}

function unlessGone<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function parseLock(text: string, renewed: number): Lock | undefined {
  const owner = parsedJson(text);
  if (!isObject(owner)) return undefined;
  const { pid, host, run, fence, milliseconds } = owner;
  const isOwner = Number.isInteger(pid) && Number(pid) > 0 && typeof host === "string" && typeof run === "string";
  if (!isOwner || !Number.isInteger(fence) || !Number.isFinite(milliseconds)) return undefined;
  return { ...(owner as unknown as LockOwner), end: renewed + Number(milliseconds) };
}

/** False if it expired, or if its process has certainly ended. `file` is the path at which it was taken. */
function isHeld(lock: Lock | undefined, file: string): boolean {
  if (!lock || lock.end < Date.now()) return false;
  const { pid, host, system } = lock;
  const here = ownMark();
  if (system === undefined || system !== here.system || host !== here.host) return true;
  if (pid === here.pid) return heldFiles.has(file);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== "ESRCH";
  }
}

export function ownMark(): Pick<LockOwner, "pid" | "host" | "system"> {
  const system = ifPossible(() => {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid", "utf8")}`;
  });
  return { pid: process.pid, host: hostname(), system };
}
