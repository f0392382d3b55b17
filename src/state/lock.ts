import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { kill, pid } from "node:process";
import { Refusal } from "../base/exit.ts";
import { stateFolder } from "./folder.ts";

interface Owner {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

/**
 * Takes the workspace's lock, so that two applies never overlap; a lock whose owner is dead is taken over. Returns what
 * gives it back. Throws {@link Refusal} where another apply holds it.
 */
export function takeLock(root: string, now: () => Date): () => void {
  const file = join(stateFolder(root), "lock");
  const owner: Owner = { pid, host: hostname(), since: now().toISOString() };
  for (let attempt = 0; attempt < 3; attempt++) {
    if (create(file, JSON.stringify(owner))) return () => rmSync(file, { force: true });
    setAside(file);
  }
  throw new Refusal(`another apply has just taken the lock ${file}`);
}

/** The file appears with its text in it or not at all, so that nobody takes a half-written lock for a dead one. */
function create(file: string, text: string): boolean {
  const draft = `${file}.${pid}`;
  try {
    writeFileSync(draft, text);
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw new Refusal(`cannot take the lock ${file}: ${(error as Error).message}`);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Moves a dead owner's lock away under this process's own name, so that of two takers only one gets it. */
function setAside(file: string): void {
  const owner = readOwner(file);
  if (owner && isAlive(owner)) throw new Refusal(held(file, owner));
  const aside = `${file}.${pid}.old`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  const moved = readOwner(aside);
  if (moved && isAlive(moved)) renameSync(aside, file);
  else rmSync(aside, { force: true });
}

function held(file: string, owner: Owner): string {
  const { since, host } = owner;
  return `another apply holds this workspace since ${since} (process ${owner.pid} on ${host}); if it is gone, remove ${file}`;
}

function readOwner(file: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Owner;
  } catch {
    return undefined;
  }
}

/** A process of another machine cannot be asked, and counts as alive. */
function isAlive(owner: Owner): boolean {
  if (owner.host !== hostname()) return true;
  try {
    kill(owner.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
