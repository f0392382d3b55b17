import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stateFolder } from "./folder.ts";
import type { LedgerOptions } from "./ledger.ts";

/** A key, and what keeps it for the next run: called when the first fingerprint is saved, so that a plan writes nothing. */
export interface LedgerKey {
  readonly key: string;
  readonly keep: () => void;
}

/** EVENKEEL_LEDGER_KEY, else the key in `.evenkeel/ledger.key`, else a new one that `keep` puts there (mode 0600). */
export function ledgerKey({ root, env }: Pick<LedgerOptions, "root" | "env">): LedgerKey {
  const given = (key: string): LedgerKey => ({ key, keep: () => {} });
  if (env.EVENKEEL_LEDGER_KEY) return given(env.EVENKEEL_LEDGER_KEY);
  const file = join(root, ".evenkeel", "ledger.key");
  if (existsSync(file)) return given(readFileSync(file, "utf8").trim());
  const key = randomBytes(32).toString("hex");
  const keep = () => {
    stateFolder(root);
    if (!existsSync(file)) writeFileSync(file, `${key}\n`, { mode: 0o600, flag: "wx" });
  };
  return { key, keep };
}
