import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** The folder of a build that is made for this test run and gone after it. */
    readonly build: string;
  }
}

const root = join(import.meta.dirname, "..");

/** Builds the program once for all tests that start it, by the package's own script, where nobody else builds. */
export default function build(project: TestProject): () => void {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const outdir = mkdtempSync(join(cache, "evenkeel-test-"));
  execFileSync("npm", ["run", "--silent", "build:js", "--", `--outdir=${outdir}`], { cwd: root, stdio: "inherit" });
  project.provide("build", outdir);
  return () => rmSync(outdir, { recursive: true, force: true });
}
