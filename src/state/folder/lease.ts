import { randomBytes } from "node:crypto";
import {
  closeSync,
  fstatSync,
  futimesSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { UserError } from "../../base/exit.ts";
import { ownMark } from "../../base/process-mark.ts";
import { describeSystemError, systemCode } from "../../base/system-errors.ts";
import { readRegular } from "../../workspace/durable-file.ts";
import type { Claim, Holder, Leases, LeaseToken } from "../lease-store.ts";
import { heldFiles, holderIn, isHeld, isOverAt, type LockOwner, ownerIn, readOwner, thisSystem } from "./lock-file.ts";

/** A lease as a lock file. It also ends when its process is known to have ended. */
export function folderLeases(folder: string, ready: () => void, name: "lock" | "watch.lock"): Leases {
  const file = join(folder, name);
  return {
    take: async (claim, milliseconds) => {
      ready();
      return take(file, claim, milliseconds, new Date());
    },
    renew: async (token) => renew(file, token, new Date()),
    remaining: async ({ run, fence }) => {
      const holder = holderIn(file);
      if (holder?.run !== run || holder.fence !== fence) return 0;
      return Math.max(0, Date.parse(holder.deadline ?? "") - Date.now());
    },
    giveBack: async (token) => giveBack(file, token),
    holder: async () => holderIn(file),
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
    ...ownMark(thisSystem),
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
    const owner = ownerIn(readFileSync(opened, "utf8"));
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

/** Removes the lock if this run still owns it. One that cannot be removed expires. */
function giveBack(file: string, { run, fence }: LeaseToken): void {
  heldFiles.delete(file);
  try {
    const owner = ownerIn(readRegular(file));
    if (owner?.run === run && owner.fence === fence) rmSync(file, { force: true });
  } catch {}
}

function release(file: string, run: string): boolean {
  if (holderIn(file)?.run !== run) return false;
  try {
    rmSync(file, { force: true });
    return true;
  } catch (error) {
    throw new UserError(`cannot release the lock ${file}: ${describeSystemError(error)}`);
  }
}

/** Renames an abandoned lock to a unique name, so that only one process takes it over. Returns the holder if there is one. */
function setAside(file: string): Holder | undefined {
  const holder = holderIn(file);
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
