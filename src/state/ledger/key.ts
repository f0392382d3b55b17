import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { UserError } from "../../base/exit.ts";
import { describeSystemError } from "../../base/system-errors.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import type { Problem } from "../../model/types.ts";
import type { Secrets } from "../../secrets/secrets.ts";
import { isThere, readRegular, replaceFile } from "../../workspace/durable-file.ts";
import { stateFolder } from "../folder/state-folder.ts";

/** What a ledger needs to be read. */
export interface LedgerOptions {
  /** The workspace's folder. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secrets: Secrets;
  /** What values mean; left out: in the specification's own names. */
  readonly catalogue?: Catalogue;
}

/** A key, and what keeps it for the next run: called by what writes fingerprints, so that a plan writes nothing. */
export interface LedgerKey {
  readonly key: string;
  /** @throws UserError where it cannot be kept. */
  readonly keep: () => void;
  /** Why the key is none; nothing may be compared or written with it then. */
  readonly problems: readonly Problem[];
}

/** With fewer characters a key could be guessed, and with it the values behind the ledger's fingerprints. */
const leastLength = 16;
const keyFile = ".evenkeel/ledger.key";

/**
 * EVENKEEL_LEDGER_KEY (a short one with a warning), else the key in `.evenkeel/ledger.key`, else a new one that `keep` puts there (mode 0600). An
 * empty variable counts as unset.
 */
export function ledgerKey({ root, env }: Pick<LedgerOptions, "root" | "env">): LedgerKey {
  if (env.EVENKEEL_LEDGER_KEY) return given(env.EVENKEEL_LEDGER_KEY);
  const file = join(root, keyFile);
  try {
    if (!isThere(file)) return made(root, file);
    return stored(readRegular(file).trim());
  } catch (error) {
    return unusable(`${keyFile} cannot be read: ${describeSystemError(error)}`);
  }
}

/** A short key in the variable is deliberate; a short file was truncated. */
function given(key: string): LedgerKey {
  const message = `EVENKEEL_LEDGER_KEY is too short and could be guessed; use at least ${leastLength} characters`;
  const warning: Problem = { severity: "warning", rule: "ledger-key", message };
  return { key, keep: () => {}, problems: key.length >= leastLength ? [] : [warning] };
}

function stored(key: string): LedgerKey {
  if (key.length >= leastLength) return { key, keep: () => {}, problems: [] };
  const found = key === "" ? "is empty" : "is too short";
  return unusable(`${keyFile} ${found}; expected the ledger key, at least ${leastLength} characters`);
}

function unusable(message: string): LedgerKey {
  const problem: Problem = { severity: "error", rule: "ledger-key", message };
  return { key: randomBytes(32).toString("hex"), keep: () => {}, problems: [problem] };
}

function made(root: string, file: string): LedgerKey {
  const key = randomBytes(32).toString("hex");
  const keep = () => {
    stateFolder(root);
    try {
      if (!isThere(file)) replaceFile(file, `${key}\n`, 0o600);
    } catch (error) {
      throw new UserError(`cannot write the ledger key ${keyFile}: ${describeSystemError(error)}`);
    }
  };
  return { key, keep, problems: [] };
}
