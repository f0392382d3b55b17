import { randomBytes } from "node:crypto";
import { linkSync, lstatSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { pid } from "node:process";
import { Refusal } from "../base/exit.ts";
import { systemTrouble } from "../base/system-errors.ts";
import { readRegular } from "../workspace/durable-file.ts";
import { stateFolder } from "./folder.ts";
import { bootOfMachine, isRunning, type ProcessMark, startOfProcess } from "./process-mark.ts";

interface Owner extends ProcessMark {
  readonly host: string;
  readonly since: string;
}

/** Locks that this process holds: its own number in any other is that of an earlier process. */
const held = new Set<string>();

/**
 * Takes the workspace's lock, so that two applies never overlap; a lock whose owner is dead is taken over. Disposing
 * gives it back. @throws Refusal where another apply holds it, or it cannot be taken.
 */
export function takeLock(root: string, now: () => Date): Disposable {
  const file = join(stateFolder(root), "lock");
  const owner: Owner = {
    pid,
    host: hostname(),
    since: now().toISOString(),
    boot: bootOfMachine(),
    started: startOfProcess(pid),
  };
  const text = JSON.stringify(owner);
  for (let attempt = 0; attempt < 3; attempt++) {
    if (create(file, text)) return heldLock(file, text);
    setAside(file);
  }
  throw new Refusal(`another apply just took the lock ${file}`);
}

/** The file appears with its text in it or not at all, so that nobody takes a half-written lock for a dead one. */
function create(file: string, text: string): boolean {
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(draft, text, { flag: "wx" });
    linkSync(draft, file);
    held.add(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw new Refusal(`cannot take the lock ${file}: ${systemTrouble(error)}`);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Gives back what is still this process's own; a lock that cannot be removed is taken over by the next run. */
function heldLock(file: string, text: string): Disposable {
  const release = () => {
    held.delete(file);
    try {
      if (readRegular(file) === text) rmSync(file, { force: true });
    } catch {}
  };
  return { [Symbol.dispose]: release };
}

/** Moves a dead owner's lock away under a name of this process's own, so that of two takers only one gets it. */
function setAside(file: string): void {
  const owner = readOwner(file);
  if (owner && isAlive(owner, file)) throw new Refusal(heldBy(file, owner));
  const aside = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    renameSync(file, aside);
    const moved = readOwner(aside);
    if (moved && isAlive(moved, file)) renameSync(aside, file);
    else rmSync(aside, { force: true });
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw new Refusal(`cannot take over the lock ${file}: ${systemTrouble(error)}`);
  }
}

function heldBy(file: string, owner: Owner): string {
  const { since, host } = owner;
  return `another apply holds this workspace since ${since} (process ${owner.pid} on ${host}); if it is gone, remove ${file}`;
}

/**
 * Undefined where the lock is gone, or holds nothing that a lock does: it appears whole, so it is none of a living run.
 * @throws Refusal where it is no file or cannot be read, and nobody can tell.
 */
function readOwner(file: string): Owner | undefined {
  try {
    if (!lstatSync(file, { throwIfNoEntry: false })) return undefined;
    return ownerIn(readRegular(file));
  } catch (error) {
    throw new Refusal(`cannot take the lock ${file}: ${systemTrouble(error)}; if no apply is running here, remove it`);
  }
}

function ownerIn(text: string): Owner | undefined {
  try {
    const owner: Partial<Owner> | null = JSON.parse(text);
    const isOwner = Number.isInteger(owner?.pid) && Number(owner?.pid) > 0 && typeof owner?.host === "string";
    return isOwner ? (owner as Owner) : undefined;
  } catch {
    return undefined;
  }
}

/** A process of another machine cannot be asked, and counts as alive. */
function isAlive(owner: Owner, file: string): boolean {
  if (owner.host !== hostname()) return true;
  return owner.pid === pid ? held.has(file) : isRunning(owner);
}
