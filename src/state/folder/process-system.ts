import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { kill, pid } from "node:process";
import type { ProcessSystem } from "../../base/process-mark.ts";
import { systemCode } from "../../base/system-errors.ts";

/** What the system of this process reports. */
export const thisSystem: ProcessSystem = {
  pid,
  get host() {
    return hostname();
  },
  read: (file) => orNothing(() => readFileSync(file, "utf8")),
  linkTarget: (path) => orNothing(() => readlinkSync(path)),
  exists: (pid) => {
    try {
      kill(pid, 0);
      return true;
    } catch (error) {
      return systemCode(error) !== "ESRCH";
    }
  },
};

function orNothing(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
