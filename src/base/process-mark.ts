import { systemCode } from "./system-errors.ts";

/** Identifies a process: `system` is the boot and the PID namespace in which its number is valid, if known. */
export interface ProcessMark {
  readonly pid: number;
  readonly host: string;
  readonly system?: string | undefined;
}

/** The parts of `node:fs`, `node:os` and `node:process` that are needed, which this folder does not import. */
type FileSystem = Readonly<Record<"readFileSync" | "readlinkSync", (path: string, encoding: "utf8") => string>>;
type OperatingSystem = Readonly<{ hostname: () => string }>;
type OwnProcess = Readonly<{ pid: number; kill: (pid: number, signal: 0) => unknown }>;

export interface ProcessMarks {
  readonly own: () => ProcessMark;
  /** False if a process has certainly ended. `isHolding`: what this process itself knows about its own mark. */
  readonly mayLive: (mark: ProcessMark, isHolding: boolean) => boolean;
}

export function processMarks(fs: FileSystem, os: OperatingSystem, node: OwnProcess): ProcessMarks {
  const own = () => ({ pid: node.pid, host: os.hostname(), system: readSystem(fs) });
  return {
    own,
    mayLive: ({ pid, host, system }, isHolding) => {
      const here = own();
      if (system === undefined || system !== here.system || host !== here.host) return true;
      return pid === here.pid ? isHolding : exists(node, pid);
    },
  };
}

function readSystem(fs: FileSystem): string | undefined {
  try {
    const boot = fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${fs.readlinkSync("/proc/self/ns/pid", "utf8")}`;
  } catch {
    return undefined;
  }
}

function exists({ kill }: OwnProcess, pid: number): boolean {
  try {
    kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== "ESRCH";
  }
}
