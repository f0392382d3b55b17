import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder that clients are installed into. */
    readonly root: string;
  }
}

/** A folder that is removed in the end; or that of EVENKEEL_CLIENTS, which stays, so that the next run installs nothing. */
export default function setup({ provide }: TestProject): () => void {
  const kept = process.env.EVENKEEL_CLIENTS;
  const root = kept ?? mkdtempSync(join(tmpdir(), "evenkeel-clients-"));
  provide("root", root);
  return () => {
    if (!kept) rmSync(root, { recursive: true, force: true });
  };
}
