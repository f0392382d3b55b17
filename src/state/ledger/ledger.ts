import { createHash, createHmac, randomBytes } from "node:crypto";
import { join } from "node:path";
import { UserError, userErrorOf } from "../../base/exit.ts";
import { canonical } from "../../base/json.ts";
import { learnCredential, ownNames, secretMark } from "../../base/known-secrets.ts";
import { attempt, describeSystemError } from "../../base/system-errors.ts";
import { isTracked } from "../../git/repository.ts";
import { addressParts } from "../../model/address.ts";
import { type Catalogue, catalogueOf } from "../../model/catalogue.ts";
import { normalise } from "../../model/normalise.ts";
import type { Plain, Problem, SecretReference, Value } from "../../model/types.ts";
import { isReference, isScalar, referencesWithin, replaceReferences } from "../../model/values.ts";
import type { Memory, Recollection } from "../../plan/diff/last-applied.ts";
import { canonicalLine, ledgerHead, ledgerLine } from "../../plan/diff/ledger-line.ts";
import type { Secrets } from "../../secrets/secrets.ts";
import { isThere, readRegular, replaceFile } from "../../workspace/durable-file.ts";
import type { LeaseToken } from "../lease.ts";
import type { LedgerContents, LedgerLines, LedgerStore } from "../state.ts";
import { stateFolder } from "../state-folder.ts";

/** Fingerprints of the values that the last apply sent and found (docs/comparing.md); never values. */
export interface Ledger extends Recollection {
  readonly problems: readonly Problem[];
  readonly catalogue: Catalogue;
  readonly remember: (address: string, memory: Memory) => void;
  readonly forget: (address: string) => void;
  readonly hashed: (text: string) => string;
  /** Called with the lease: stores the key, and reads the ledger again. @throws UserError if either cannot be written. */
  readonly ready: () => Promise<void>;
  /** Writes the changes since the last call; needs the lease. Returns an error message if that fails. */
  readonly save: (token: LeaseToken) => Promise<string | undefined>;
}

interface LedgerOptions {
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secrets: Secrets;
  readonly catalogue?: Catalogue;
}

/** Invalid lines are ignored with a warning; an unreadable file or key is an error among the problems. */
export function openLedger(store: LedgerStore, contents: LedgerContents, options: LedgerOptions): Ledger {
  const { catalogue = catalogueOf() } = options;
  const { key, keep, problems: keyProblems } = ledgerKey(options);
  learnCredential(key, ownNames.EVENKEEL_LEDGER_KEY);
  const keyId = createHash("sha256").update(`evenkeel ledger ${key}`).digest("hex").slice(0, 8);
  const foreign = contents.keys.filter((each) => each !== keyId).length;
  const memories = openMemories(store, contents.lines, keyId);
  const keyed = (text: string) => createHmac("sha256", key).update(text).digest("base64url").slice(0, hashLength);
  // One at a time: each may replace the whole file.
  let saving = Promise.resolve<string | undefined>(undefined);
  return {
    problems: [...keyProblems, ...contents.problems, ...(foreign > 0 ? [foreignKey(store, foreign)] : [])],
    catalogue,
    hashed: keyed,
    recall: memories.recall,
    ...fingerprinter(keyed, options.secrets, catalogue),
    remember: memories.edit,
    forget: (address) => memories.edit(address, undefined),
    ready: async () => {
      const error = store.writeError();
      if (error) throw new UserError(error);
      keep();
      // An earlier holder of the lease may have written it since it was opened.
      memories.replace((await store.read()).lines);
    },
    save: (token) => {
      saving = saving.then(() => memories.save(token));
      return saving;
    },
  };
}

