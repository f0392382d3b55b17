import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { inject } from "vitest";
import { tempFolder } from "../support/folder.ts";
import { runProcess } from "../support/processes.ts";

export type Variables = Readonly<Record<string, string>>;

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
  const { ended, said } = runProcess("bash", ["-e", "-o", "pipefail", "-c", script], { cwd, env });
  return { script, exit: (await ended).code, output: said() };
}
