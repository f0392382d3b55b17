import { readFileSync } from "node:fs";
import { kill } from "node:process";

/** What tells a process from a later one of the same number. What the system does not tell is left out. */
export interface ProcessMark {
  readonly pid: number;
  /** Names the start of the machine. */
  readonly boot?: string | undefined;
  /** When the process started, in the clock ticks of the machine. */
  readonly started?: string | undefined;
}

/** Undefined where the system does not tell, as outside Linux. */
export function bootOfMachine(): string | undefined {
  return textOf("/proc/sys/kernel/random/boot_id")?.trim();
}

/** Undefined where there is no such process, or the system does not tell. */
export function startOfProcess(pid: number): string | undefined {
  const text = textOf(`/proc/${pid}/stat`);
  // The second field is the program's name in parentheses, which may hold anything; the start is the 22nd.
  return text
    ?.slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .at(19);
}

/** Whether a process of this machine still runs. */
export function isRunning({ pid, boot, started }: ProcessMark): boolean {
  if (differs(boot, bootOfMachine()) || differs(started, startOfProcess(pid))) return false;
  try {
    kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function differs(before: string | undefined, now: string | undefined): boolean {
  return before !== undefined && now !== undefined && before !== now;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
