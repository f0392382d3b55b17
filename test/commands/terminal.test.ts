import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { createTerminal } from "../../src/commands/terminal.ts";

function hostWith(pid: number) {
  const streams = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
  const host = Object.assign(new EventEmitter(), { ...streams, pid, env: {}, cwd: () => "/", exit: () => {} });
  return host as unknown as NodeJS.Process;
}

test("signals are left to the system until a run connects", () => {
  const host = hostWith(2);
  const terminal = createTerminal(host, {});
  expect(host.listenerCount("SIGINT") + host.listenerCount("SIGTERM")).toBe(0);
  terminal.listen();
  terminal.listen();
  expect([host.listenerCount("SIGINT"), host.listenerCount("SIGTERM")]).toEqual([1, 1]);
  host.emit("SIGTERM", "SIGTERM");
  expect(terminal.interrupted.aborted).toBe(true);
});

test("a container's first process listens from the start, since the system would leave a signal out", () => {
  const host = hostWith(1);
  createTerminal(host, {});
  expect(host.listenerCount("SIGINT")).toBe(1);
});
