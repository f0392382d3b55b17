import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, statfsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { skippedLines } from "./support/needs.ts";
import { ProcessGroups } from "./support/process-groups.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The folder of a build that is made for this test run and gone after it. */
    readonly build: string;
    /** Where folders of single tests are made, gone after the run as well. */
    readonly scratch: string;
    /** Where tests record the process groups that they start. */
    readonly groups: string;
    readonly seed: number;
  }
}

const root = join(import.meta.dirname, "..");

/**
 * Builds the program once for all tests that run it, by the package's own script, where nobody else builds. Tests that
 * need no process of their own call the command line that `cli.js` calls.
 */
export default function build(project: TestProject): () => Promise<void> {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const outdir = mkdtempSync(join(cache, "evenkeel-test-"));
  const more = ["src/commands/command-line.ts", `--outdir=${outdir}`];
  execFileSync("npm", ["run", "--silent", "build:js", "--", ...more], { cwd: root, stdio: "inherit" });
  project.provide("build", outdir);
  const scratch = mkdtempSync(join(findRoom(), "evenkeel-test-"));
  project.provide("scratch", scratch);
  const groups = join(scratch, "groups");
  mkdirSync(groups);
  project.provide("groups", groups);
  const kill = () => new ProcessGroups(groups).killAll();
  // Also where the run is interrupted: then nothing is torn down.
  process.once("exit", kill);
  return async () => {
    kill();
    process.off("exit", kill);
    // Vitest hears meanwhile that its workers have ended.
    for (const folder of [outdir, scratch]) await rm(folder, { recursive: true, force: true });
    process.stderr.write(`${lastWords(project).join("\n")}\n`);
  };
}

/** In memory where there are 8 GiB of it: the program syncs what it writes, for which tests need not wait. */
function findRoom(): string {
  const memory = "/dev/shm";
  try {
    const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
    const options = mounts.map((line) => line.split(" ")).findLast(([, folder]) => folder === memory)?.[3];
    const { bavail, bsize } = statfsSync(memory);
    if (options && !options.split(",").includes("noexec") && bavail * bsize >= 2 ** 33) return memory;
  } catch {
    // Not Linux.
  }
  return tmpdir();
}

/** What was left out, and how to have the same run again. */
function lastWords({ vitest }: TestProject): readonly string[] {
  const { seed } = vitest.config.sequence;
  const skipped = vitest.state.getTestModules().flatMap(({ children }) => [...children.allTests("skipped")]);
  const left = skipped.filter(({ options }) => options.mode === "skip").map(({ fullName }) => fullName);
  return [...skippedLines(left), `order and property tests: EVENKEEL_TEST_SEED=${seed} repeats them`];
}
