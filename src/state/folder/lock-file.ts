import { lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../base/exit.ts";
import { hasEnded, hasEndedAsFarAsKnown, isSameProcess, ownMark, type ProcessMark } from "../../base/process-mark.ts";
import { describeSystemError, systemCode } from "../../base/system-errors.ts";
import { readRegular } from "../../workspace/durable-file.ts";
import type { Holder, LeaseToken } from "../state.ts";
import { LeaseLostError } from "../trouble.ts";
import { thisSystem } from "./process-system.ts";

/**
 * What the files `lock` and `watch.lock` hold. They are never rewritten: a renewal touches them. Before leases ended by themselves there was
 * no `run` and no `milliseconds`.
 */
export interface LockOwner extends ProcessMark {
  readonly since: string;
  readonly run?: string;
  readonly who?: string;
  readonly job?: string;
  readonly fence?: number;
  readonly milliseconds?: number;
}

/** Files that this process holds. */
export const heldFiles = new Set<string>();

/** @throws LeaseLostError where a run does not hold the lease any more; UserError where nobody can tell. */
export function checkHeld(folder: string, { run, fence }: LeaseToken): void {
  const file = join(folder, "lock");
  const owner = readOwner(file);
  if (owner?.run !== run || owner.fence !== fence || isOver(file, owner, Date.now())) throw new LeaseLostError(run);
}

/** Who holds the lease; undefined where nobody does any more. */
export function holderIn(file: string): Holder | undefined {
  const owner = readOwner(file);
  if (!owner || !isHeld(file, owner, file)) return undefined;
  const { run = `process-${owner.pid}`, who = "somebody", host, pid, job, fence = 0, since, milliseconds } = owner;
  const touched = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const deadline = milliseconds === undefined ? undefined : new Date(touched + milliseconds).toISOString();
  return { run, who, host, pid, job, fence, since, deadline };
}

/**
 * Undefined where the lock is gone, or holds nothing that a lock does: it appears whole, so it is none of a living run.
 * @throws UserError where it is no file or cannot be read, and nobody can tell.
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

/** Undefined for a text that no lock has. */
export function ownerIn(text: string): LockOwner | undefined {
  try {
    const owner: Partial<LockOwner> | null = JSON.parse(text);
    const isOwner = Number.isInteger(owner?.pid) && Number(owner?.pid) > 0 && typeof owner?.host === "string";
    return isOwner ? (owner as LockOwner) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the owner of a lock still holds it. `home`: where the file lay, if it was moved. */
export function isHeld(file: string, owner: LockOwner, home: string): boolean {
  return isAlive(owner, home) && !isOver(file, owner, Date.now());
}

/**
 * A process that this one cannot ask, such as that of another machine or container, counts as alive: its lease ends by its
 * time. A lock of before leases had one ends with its process alone.
 */
function isAlive(owner: LockOwner, file: string): boolean {
  if (isSameProcess(owner, ownMark(thisSystem))) return heldFiles.has(file);
  return owner.milliseconds === undefined ? !hasEndedAsFarAsKnown(owner, thisSystem) : !hasEnded(owner, thisSystem);
}

function isOver(file: string, owner: LockOwner, now: number): boolean {
  const touched = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return touched === undefined || isOverAt(owner, touched, now);
}

/** Whether a lock that was last touched then, in milliseconds, has ended. */
export function isOverAt({ milliseconds }: LockOwner, touched: number, now: number): boolean {
  return milliseconds !== undefined && now > touched + milliseconds;
}
