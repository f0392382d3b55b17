import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The process groups of a test run, as files of a folder, each named after the leader of its group: a process that tests
 * killed in the middle left behind is found there when the run ends.
 */
export class ProcessGroups {
  readonly #folder: string;
  constructor(folder: string) {
    this.#folder = folder;
  }

  add(pid: number): void {
    writeFileSync(join(this.#folder, String(pid)), startOf(pid));
  }

  /** Kills a group, and whatever its leader left in it. */
  kill(pid: number): void {
    signalGroup(pid);
    rmSync(join(this.#folder, String(pid)), { force: true });
  }

  /** Kills what is left, except where a leader's number belongs to another process by now. */
  killAll(): void {
    for (const name of readdirSync(this.#folder)) {
      const pid = Number(name);
      if (["", readFileSync(join(this.#folder, name), "utf8")].includes(startOf(pid))) this.kill(pid);
    }
  }
}

function signalGroup(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, "SIGKILL");
    } catch {
      // It has ended, or leads no group.
    }
  }
}

/** When a process started, in clock ticks; empty where the system does not report it. */
function startOf(pid: number): string {
  try {
    return /\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]?.split(" ")[19] ?? "";
  } catch {
    return "";
  }
}