/** The memories in the lines of a ledger; those of recent projects are kept parsed. */
function openMemories(store: LedgerStore, initial: LedgerLines, keyId: string) {
  let lines = initial;
  const recent = new Map<string, ProjectEntries>();
  const edited = new Set<string>();
  // As bytes outside the heap, which would grow to twice their size: a first apply keeps the lines of all projects.
  const unsaved = new Map<string, Buffer | undefined>();
  const formatEdited = () => {
    for (const name of edited) {
      const own = recent.get(name);
      if (own) unsaved.set(name, own.entries.size === 0 ? undefined : Buffer.from(formatEntries(own, keyId)));
    }
    edited.clear();
  };
  const entriesOf = (name: string): ProjectEntries => {
    const known = recent.get(name);
    if (known) return known;
    if (recent.size >= maxRecent) {
      formatEdited();
      recent.clear();
    }
    const own = parseEntries(name, unsaved.has(name) ? unsaved.get(name)?.toString() : lines.get(name), keyId);
    recent.set(name, own);
    return own;
  };
  return {
    recall: (address: string): Memory | undefined => {
      const [project, rest] = addressParts(address);
      return entriesOf(project.toLowerCase()).entries.get(rest.toLowerCase())?.memory;
    },
    edit: (address: string, memory: Memory | undefined) => {
      const [project, rest] = addressParts(address);
      const name = project.toLowerCase();
      const { entries } = entriesOf(name);
      if (memory) entries.set(rest.toLowerCase(), { rest, memory });
      else entries.delete(rest.toLowerCase());
      recent.set(name, { project, entries });
      edited.add(name);
    },
    replace: (current: LedgerLines) => {
      lines = current;
      recent.clear();
      edited.clear();
      unsaved.clear();
    },
    save: async (token: LeaseToken) => {
      formatEdited();
      if (unsaved.size === 0) return undefined;
      const changed = new Map(unsaved);
      const error = await userErrorOf(store.write(token, changed));
      if (!error) for (const [name, text] of changed) if (unsaved.get(name) === text) unsaved.delete(name);
      return error;
    },
  };
}

interface Entry {
  readonly rest: string;
  readonly memory: Memory;
}

/** The entries of one project, by lowercase address: servers ignore the case of license names. */
interface ProjectEntries {
  readonly project: string;
  readonly entries: Map<string, Entry>;
}

/** Maximum number of projects with parsed entries; more than are compared concurrently. */
const maxRecent = 512;

/** Empty for a line of another key. @throws UserError for a damaged line. */
function parseEntries(name: string, text: string | undefined, keyId: string): ProjectEntries {
  if (text === undefined || ledgerHead(text)?.key !== keyId) return { project: name, entries: new Map() };
  const line = ledgerLine(text);
  if (!line) throw new UserError(`the ledger's line of ${name} is damaged; delete it, or restore the file`);
  const entries = Object.entries(line.resources);
  return {
    project: line.project,
    entries: new Map(entries.map(([rest, memory]) => [rest.toLowerCase(), { rest, memory }])),
  };
}

function formatEntries({ project, entries }: ProjectEntries, key: string): string {
  const resources = Object.fromEntries(Array.from(entries.values(), ({ rest, memory }) => [rest, memory]));
  return canonicalLine({ project, key, resources });
}

/** Characters of Base64: 132 bits. */
const hashLength = 22;

function foreignKey({ file }: LedgerStore, count: number): Problem {
  const lines = count === 1 ? "1 line was" : `${count} lines were`;
  const message = `${lines} written with a different key and ignored; set EVENKEEL_LEDGER_KEY to the key that wrote it: the text of .evenkeel/ledger.key where it was written, which is never committed`;
  return { severity: "warning", rule: "ledger", message, ...(file && { place: { file, line: 1, column: 1 } }) };
}

/** Prefix of fingerprints that are computed from the mark of a secret, so that a returned one can be compared. */
const ofMark = "~";

