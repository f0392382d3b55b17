import { createHash } from "node:crypto";
import { UserError, userErrorOf } from "../../base/exit.ts";
import { canonical } from "../../base/json.ts";
import { learnCredential, ownNames } from "../../base/known-secrets.ts";
import { isMarkOf } from "../../base/secret-mark.ts";
import type { Memory, Recollection } from "../../diff/last-applied.ts";
import { ownEntry } from "../../diff/ledger-line.ts";
import { addressParts } from "../../model/address.ts";
import { type Catalogue, catalogueOf } from "../../model/catalogue.ts";
import { normalise } from "../../model/normalise.ts";
import type { Problem, SecretReference } from "../../model/types.ts";
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
  /** The keyed hash of a text, and of the bytes after it. */
  readonly hashed: (text: string, after?: Uint8Array) => string;
  /** Hashes of the lists with which all of a kind of a project was in sync, with a space between them; "" for none. */
  readonly knownLists: (project: string) => string;
  readonly rememberLists: (project: string, hashes: string) => void;
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
    const error = await userErrorOf(store.write(token, keyId, edits));
    if (!error) edits.saved();
    return error;
  };
  const keyed = keyedHash(key);
  // One at a time: each replaces the whole file.
  let saving = Promise.resolve<string | undefined>(undefined);
  return {
    problems: foreign > 0 ? [...problems, foreignKey(store, foreign)] : problems,
    recall: (address) => entries.recall(...namesIn(address)),
    catalogue,
    ...fingerprinter(keyed, options.secrets, catalogue),
    hashed: (text, after) => keyed(text, after).slice(0, hashLength),
    knownLists: (project) => {
      const head = contents.lines.headOf(boundedName(project).toLowerCase());
      return (head?.key === keyId && head.lists) || "";
    },
    remember: edit,
    forget: (address) => edit(address, undefined),
    rememberLists: (project, hashes) => {
      const memory = hashes === "" ? undefined : { sent: { [ownEntry]: hashes } };
      entries.edit({ project: boundedName(project), rest: ownEntry, memory });
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

/** Characters of Base64: 132 bits. */
const hashLength = 22;

/** Project and rest of an address, as every store can hold them. */
function namesIn(address: string): readonly [project: string, rest: string] {
  const [project, rest] = addressParts(address);
  return [boundedName(project), boundedName(rest)];
}

function foreignKey({ file }: LedgerStore, count: number): Problem {
  const lines = count === 1 ? "1 line was" : `${count} lines were`;
  const message = `${lines} written with a different key and ignored; set EVENKEEL_LEDGER_KEY to the key that wrote it`;
  return { severity: "warning", rule: "ledger", message, ...(file && { place: { file, line: 1, column: 1 } }) };
}

/** Prefix of fingerprints that were computed from a digest. */
const ofDigest = "~";

function fingerprinter(
  keyed: (text: string) => string,
  secrets: Secrets,
  catalogue: Catalogue,
): Pick<Ledger, "fingerprint" | "fingerprintSent" | "isMarked"> {
  const hmac = (address: string, name: string, content: unknown) => {
    const text = `[${JSON.stringify(address.toLowerCase())},${JSON.stringify(name)},${canonical(content)}]`;
    return keyed(text).slice(0, hashLength);
  };
  const digestOfKnown = (reference: SecretReference) => {
    const known = secrets.known(reference);
    return known === undefined ? undefined : secretDigest(known);
  };
  const digested = (address: string, name: string, digest: string) => ofDigest + hmac(address, name, { digest });
  return {
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
