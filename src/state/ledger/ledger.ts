import { createHash } from "node:crypto";
import { UserError } from "../../base/exit.ts";
import { canonical } from "../../base/json.ts";
import { learnCredential, ownNames } from "../../base/known-secrets.ts";
import { isMarkOf } from "../../base/secret-mark.ts";
import type { Dated, Memory, Recollection } from "../../diff/last-applied.ts";
import { ownEntry } from "../../diff/ledger-line.ts";
import { addressParts } from "../../model/address.ts";
import { type Catalogue, catalogueOf } from "../../model/catalogue.ts";
import { normalise } from "../../model/normalise.ts";
import type { Plain, Problem, SecretReference } from "../../model/types.ts";
import { isReference } from "../../model/values.ts";
import type { Secrets } from "../../secrets/secrets.ts";
import { boundedName } from "../bounded-name.ts";
import type { LeaseToken } from "../lease-store.ts";
import type { LedgerContents, LedgerStore } from "../state.ts";
import { type LedgerOptions, ledgerKey } from "./key.ts";
import { keyedHash } from "./keyed-hash.ts";
import { LedgerEntries } from "./project-entries.ts";
import { secretDigest, withDigests } from "./secret-digest.ts";

/** Fingerprints of what the last apply sent and found of each resource (docs/comparing.md); never values. */
export interface Ledger extends Recollection {
  readonly problems: readonly Problem[];
  /** Its dialect is that of the entries. */
  readonly catalogue: Catalogue;
  readonly remember: (address: string, memory: Memory) => void;
  readonly forget: (address: string) => void;
  /** Whether all of these were found in sync, together and as they are declared, when the server had changed them last. */
  readonly wereInSync: (project: string, dated: readonly Dated[]) => boolean;
  /** Remembers that all of these were found in sync together. */
  readonly rememberWhole: (project: string, dated: readonly Dated[]) => void;
  /** The fingerprint of a secret that another process sent, from the digest of its value; without a digest, it equals no other. */
  readonly fingerprintSent: (address: string, name: string, secret: SecretReference, digest?: string) => string;
  /** Stores the key. @throws UserError if the key or the ledger cannot be written. */
  readonly ready: () => void;
  /** Writes the changes since the last call; needs the lease. Returns an error message if that fails. */
  readonly save: (token: LeaseToken) => Promise<string | undefined>;
  /** Closes the file that it is read from. */
  readonly close: () => void;
}

/**
 * Opens a ledger. Invalid lines are ignored with a warning; an unreadable file or key is an error among the problems.
 */
export function openLedger(store: LedgerStore, contents: LedgerContents, options: LedgerOptions): Ledger {
  const { catalogue = catalogueOf() } = options;
  const { key, keep, problems: keyProblems } = ledgerKey(options);
  learnCredential(key, ownNames.EVENKEEL_LEDGER_KEY);
  const keyId = createHash("sha256").update(`evenkeel ledger ${key}`).digest("hex").slice(0, 8);
  const problems = [...keyProblems, ...contents.problems];
  const foreign = [...contents.keys].reduce((sum, [id, count]) => (id === keyId ? sum : sum + count), 0);
  const entries = new LedgerEntries((name) => {
    const line = contents.lines.get(name);
    return line?.key === keyId ? line.resources : {};
  });
  const edit = (address: string, memory: Memory | undefined) => {
    const [project, rest] = namesIn(address);
    entries.edit({ project, rest, memory });
  };
  const saveNow = async (token: LeaseToken) => {
    const edits = entries.take();
    if (edits.projects.length === 0) return undefined;
    const error = await errorOf(store.write(token, keyId, edits));
    if (!error) edits.saved();
    return error;
  };
  const { wholeOf, ...fingerprints } = fingerprinter(key, options.secrets, catalogue);
  const wholeIn = (project: string) => {
    const head = contents.lines.headOf(boundedName(project).toLowerCase());
    return head?.key === keyId ? head.whole : undefined;
  };
  // One at a time: each replaces the whole file.
  let saving = Promise.resolve<string | undefined>(undefined);
  return {
    problems: foreign > 0 ? [...problems, foreignKey(store, foreign)] : problems,
    recall: (address) => entries.recall(...namesIn(address)),
    catalogue,
    ...fingerprints,
    wereInSync: (project, dated) => {
      const known = wholeIn(project);
      return known !== undefined && wholeOf(project, dated) === known;
    },
    remember: edit,
    forget: (address) => edit(address, undefined),
    rememberWhole: (project, dated) => {
      const whole = wholeOf(project, dated);
      if (whole === undefined || whole === wholeIn(project)) return;
      entries.edit({ project: boundedName(project), rest: ownEntry, memory: { sent: { [ownEntry]: whole } } });
    },
    ready: () => {
      const error = store.writeError();
      if (error) throw new UserError(error);
      keep();
    },
    save: (token) => {
      saving = saving.then(() => saveNow(token));
      return saving;
    },
    close: () => contents.close?.(),
  };
}

