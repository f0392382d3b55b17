import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

/** An environment variable that all descendants of a process inherit, whatever their group or session. */
export interface Marker {
  readonly name: string;
  readonly value: string;
}

export function newMarker(): Marker {
  return { name: "PROVIDER_CALL", value: randomUUID() };
}

/** Processes may start others while they are being killed, so the search is repeated. */
const maxRounds = 20;

/**
 * Kills a process and its group, and on Linux all descendants, also those in other sessions, unless they cleared their
 * environment and left their parent.
 */
export function killAll(pid: number, marker: Marker): void {
  const killed = new Set<number>();
  for (let round = 0; round < maxRounds; round++) {
    // Before killing, because the parent of a process is known only while both exist.
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
    // It has ended, or belongs to another user.
  }
}

interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  readonly isMarked: boolean;
}

/** Processes with the marker or of the session, and their descendants. */
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
    const stat = readProcFile(`/proc/${pid}/stat`);
    // The program name is in parentheses and may contain any character.
    const [state, parent, , session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (!parent || state === "Z") return [];
    const isMarked = readProcFile(`/proc/${pid}/environ`).split("\0").includes(marked);
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

function readProcFile(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
