#!/usr/bin/env node
import { setFlagsFromString } from "node:v8";
import { atLeastError, type ExitCode, exit } from "./base/exit.ts";
import { describeSystemError } from "./base/system-errors.ts";
import { defect, main } from "./commands/command-line.ts";

/** V8 lets a heap grow to four times what is in use before it collects; twice takes no longer and half the memory. */
setFlagsFromString("--heap-growing-percent=100");

/**
 * Whoever reads may stop reading, as `head` does: the run goes on, and nothing is said about it. Whatever else keeps
 * a stream from being written is said once, where there is another to say it on, and is an error.
 */
function survive(stream: NodeJS.WriteStream, name: string): void {
  let isReported = false;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" || isReported) return;
    isReported = true;
    process.exitCode = atLeastError((process.exitCode as ExitCode | undefined) ?? exit.problem);
    if (stream !== process.stderr)
      process.stderr.write(`error: cannot write to ${name}: ${describeSystemError(error)}\n`);
  });
}

/** Node would print what nobody caught as it is. */
process.on("uncaughtException", (error) => {
  process.stderr.write(defect(process.env, error));
  process.exit(exit.problem);
});

survive(process.stdout, "stdout");
survive(process.stderr, "stderr");

process.exitCode = await main(process);
