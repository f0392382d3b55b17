import { createHash, createHmac } from "node:crypto";
import { UserError } from "../../base/exit.ts";
import { canonical } from "../../base/json.ts";
import { learnCredential, ownNames } from "../../base/known-secrets.ts";
import type { Memory, Recollection } from "../../diff/last-applied.ts";
import type { LedgerLine } from "../../diff/ledger-line.ts";
import { addressParts } from "../../model/address.ts";
import { type Catalogue, catalogueOf } from "../../model/catalogue.ts";
import { isReference, normalise } from "../../model/normalise.ts";
import type { Problem, SecretReference } from "../../model/types.ts";
import type { Secrets } from "../../secrets/secrets.ts";
import { boundedName } from "../bounded-name.ts";
import type { LeaseToken } from "../lease-store.ts";
import type { LedgerContents, LedgerEdit, LedgerStore } from "../state.ts";
import { type LedgerOptions, ledgerKey } from "./key.ts";
import { secretDigest } from "./secret-digest.ts";

/** What the last apply left of each resource (docs/comparing.md). It holds fingerprints, never values. */
export interface Ledger extends Recollection {
  readonly problems: readonly Problem[];
  /** In whose names it remembers. */
  readonly catalogue: Catalogue;
  readonly remember: (address: string, memory: Memory) => void;
  readonly forget: (address: string) => void;
  /** The fingerprint of a secret that another process sent, by the digest of its value; one of an unknown value equals none. */
  readonly fingerprintSent: (address: string, name: string, secret: SecretReference, digest?: string) => string;
  /** Keeps the key, and makes sure that it can be written as far as that can be known. @throws UserError where not. */
  readonly ready: () => void;
  /** Writes what was remembered or forgotten since the last time, for the holder of a lease. Returns why it could not. */
  readonly save: (token: LeaseToken) => Promise<string | undefined>;
}

/**
 * Opens a ledger by what was read of it. Lines that cannot be used count as unknown, with a warning; a file or a key
 * that cannot be used is an error among the problems.
 */
export function openLedger(store: LedgerStore, contents: LedgerContents, options: LedgerOptions): Ledger {
  const { catalogue = catalogueOf() } = options;
  const { key, keep, problems: keyProblems } = ledgerKey(options);
  learnCredential(key, ownNames.EVENKEEL_LEDGER_KEY);
  const keyId = createHash("sha256").update(`evenkeel ledger ${key}`).digest("hex").slice(0, 8);
  const problems = [...keyProblems, ...contents.problems];
  const foreign = [...contents.lines.values()].filter((line) => line.key !== keyId).length;
  const projects = new Map<string, Map<string, Remembered>>();
  const projectOf = (name: string) => {
    const known = projects.get(name) ?? rememberedIn(contents.lines.get(name), keyId);
    projects.set(name, known);
    return known;
  };
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
      const trouble = store.trouble();
      if (trouble) throw new UserError(trouble);
      keep();
    },
    save: async (token) => {
      const edits = unsaved;
      unsaved = new Map();
      const trouble = edits.size > 0 ? await troubleOf(store.write(token, keyId, [...edits.values()])) : undefined;
      if (trouble) unsaved = new Map([...edits, ...unsaved]);
      return trouble;
    },
  };
}

/** The names under which a store keeps an address: of bounded length, and of characters that every store holds. */
function namesIn(address: string): readonly [project: string, rest: string] {
  const [project, rest] = addressParts(address);
  return [boundedName(project), boundedName(rest)];
}

/** A remembered resource, and how its address is spelled in the store. */
interface Remembered {
  readonly rest: string;
  readonly memory: Memory;
}

/** What a line remembers under this key, whatever the case of a name: servers compare those of licenses without it. */
function rememberedIn(line: LedgerLine | undefined, keyId: string): Map<string, Remembered> {
  const resources = line?.key === keyId ? Object.entries(line.resources) : [];
  return new Map(resources.map(([rest, memory]) => [rest.toLowerCase(), { rest, memory }]));
}

async function troubleOf(work: Promise<void>): Promise<string | undefined> {
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

/** What begins the fingerprint of a secret of which only the digest was known. */
const ofDigest = "~";

function fingerprinter(
  key: string,
  secrets: Secrets,
  catalogue: Catalogue,
): Pick<Ledger, "fingerprint" | "fingerprintSent"> {
  const hmac = (address: string, name: string, content: unknown) => {
    const text = canonical([address.toLowerCase(), name, content]);
    return createHmac("sha256", key).update(text).digest("base64url").slice(0, 22);
  };
  const digested = (address: string, name: string, digest: string) => ofDigest + hmac(address, name, { digest });
  return {
    fingerprint: (resource, address, name, value, like = "") => {
      const plain = isReference(value) ? secrets.known(value) : normalise(catalogue, resource, name, value);
      if (plain === undefined) return undefined;
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
