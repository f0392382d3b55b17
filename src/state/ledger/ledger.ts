import { createHash, createHmac, createSecretKey } from "node:crypto";
import { UserError } from "../../base/exit.ts";
import { canonical } from "../../base/json.ts";
import { learnCredential, ownNames } from "../../base/known-secrets.ts";
import { latest, memoized } from "../../base/memoize.ts";
import type { Memory, Recollection } from "../../diff/last-applied.ts";
import type { LedgerLine } from "../../diff/ledger-line.ts";
import { addressParts } from "../../model/address.ts";
import { type Catalogue, catalogueOf } from "../../model/catalogue.ts";
import { normalise } from "../../model/normalise.ts";
import type { Problem, SecretReference } from "../../model/types.ts";
import { isReference } from "../../model/values.ts";
import type { Secrets } from "../../secrets/secrets.ts";
import { boundedName } from "../bounded-name.ts";
import type { LeaseToken } from "../lease-store.ts";
import type { LedgerContents, LedgerEdit, LedgerStore } from "../state.ts";
import { type LedgerOptions, ledgerKey } from "./key.ts";
import { secretDigest, withDigests } from "./secret-digest.ts";

/** Fingerprints of what the last apply sent and found of each resource (docs/comparing.md); never values. */
export interface Ledger extends Recollection {
  readonly problems: readonly Problem[];
  /** Its dialect is that of the entries. */
  readonly catalogue: Catalogue;
  readonly remember: (address: string, memory: Memory) => void;
  readonly forget: (address: string) => void;
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
  const foreign = contents.lines.size - (contents.keys.get(keyId) ?? 0);
  const edited = new Map<string, Map<string, Remembered>>();
  const stored = memoized((name: string) => rememberedIn(contents.lines.get(name), keyId), latest(mostProjects));
  const projectOf = (name: string) => edited.get(name) ?? stored(name);
  let unsaved = new Map<string, LedgerEdit>();
  const edit = (address: string, memory: Memory | undefined) => {
    const [project, rest] = namesIn(address);
    const resources = projectOf(project.toLowerCase());
    const before = resources.get(rest.toLowerCase())?.rest ?? rest;
    for (const spelled of new Set([before, rest])) {
      const edited = { project, rest: spelled, memory: spelled === rest ? memory : undefined };
      unsaved.set(`${project.toLowerCase()}:${spelled}`, edited);
    }
    if (memory) resources.set(rest.toLowerCase(), { rest, memory });
    else resources.delete(rest.toLowerCase());
    edited.set(project.toLowerCase(), resources);
  };
  return {
    problems: foreign > 0 ? [...problems, foreignKey(store, foreign)] : problems,
    recall: (address) => {
      const [project, rest] = namesIn(address);
      return projectOf(project.toLowerCase()).get(rest.toLowerCase())?.memory;
    },
    catalogue,
    ...fingerprinter(key, options.secrets, catalogue),
    remember: edit,
    forget: (address) => edit(address, undefined),
    ready: () => {
      const error = store.writeError();
      if (error) throw new UserError(error);
      keep();
    },
    save: async (token) => {
      const edits = unsaved;
      unsaved = new Map();
      const error = edits.size > 0 ? await errorOf(store.write(token, keyId, [...edits.values()])) : undefined;
      if (error) unsaved = new Map([...edits, ...unsaved]);
      return error;
    },
    close: () => contents.close?.(),
  };
}

/** Projects whose entries stay in memory, more than are read side by side. */
const mostProjects = 512;

/** Project and rest of an address, as every store can hold them. */
function namesIn(address: string): readonly [project: string, rest: string] {
  const [project, rest] = addressParts(address);
  return [boundedName(project), boundedName(rest)];
}

/** An entry, with the spelling of its address in the store. */
interface Remembered {
  readonly rest: string;
  readonly memory: Memory;
}

/** The entries that were written with this key, by lowercase address, because servers ignore the case of license names. */
function rememberedIn(line: LedgerLine | undefined, keyId: string): Map<string, Remembered> {
  const resources = line?.key === keyId ? Object.entries(line.resources) : [];
  return new Map(resources.map(([rest, memory]) => [rest.toLowerCase(), { rest, memory }]));
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
): Pick<Ledger, "fingerprint" | "fingerprintSent"> {
  const secretKey = createSecretKey(key, "utf8");
  const hmac = (address: string, name: string, content: unknown) => {
    const text = `[${JSON.stringify(address.toLowerCase())},${JSON.stringify(name)},${canonical(content)}]`;
    return createHmac("sha256", secretKey).update(text).digest("base64url").slice(0, 22);
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
    fingerprintSent: (address, name, secret, digest = "") => {
      const own = secrets.known(secret);
      const isOwn = own !== undefined && secretDigest(own) === digest;
      return isOwn ? hmac(address, name, own) : digested(address, name, digest);
    },
  };
}
