import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

/** A variable that a process and all that it starts inherit, in whatever group or session they are. */
export interface Marker {
  readonly name: string;
  readonly value: string;
}

/** A marker of one call. */
export function newMarker(): Marker {
  return { name: "PROVIDER_CALL", value: randomUUID() };
}

/** Processes may start others while they are being ended; one that still does so after these rounds is left. */
const mostRounds = 20;

/**
 * Kills a process, its group, and on Linux all that it has started, also in sessions of their own; elsewhere, and for
 * what emptied its environment and left its parent, the group is all that can be found.
 */
export function killAll(pid: number, marker: Marker): void {
  const killed = new Set<number>();
  for (let round = 0; round < mostRounds; round++) {
    // Who started whom can be seen only while both are there.
    const found = startedBy(pid, marker).filter((each) => !killed.has(each));
    if (round === 0) kill(-pid);
    else if (found.length === 0) return;
    for (const each of found) {
      kill(each);
      killed.add(each);
    }
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended already, or belongs to another user.
  }
}

interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  readonly isMarked: boolean;
}

/** What carries the marker or is of the session, and all below it. */
function startedBy(pid: number, marker: Marker): readonly number[] {
  const all = processes(marker);
  const found = new Set(all.filter((each) => each.isMarked || each.session === pid).map((each) => each.pid));
  found.add(pid);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const each of all) if (found.has(each.parent)) found.add(each.pid);
  }
  found.delete(pid);
  found.delete(process.pid);
  return [...found];
}

function processes({ name, value }: Marker): readonly RunningProcess[] {
  const marked = `${name}=${value}`;
  return numbersIn("/proc").flatMap((pid) => {
    const stat = textOf(`/proc/${pid}/stat`);
    // The name of a program stands in parentheses and may hold anything.
    const [state, parent, , session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (!parent || state === "Z") return [];
    const isMarked = textOf(`/proc/${pid}/environ`).split("\0").includes(marked);
    return [{ pid, parent: Number(parent), session: Number(session), isMarked }];
  });
}

function numbersIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
