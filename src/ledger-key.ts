import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LedgerOptions } from "./ledger.ts";
import { stateFolder } from "./state-folder.ts";

/**
 * The key of the ledger's fingerprints: EVENKEEL_LEDGER_KEY, else `.evenkeel/ledger.key`, which an apply generates
 * (mode 0600). Without either, a plan gets a key of its own, with which every line counts as unknown.
 */
export function ledgerKey({ root, env, writing }: Pick<LedgerOptions, "root" | "env" | "writing">): string {
  if (env.EVENKEEL_LEDGER_KEY) return env.EVENKEEL_LEDGER_KEY;
  const file = join(root, ".evenkeel", "ledger.key");
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  const key = randomBytes(32).toString("hex");
  if (writing) writeFileSync(join(stateFolder(root), "ledger.key"), `${key}\n`, { mode: 0o600, flag: "wx" });
  return key;
}