/** Project and rest of an address, as every store can hold them. */
function namesIn(address: string): readonly [project: string, rest: string] {
  const [project, rest] = addressParts(address);
  return [boundedName(project), boundedName(rest)];
}

async function errorOf(work: Promise<void>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

function foreignKey({ file }: LedgerStore, count: number): Problem {
  const lines = count === 1 ? "1 line was" : `${count} lines were`;
  const message = `${lines} written with a different key and ignored; set EVENKEEL_LEDGER_KEY to the key that wrote it`;
  return { severity: "warning", rule: "ledger", message, ...(file && { place: { file, line: 1, column: 1 } }) };
}

/** Prefix of fingerprints that were computed from a digest. */
const ofDigest = "~";

function fingerprinter(
  key: string,
  secrets: Secrets,
  catalogue: Catalogue,
): Pick<Ledger, "fingerprint" | "fingerprintSent" | "isMarked"> & {
  /** Undefined where a secret is not set here. */
  readonly wholeOf: (project: string, dated: readonly Dated[]) => string | undefined;
} {
  const keyed = keyedHash(key);
  const hmac = (address: string, name: string, content: unknown) => {
    const text = `[${JSON.stringify(address.toLowerCase())},${JSON.stringify(name)},${canonical(content)}]`;
    return keyed(text).slice(0, 22);
  };
  const digestOfKnown = (reference: SecretReference) => {
    const known = secrets.known(reference);
    return known === undefined ? undefined : secretDigest(known);
  };
  // Fields in the order of the manifest: another order only means that each field is compared.
  const contentOf = ({ desired: { kind, key, fields }, updatedAt }: Dated) => {
    const content: Record<string, Plain> = {};
    for (const name in fields) {
      const value = withDigests(fields[name] ?? null, digestOfKnown);
      if (value === undefined) return undefined;
      content[name] = value;
    }
    return JSON.stringify([kind, key, updatedAt, content]);
  };
  const digested = (address: string, name: string, digest: string) => ofDigest + hmac(address, name, { digest });
  return {
    wholeOf: (project, dated) => {
      const contents = dated.map(contentOf).sort();
      if (contents.includes(undefined)) return undefined;
      return keyed(`whole ${project.toLowerCase()} ${contents.join(" ")}`).slice(0, 22);
    },
    fingerprint: (resource, address, name, value, like = "") => {
      const told = isReference(value) ? secrets.known(value) : withDigests(value, digestOfKnown);
      if (told === undefined) return undefined;
      const plain = isReference(value) ? told : normalise(catalogue, resource, name, told);
      const isDigested = typeof plain === "string" && like.startsWith(ofDigest);
      return isDigested ? digested(address, name, secretDigest(plain)) : hmac(address, name, plain);
    },
    isMarked: (secret, mark) => {
      const known = secrets.known(secret);
      return known === undefined ? undefined : isMarkOf(known, mark);
    },
    fingerprintSent: (address, name, secret, digest = "") => {
      const own = secrets.known(secret);
      const isOwn = own !== undefined && secretDigest(own) === digest;
      return isOwn ? hmac(address, name, own) : digested(address, name, digest);
    },
  };
}
