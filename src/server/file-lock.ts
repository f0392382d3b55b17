import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { kill, pid } from "node:process";

import { systemCode, systemTrouble } from "../base/system-errors.ts";

const held = new Set<string>();

/** Takes `FILE.pid` for this process, also from one that is dead; returns what gives it back. Throws where one is alive. */
export function takeFileLock(file: string): () => void {
  const lock = `${file}.pid`;
  for (let attempt = 0; attempt < 3; attempt++) {
    if (create(lock)) return releaseOf(lock);
    const owner = ownerOf(lock);
    if (owner !== undefined && isAlive(lock, owner)) {
      throw new Error(
        `the data file ${file} is in use by process ${owner}; if that process is not a server, remove ${lock}`,
      );
    }
    rmSync(lock, { force: true });
  }
  throw new Error(`the data file ${file} is being opened by another process`);
}

function create(lock: string): boolean {
  try {
    const handle = openSync(lock, "wx");
    writeSync(handle, String(pid));
    closeSync(handle);
    held.add(lock);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw new Error(`cannot create ${lock}: ${systemTrouble(error)}`);
  }
}

function releaseOf(lock: string): () => void {
  return () => {
    held.delete(lock);
    rmSync(lock, { force: true });
  };
}

function ownerOf(lock: string): number | undefined {
  try {
    const owner = Number(readFileSync(lock, "utf8"));
    return Number.isInteger(owner) && owner > 0 ? owner : undefined;
  } catch {
    return undefined;
  }
}

/** This process's own number in a lock that it does not hold is that of an earlier one. */
function isAlive(lock: string, owner: number): boolean {
  if (owner === pid) return held.has(lock);
  try {
    kill(owner, 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}
