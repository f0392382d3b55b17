import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { inject } from "vitest";
import { tempFolder } from "../support/folder.ts";

export type Variables = Readonly<Record<string, string>>;

/** How a script ended, and what it printed on both streams. */
export interface Ran {
  readonly script: string;
  readonly exit: number | null;
  readonly output: string;
}

/** A folder of programs in which `evenkeel` is the built program: what installing it leaves. */
export function installation(): string {
  const bin = tempFolder();
  mkdirSync(bin, { recursive: true });
  const program = join(bin, "evenkeel");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${join(inject("build"), "cli.js")}" "$@"\n`);
  chmodSync(program, 0o755);
  return bin;
}

/** Runs a script as runners do, which stops at the first command that fails, with these variables and nothing else. */
export async function runScript(script: string, cwd: string, variables: Variables, bin: string): Promise<Ran> {
  const PATH = [bin, join(process.execPath, ".."), process.env.PATH].join(delimiter);
  const env = { HOME: tempFolder(), ...variables, PATH };
  const child = spawn("bash", ["-e", "-o", "pipefail", "-c", script], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const exit = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { script, exit, output };
}
