import { describe, expect, test } from "vitest";
import { hasEnded, isSameProcess, ownMark, type ProcessMark, type ProcessSystem } from "../../src/base/process-mark.ts";

interface Machine {
  readonly pid?: number;
  readonly host?: string;
  readonly boot?: string | undefined;
  readonly namespace?: string | undefined;
  /** The process ID that /proc/self has; another one where /proc is that of another namespace. */
  readonly self?: string | undefined;
  /** When the processes that there are started, by their numbers; undefined where nobody may see it. */
  readonly processes?: Readonly<Record<number, string | undefined>>;
}

/** A process on Linux: number 7 of a container, and 42 beside it. */
function on(machine: Machine = {}): ProcessSystem {
  const all = { pid: 7, host: "ci", boot: "b1", namespace: "pid:[1]", processes: { 7: "100", 42: "200" }, ...machine };
  const { pid, host, boot, namespace, processes } = all;
  const self = "self" in machine ? machine.self : String(pid);
  const started: Readonly<Record<number, string | undefined>> = processes;
  return {
    pid,
    host,
    read: (file) => {
      if (file === "/proc/sys/kernel/random/boot_id") return boot === undefined ? undefined : `${boot}\n`;
      const start = started[Number(file.split("/")[2])];
      // A program may have any name.
      return start && `42 (a) b ) S ${Array.from({ length: 18 }, (_, at) => at).join(" ")} ${start} 0 0\n`;
    },
    linkTarget: (path) => ({ "/proc/self": self, "/proc/self/ns/pid": namespace })[path],
    exists: (number) => number in started,
  };
}

const other = ownMark(on({ pid: 42 }));
const { boot: _boot, namespace: _namespace, started: _started, ...plain } = other;

test("a process is known by all that its system reports", () => {
  expect(other).toEqual({ pid: 42, host: "ci", boot: "b1", namespace: "pid:[1]", started: "200" });
  expect(isSameProcess(other, ownMark(on({ pid: 42 })))).toBe(true);
});

describe("a process has ended", () => {
  test.each<[string, Machine]>([
    ["where there is none of its number", { processes: { 7: "100" } }],
    ["where its number is a later one's", { processes: { 7: "100", 42: "900" } }],
    ["where its number is that of who asks, which began later", { pid: 42, processes: { 42: "900" } }],
  ])("%s", (_, machine) => {
    expect(hasEnded(other, on(machine))).toBe(true);
    expect(isSameProcess(other, ownMark(on(machine)))).toBe(false);
  });
});

describe("nobody can tell whether a process has ended", () => {
  const gone = { processes: { 7: "100" } };
  test.each<[string, Machine, ProcessMark?]>([
    ["on another host", { ...gone, host: "other" }],
    ["on another boot, or another machine with the same host name", { ...gone, boot: "b2" }],
    ["in another PID namespace, as of another container", { ...gone, namespace: "pid:[2]" }],
    ["there, where the number is its own", { pid: 42, namespace: "pid:[2]", processes: { 42: "900" } }],
    ["there, where both began at the same moment", { pid: 42, namespace: "pid:[2]", processes: { 42: "200" } }],
    ["where the system reports no boot", { ...gone, boot: undefined }],
    ["where the system reports no namespace", { ...gone, namespace: undefined }],
    ["where /proc is that of another namespace", { ...gone, self: "31" }],
    ["where there is no /proc", { ...gone, self: undefined }],
    ["whose mark lacks its boot", gone, { ...other, boot: undefined }],
    ["whose mark lacks its namespace", gone, { ...other, namespace: undefined }],
    ["whose mark is of another platform", gone, plain],
    ["whose mark lacks its start, where its number lives", {}, { ...other, started: undefined }],
    ["whose number lives, and does not show its start", { processes: { 7: "100", 42: undefined } }],
    ["that lives", {}],
  ])("%s", (_, machine, mark = other) => {
    expect(hasEnded(mark, on(machine))).toBe(false);
    expect(isSameProcess({ ...mark, started: "no" }, ownMark(on(machine)))).toBe(false);
  });
});
