import { systemCode } from "./system-errors.ts";

/**
 * What tells a process from every other one: of a later process with its number, of another container, of another machine
 * with the same host name. What the system does not report is left out.
 */
export interface ProcessMark {
  readonly pid: number;
  readonly host: string;
  /** Names one start of one kernel. */
  readonly boot?: string | undefined;
  /** The PID namespace: numbers of processes mean nothing in another one. */
  readonly namespace?: string | undefined;
  /** When the process started, in clock ticks of its kernel. */
  readonly started?: string | undefined;
}

/** How a process learns what its system reports of processes. */
export interface ProcessSystem {
  readonly pid: number;
  readonly host: string;
  /** The content of a file; undefined where it cannot be read. */
  readonly read: (file: string) => string | undefined;
  /** The target of a symbolic link; undefined where there is none. */
  readonly linkTarget: (path: string) => string | undefined;
  /** False only where the system says that there is no process of this number. */
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

/** The process that asks. Outside Linux it is known by its number and host name alone. */
export function ownMark(system: ProcessSystem): ProcessMark {
  const { pid, host } = system;
  const boot = system.read("/proc/sys/kernel/random/boot_id")?.trim();
  // A /proc of another namespace, as below `unshare --pid`, describes other processes.
  if (!boot || system.linkTarget("/proc/self") !== String(pid)) return { pid, host };
  const namespace = system.linkTarget("/proc/self/ns/pid");
  return { pid, host, boot, namespace, started: startOf(system, pid) };
}

/** Whether both marks are known to name one and the same process */
export function isSameProcess(a: ProcessMark, b: ProcessMark): boolean {
  return a.pid === b.pid && isSameSystem(a, b) && a.started !== undefined && a.started === b.started;
}

/** Whether a process is known to have ended. False where it lives, and wherever that cannot be determined from here. */
export function hasEnded(mark: ProcessMark, system: ProcessSystem): boolean {
  if (!isSameSystem(mark, ownMark(system))) return false;
  return !system.exists(mark.pid) || differs(mark.started, startOf(system, mark.pid));
}

function isSameSystem(a: ProcessMark, b: ProcessMark): boolean {
  const isKnown = a.boot !== undefined && a.namespace !== undefined;
  return isKnown && a.host === b.host && a.boot === b.boot && a.namespace === b.namespace;
}

function startOf({ read }: ProcessSystem, pid: number): string | undefined {
  const text = read(`/proc/${pid}/stat`);
  // The second field is the program's name in parentheses, which may hold anything; the start is the 22nd.
  return text
    ?.slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .at(19);
}

function differs(before: string | undefined, now: string | undefined): boolean {
  return before !== undefined && now !== undefined && before !== now;
}
