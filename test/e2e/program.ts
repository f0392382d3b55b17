import { EventEmitter } from "node:events";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { inject } from "vitest";
import type { Host } from "../../src/commands/terminal.ts";
import { type Ended, type Running, runProcess } from "../support/processes.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Runs the built command line in this process, otherwise like {@link start}. */
export async function runProgram(
  args: readonly string[],
  cwd: string,
  env: Environment = {},
  input: Iterable<string> | AsyncIterable<string> = [],
): Promise<Ended> {
  const { main }: typeof import("../../src/commands/command-line.ts") = await import(
    /* @vite-ignore */ join(inject("build"), "commands/command-line.js")
  );
  const [stdout, stderr] = [collecting(), collecting()];
  const host: Host = Object.assign(new EventEmitter<Record<NodeJS.Signals, [NodeJS.Signals]>>(), {
    argv: ["node", "evenkeel", ...args],
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    pid: process.pid,
    stdin: Readable.from(input),
    stdout: stdout.stream,
    stderr: stderr.stream,
    cwd: () => cwd,
    exit: (code: number) => {
      throw new Error(`exit(${code})`);
    },
  });
  return { code: await main(host), stdout: stdout.text(), stderr: stderr.text() };
}

function collecting() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

/** Starts the built program without a terminal, and with nothing of this process's environment but the path. */
export function start(
  args: readonly string[],
  cwd: string,
  env: Environment = {},
  program = join(inject("build"), "cli.js"),
): Running {
  return runProcess(process.execPath, [program, ...args], { cwd, env: { PATH: process.env.PATH, HOME: cwd, ...env } });
}
