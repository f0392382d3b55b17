import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { UserError } from "../../base/exit.ts";
import { describeSystemError } from "../../base/system-errors.ts";
import { isTracked } from "../../git/repository.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import type { Problem } from "../../model/types.ts";
import type { Secrets } from "../../secrets/secrets.ts";
import { isThere, readRegular, replaceFile } from "../../workspace/durable-file.ts";
import { stateFolder } from "../state-folder.ts";

export interface LedgerOptions {
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secrets: Secrets;
  readonly catalogue?: Catalogue;
}

/** A key. Only a command that writes fingerprints stores a new one, so a plan writes nothing. */
export interface LedgerKey {
  readonly key: string;
  readonly keep: () => void;
  /** With an error among them, the key must not be used. */
  readonly problems: readonly Problem[];
}

/** Characters: a shorter key could be guessed, and with it the values behind the fingerprints. */
const minLength = 16;
const keyFile = ".evenkeel/ledger.key";

/** EVENKEEL_LEDGER_KEY (empty counts as unset), else the file's key, else a new one that `keep` writes (mode 0600). */
export function ledgerKey({ root, env }: Pick<LedgerOptions, "root" | "env">): LedgerKey {
  if (env.EVENKEEL_LEDGER_KEY) return givenKey(env.EVENKEEL_LEDGER_KEY);
  const file = join(root, keyFile);
  try {
    if (!isThere(file)) return newKey(root, file);
    return storedKey(root, readRegular(file).trim());
  } catch (error) {
    return unusableKey(`${keyFile} cannot be read: ${describeSystemError(error)}`);
  }
}

/** A short key in the variable is deliberate; a short file was truncated. */
function givenKey(key: string): LedgerKey {
  const message = `EVENKEEL_LEDGER_KEY is too short and could be guessed; use at least ${minLength} characters`;
  const warning: Problem = { severity: "warning", rule: "ledger-key", message };
  return { key, keep: () => {}, problems: key.length >= minLength ? [] : [warning] };
}

function storedKey(root: string, key: string): LedgerKey {
  if (key.length >= minLength) return { key, keep: () => {}, problems: isTracked(root, keyFile) ? [committed] : [] };
  const found = key === "" ? "is empty" : "is too short";
  return unusableKey(`${keyFile} ${found}; expected the ledger key, at least ${minLength} characters`);
}

const committed: Problem = {
  severity: "warning",
  rule: "ledger-key",
  place: { file: keyFile, line: 1, column: 1 },
  message: `git tracks the ledger key, with which whoever reads the repository can guess the secrets behind the ledger's fingerprints: git rm ${keyFile}, and the next apply makes another`,
};

function unusableKey(message: string): LedgerKey {
  const problem: Problem = { severity: "error", rule: "ledger-key", message };
  return { key: randomBytes(32).toString("hex"), keep: () => {}, problems: [problem] };
}

function newKey(root: string, file: string): LedgerKey {
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
