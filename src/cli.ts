#!/usr/bin/env node
import { setFlagsFromString } from "node:v8";
import { atLeastError, type ExitCode, exit } from "./base/exit.ts";
import { describeSystemError } from "./base/system-errors.ts";
import { defect, main } from "./commands/command-line.ts";

/** Halves the memory: by default V8 lets a heap grow to four times the used size before it collects. Costs no time. */
setFlagsFromString("--heap-growing-percent=100");

/**
 * Ignores EPIPE: the reader (such as `head`) may close the pipe. Reports other write errors once on another stream, if
 * possible, and makes the run fail.
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

/** Redacts uncaught errors before Node prints them. */
process.on("uncaughtException", (error) => {
  process.stderr.write(defect(process.env, error));
  process.exit(exit.problem);
});

survive(process.stdout, "stdout");
survive(process.stderr, "stderr");

process.exitCode = await main(process);
