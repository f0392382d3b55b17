import fs, { lstatSync, statSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import process from "node:process";
import { UserError } from "../../base/exit.ts";
import { hasEnded, isSameProcess, ownMark, type ProcessMark, processSystem } from "../../base/process-mark.ts";
import { describeSystemError, systemCode } from "../../base/system-errors.ts";
import { readRegular } from "../../workspace/durable-file.ts";
import { type Holder, LeaseLostError, type LeaseToken } from "../lease-store.ts";

/** Content of the files `lock` and `watch.lock`. They are never rewritten: a renewal sets their modification time. */
export interface LockOwner extends ProcessMark {
  readonly since: string;
  readonly run: string;
  readonly who: string;
  readonly job?: string;
  readonly fence: number;
  /** Duration of the lease after each renewal. */
  readonly milliseconds: number;
}

/** The processes of this machine. */
export const thisSystem = processSystem(fs, os, process);

/** Files that this process holds. */
export const heldFiles = new Set<string>();

/** @throws LeaseLostError if the run no longer holds the lease; UserError if the lock cannot be read. */
export function checkHeld(folder: string, { run, fence }: LeaseToken): void {
  const file = join(folder, "lock");
  const owner = readOwner(file);
  if (owner?.run !== run || owner.fence !== fence || isOver(file, owner, Date.now())) throw new LeaseLostError(run);
}

/** The current lease holder, if any. */
export function holderIn(file: string): Holder | undefined {
  const owner = readOwner(file);
  if (!owner || !isHeld(file, owner, file)) return undefined;
  const { run, who, host, pid, job, fence, since, milliseconds } = owner;
  const renewed = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const deadline = new Date(renewed + milliseconds).toISOString();
  return { run, who, host, pid, job, fence, since, deadline };
}

/**
 * Undefined if there is no lock or its content is invalid: locks are created atomically, so no running process owns that.
 * @throws UserError if it is not a file or cannot be read.
 */
export function readOwner(file: string): LockOwner | undefined {
  try {
    if (!lstatSync(file, { throwIfNoEntry: false })) return undefined;
    return ownerIn(readRegular(file));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw new UserError(
      `cannot take the lock ${file}: ${describeSystemError(error)}; if no apply is running here, remove it`,
    );
  }
}

/** Undefined for invalid content. */
export function ownerIn(text: string): LockOwner | undefined {
  try {
    const owner: Partial<LockOwner> | null = JSON.parse(text);
    const { pid, host, run, fence, milliseconds } = owner ?? {};
    const isOwner = Number.isInteger(pid) && Number(pid) > 0 && typeof host === "string" && typeof run === "string";
    return isOwner && Number.isInteger(fence) && Number.isFinite(milliseconds) ? (owner as LockOwner) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the owner of a lock still holds it. `original` is the path of the lock, in case it was moved to `file`. */
export function isHeld(file: string, owner: LockOwner, original: string): boolean {
  return isAlive(owner, original) && !isOver(file, owner, Date.now());
}

/** A process that cannot be inspected, such as one in another container, counts as alive until its lease expires. */
function isAlive(owner: LockOwner, file: string): boolean {
  if (isSameProcess(owner, ownMark(thisSystem))) return heldFiles.has(file);
  return !hasEnded(owner, thisSystem);
}

function isOver(file: string, owner: LockOwner, now: number): boolean {
  const renewed = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return renewed === undefined || isOverAt(owner, renewed, now);
}

/** Whether a lock has expired. Times are milliseconds since the epoch. */
export function isOverAt({ milliseconds }: LockOwner, renewed: number, now: number): boolean {
  return now > renewed + milliseconds;
}
