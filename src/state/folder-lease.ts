import { randomBytes } from "node:crypto";
import {
  closeSync,
  fstatSync,
  futimesSync,
  linkSync,
  lstatSync,
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
import { describeSystemError, systemCode } from "../base/system-errors.ts";
import { readRegular } from "../workspace/durable-file.ts";
import { type Claim, type Holder, LeaseLostError, type Leases, type LeaseToken } from "./lease.ts";

/** Identifies a process: `system` is the boot and the PID namespace in which its number is valid, if known. */
interface ProcessMark {
  readonly pid: number;
  readonly host: string;
  readonly system?: string | undefined;
}

/** Content of the files `lock` and `watch.lock`. They are never rewritten: a renewal sets their modification time. */
interface LockOwner extends ProcessMark {
  readonly since: string;
  readonly run: string;
  readonly who: string;
  readonly job?: string;
  readonly fence: number;
  readonly milliseconds: number;
}

const heldFiles = new Set<string>();

/** A lease as a lock file. It also ends when its process is known to have ended. */
export function folderLeases(file: string, ready: () => void): Leases {
  return {
    take: async (claim, milliseconds) => {
      ready();
      return take(file, claim, milliseconds, new Date());
    },
    renew: async (token) => renew(file, token, new Date()),
    remaining: async ({ run, fence }) => {
      const holder = readHolder(file);
      if (holder?.run !== run || holder.fence !== fence) return 0;
      return Math.max(0, Date.parse(holder.deadline ?? "") - Date.now());
    },
    giveBack: async (token) => giveBack(file, token),
    holder: async () => readHolder(file),
    release: async (run) => release(file, run),
  };
}

function take(file: string, claim: Claim, milliseconds: number, now: Date): LeaseToken | { heldBy: Holder } {
  for (let attempt = 0; attempt < 3; attempt++) {
    const before = readOwner(file);
    const fence = Math.max(now.getTime(), (before?.fence ?? 0) + 1);
    if (create(file, lockContent(claim, milliseconds, fence, now))) return { run: claim.run, fence };
    const heldBy = setAside(file);
    if (heldBy) return { heldBy };
  }
  throw new UserError(`another run just took the lock ${file}`);
}

function lockContent({ run, who, host, pid, job }: Claim, milliseconds: number, fence: number, now: Date): string {
  const owner: LockOwner = {
    ...ownMark(),
    pid,
    host,
    since: now.toISOString(),
    run,
    who,
    ...(job !== undefined && { job }),
    fence,
    milliseconds,
  };
  return JSON.stringify(owner);
}

/** The file is created with its content atomically, so that no process mistakes a half-written lock for an abandoned one. */
function create(file: string, text: string): boolean {
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
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

/** Touches the file that was read, by its descriptor, so that no other run's lease is extended. */
function renew(file: string, { run, fence }: LeaseToken, now: Date): boolean {
  let opened: number | undefined;
  try {
    opened = openSync(file, "r+");
    const owner = parseOwner(readFileSync(opened, "utf8"));
    if (owner?.run !== run || owner.fence !== fence || isOverAt(owner, fstatSync(opened).mtimeMs, now.getTime()))
      return false;
    futimesSync(opened, now, now);
    return true;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw new UserError(`cannot renew the lock ${file}: ${describeSystemError(error)}`);
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

function giveBack(file: string, { run, fence }: LeaseToken): void {
  heldFiles.delete(file);
  try {
    const owner = parseOwner(readRegular(file));
    if (owner?.run === run && owner.fence === fence) rmSync(file, { force: true });
  } catch {}
}

function release(file: string, run: string): boolean {
  if (readHolder(file)?.run !== run) return false;
  try {
    rmSync(file, { force: true });
    return true;
  } catch (error) {
    throw new UserError(`cannot release the lock ${file}: ${describeSystemError(error)}`);
  }
}

/** Renames an abandoned lock to a unique name, so that only one process takes it over. Returns the holder if there is one. */
function setAside(file: string): Holder | undefined {
  const holder = readHolder(file);
  if (holder) return holder;
  const aside = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    renameSync(file, aside);
    const moved = readOwner(aside);
    if (moved && isHeld(aside, moved, file)) renameSync(aside, file);
    else rmSync(aside, { force: true });
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (systemCode(error) !== "ENOENT")
      throw new UserError(`cannot take over the lock ${file}: ${describeSystemError(error)}`);
  }
  return undefined;
}

/** @throws LeaseLostError if the run no longer holds the lease; UserError if the lock cannot be read. */
export function checkHeld(file: string, { run, fence }: LeaseToken): void {
  const owner = readOwner(file);
  if (owner?.run !== run || owner.fence !== fence || isOver(file, owner, Date.now())) throw new LeaseLostError(run);
}

function readHolder(file: string): Holder | undefined {
  const owner = readOwner(file);
  if (!owner || !isHeld(file, owner, file)) return undefined;
  const { run, who, host, pid, job, fence, since, milliseconds } = owner;
  const renewed = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const deadline = new Date(renewed + milliseconds).toISOString();
  return { run, who, host, pid, job, fence, since, deadline };
}

/** Undefined for invalid content too: locks are created atomically, so no running process owns that. */
function readOwner(file: string): LockOwner | undefined {
  try {
    if (!lstatSync(file, { throwIfNoEntry: false })) return undefined;
    return parseOwner(readRegular(file));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw new UserError(
      `cannot take the lock ${file}: ${describeSystemError(error)}; if no apply is running here, remove it`,
    );
  }
}

function parseOwner(text: string): LockOwner | undefined {
  try {
    const owner: Partial<LockOwner> | null = JSON.parse(text);
    const { pid, host, run, fence, milliseconds } = owner ?? {};
    const isOwner = Number.isInteger(pid) && Number(pid) > 0 && typeof host === "string" && typeof run === "string";
    return isOwner && Number.isInteger(fence) && Number.isFinite(milliseconds) ? (owner as LockOwner) : undefined;
  } catch {
    return undefined;
  }
}

/** True if the owner of a lock still holds it. `original` is the path of the lock, in case it was moved to `file`. */
function isHeld(file: string, owner: LockOwner, original: string): boolean {
  return mayLive(owner, heldFiles.has(original)) && !isOver(file, owner, Date.now());
}

function isOver(file: string, owner: LockOwner, now: number): boolean {
  const renewed = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return renewed === undefined || isOverAt(owner, renewed, now);
}

function isOverAt({ milliseconds }: LockOwner, renewed: number, now: number): boolean {
  return now > renewed + milliseconds;
}

export function ownMark(): ProcessMark {
  return { pid: process.pid, host: hostname(), system: readSystem() };
}

function readSystem(): string | undefined {
  return ifPossible(() => {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid", "utf8")}`;
  });
}

/** False if a process has certainly ended. `isHolding`: what this process itself knows about its own mark. */
function mayLive({ pid, host, system }: ProcessMark, isHolding: boolean): boolean {
  const here = ownMark();
  if (system === undefined || system !== here.system || host !== here.host) return true;
  if (pid === here.pid) return isHolding;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== "ESRCH";
  }
}