function fingerprinter(
  keyed: (text: string) => string,
  secrets: Secrets,
  catalogue: Catalogue,
): Pick<Ledger, "fingerprint" | "fingerprintOfMark"> {
  const hmac = (address: string, name: string, content: unknown) =>
    keyed(`[${JSON.stringify(address.toLowerCase())},${JSON.stringify(name)},${canonical(content)}]`);
  const markOfKnown = (reference: SecretReference) => {
    const known = secrets.known(reference);
    return known === undefined ? undefined : secretMark(known);
  };
  const marked = (address: string, name: string, mark: string) => ofMark + hmac(address, name, { digest: mark });
  return {
    fingerprint: (resource, address, name, value, like) => {
      const told = isReference(value) ? secrets.known(value) : withMarks(value, markOfKnown);
      if (told === undefined) return undefined;
      const plain = isReference(value) ? told : normalise(catalogue, resource, name, told);
      const isMarked = like === undefined ? isReference(value) : like.startsWith(ofMark);
      return isMarked && typeof plain === "string"
        ? marked(address, name, secretMark(plain))
        : hmac(address, name, plain);
    },
    fingerprintOfMark: (address, name, mark, like) =>
      like.startsWith(ofMark) ? marked(address, name, mark) : undefined,
  };
}

/** A list or mapping with marks in place of the secrets in it; undefined where one of them has none. */
function withMarks(value: Value, markOf: (reference: SecretReference) => string | undefined): Plain | undefined {
  if (isScalar(value)) return value;
  if (!referencesWithin(value).every((each) => markOf(each) !== undefined)) return undefined;
  return replaceReferences(value, (each) => ({ digest: markOf(each) ?? "", version: each.version ?? null }));
}

/** A key. Only a command that writes fingerprints stores a new one, so a plan writes nothing. */
interface LedgerKey {
  readonly key: string;
  readonly keep: () => void;
  /** With an error among them, the key must not be used. */
  readonly problems: readonly Problem[];
}

/** Characters: a shorter key could be guessed, and with it the values behind the fingerprints. */
const minLength = 16;
const keyFile = ".evenkeel/ledger.key";

/** EVENKEEL_LEDGER_KEY (empty counts as unset), else the file's key, else a new one that `keep` writes (mode 0600). */
export function ledgerKey({
  root,
  env: { EVENKEEL_LEDGER_KEY: given },
}: Pick<LedgerOptions, "root" | "env">): LedgerKey {
  const keep = () => {};
  // A short key in the variable is deliberate; a short file was truncated.
  if (given) return { key: given, keep, problems: given.length >= minLength ? [] : [short] };
  const key = randomBytes(32).toString("hex");
  const unusable = (why: string): LedgerKey => {
    return { key, keep, problems: [{ severity: "error", rule: "ledger-key", message: `${keyFile} ${why}` }] };
  };
  const file = join(root, keyFile);
  try {
    if (!isThere(file)) return { key, keep: () => storeKey(root, key), problems: [] };
    const stored = readRegular(file).trim();
    if (stored.length >= minLength) return { key: stored, keep, problems: isTracked(root, keyFile) ? [committed] : [] };
    const fault = stored === "" ? "is empty" : "is too short";
    return unusable(`${fault}; expected the ledger key, at least ${minLength} characters`);
  } catch (error) {
    return unusable(`cannot be read: ${describeSystemError(error)}`);
  }
}

const short: Problem = {
  severity: "warning",
  rule: "ledger-key",
  message: `EVENKEEL_LEDGER_KEY is too short and could be guessed; use at least ${minLength} characters`,
};

const committed: Problem = {
  severity: "warning",
  rule: "ledger-key",
  place: { file: keyFile, line: 1, column: 1 },
  message: `git tracks the ledger key, with which whoever reads the repository can guess the secrets behind the ledger's fingerprints: git rm ${keyFile}, and the next apply makes another`,
};

function storeKey(root: string, key: string): void {
  stateFolder(root);
  const file = join(root, keyFile);
  attempt(`cannot write the ledger key ${keyFile}`, () => isThere(file) || replaceFile(file, `${key}\n`, 0o600));
}
