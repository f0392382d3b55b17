import { systemCode } from "./system-errors.ts";

/**
 * Identifies a process, also among later ones with its number, other containers, and other machines with the same host
 * name. Facts that the system does not report are left out.
 */
export interface ProcessMark {
  readonly pid: number;
  readonly host: string;
  /** Identifies one boot of one kernel. */
  readonly boot?: string | undefined;
  /** The PID namespace: process numbers are only valid within it. */
  readonly namespace?: string | undefined;
  /** Start time of the process, in clock ticks of its kernel. */
  readonly started?: string | undefined;
}

/** Access to the system's facts about processes. */
export interface ProcessSystem {
  readonly pid: number;
  readonly host: string;
  /** The content of a file; undefined if it cannot be read. */
  readonly read: (file: string) => string | undefined;
  /** The target of a symbolic link; undefined if there is none. */
  readonly linkTarget: (path: string) => string | undefined;
  /** False only if the system says that no process has this number. */
  readonly exists: (pid: number) => boolean;
}

type FileSystem = Readonly<Record<"readFileSync" | "readlinkSync", (path: string, encoding: "utf8") => string>>;
type NodeProcess = Readonly<{ pid: number; kill: (pid: number, signal: 0) => unknown }>;

/** The system of this process, from `node:fs`, `node:os` and `node:process`, which FOUNDATION does not import. */
export function processSystem(
  fs: FileSystem,
  os: { readonly hostname: () => string },
  own: NodeProcess,
): ProcessSystem {
  return {
    pid: own.pid,
    get host() {
      return os.hostname();
    },
    read: (file) => orUndefined(() => fs.readFileSync(file, "utf8")),
    linkTarget: (path) => orUndefined(() => fs.readlinkSync(path, "utf8")),
    exists: (pid) => {
      try {
        own.kill(pid, 0);
        return true;
      } catch (error) {
        return systemCode(error) !== "ESRCH";
      }
    },
  };
}

function orUndefined(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** This process's own mark: outside Linux, only number and host name. */
export function ownMark(system: ProcessSystem): ProcessMark {
  const { pid, host } = system;
  const boot = system.read("/proc/sys/kernel/random/boot_id")?.trim();
  // A /proc of another namespace, as below `unshare --pid`, describes other processes.
  if (!boot || system.linkTarget("/proc/self") !== String(pid)) return { pid, host };
  const namespace = system.linkTarget("/proc/self/ns/pid");
  return { pid, host, boot, namespace, started: readStart(system, pid) };
}

/** True if both marks certainly identify one process */
export function isSameProcess(a: ProcessMark, b: ProcessMark): boolean {
  return a.pid === b.pid && isSameSystem(a, b) && a.started !== undefined && a.started === b.started;
}

/** True if a process has certainly ended; false if it is alive, or if that cannot be determined from here. */
export function hasEnded(mark: ProcessMark, system: ProcessSystem): boolean {
  if (!isSameSystem(mark, ownMark(system))) return false;
  return !system.exists(mark.pid) || differs(mark.started, readStart(system, mark.pid));
}

function isSameSystem(a: ProcessMark, b: ProcessMark): boolean {
  const isKnown = a.boot !== undefined && a.namespace !== undefined;
  return isKnown && a.host === b.host && a.boot === b.boot && a.namespace === b.namespace;
}

function readStart({ read }: ProcessSystem, pid: number): string | undefined {
  const text = read(`/proc/${pid}/stat`);
  // The second field is the program's name in parentheses, which may contain anything; the start time is the 22nd.
  return text
    ?.slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .at(19);
}

function differs(before: string | undefined, now: string | undefined): boolean {
  return before !== undefined && now !== undefined && before !== now;
}
