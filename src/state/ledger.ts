import { createHash, createHmac } from "node:crypto";
import { dirname, join } from "node:path";
import { Refusal } from "../base/exit.ts";
import { canonical } from "../base/json.ts";
import { knownSecrets, ownNames } from "../base/known-secrets.ts";
import { systemTrouble } from "../base/system-errors.ts";
import type { Memory, Recollection } from "../diff/last-applied.ts";
import { isReference, normalise } from "../model/normalise.ts";
import type { Place, Problem } from "../model/types.ts";
import { makeFolder, noRegularFile, readRegular, replaceFile } from "../workspace/durable-file.ts";
import { type LedgerLine, ledgerLine } from "../workspace/ledger-line.ts";
import { outputAt, outputTrouble } from "../workspace/output-file.ts";
import type { Secrets } from "../workspace/secrets.ts";
import { type LedgerOptions, ledgerKey } from "./ledger-key.ts";

/**
 * What the last apply left, in a file of one JSON line a project, sorted, so that it merges in git (contract 6). It
 * holds fingerprints, never values.
 */
export interface Ledger extends Recollection {
  readonly problems: readonly Problem[];
  readonly remember: (address: string, memory: Memory) => void;
  readonly forget: (address: string) => void;
  /** Keeps the key, and makes sure that the file can be written as far as that can be known. @throws Refusal where not. */
  readonly ready: () => void;
  /** Writes the file whole, if anything was remembered or forgotten. Returns why it could not. */
  readonly save: () => string | undefined;
}

/**
 * Opens a ledger; one that is not there yet is empty. Lines that cannot be used count as unknown, with a warning; a
 * file or a key that cannot be used is an error among the problems.
 */
export function openLedger(options: LedgerOptions): Ledger {
  const path = join(options.root, options.file);
  const { key, keep, problems: keyProblems } = ledgerKey(options);
  knownSecrets.learn(key, ownNames.EVENKEEL_LEDGER_KEY);
  const keyId = createHash("sha256").update(`evenkeel ledger ${key}`).digest("hex").slice(0, 8);
  const { lines, problems: lineProblems } = readLines(path, options.file);
  const problems = [...keyProblems, ...lineProblems];
  const foreign = [...lines.values()].filter((line) => line.key !== keyId).length;
  let changed = false;
  const usable = (project: string) => {
    const line = lines.get(project.toLowerCase());
    return line?.key === keyId ? line : undefined;
  };
  const edit = (address: string, change: (resources: Record<string, Memory>, rest: string) => void) => {
    const [project, rest] = parts(address);
    const resources = { ...usable(project)?.resources };
    change(resources, rest);
    lines.set(project.toLowerCase(), { project, key: keyId, resources });
    changed = true;
  };
  return {
    problems: foreign > 0 ? [...problems, foreignKey(options.file, foreign)] : problems,
    recall: (address) => {
      const [project, rest] = parts(address);
      return usable(project)?.resources[rest];
    },
    fingerprint: fingerprinter(key, options.secrets),
    remember: (address, memory) => edit(address, (resources, rest) => Object.assign(resources, { [rest]: memory })),
    forget: (address) => edit(address, (resources, rest) => Reflect.deleteProperty(resources, rest)),
    ready: () => {
      const trouble = troubleOf(() => makeFolder(dirname(path))) ?? outputTrouble(path);
      if (trouble) throw new Refusal(unwritable(options.file, trouble));
      keep();
    },
    save: () => {
      const trouble = changed ? troubleOf(() => write(path, lines)) : undefined;
      if (trouble) return unwritable(options.file, trouble);
      changed = false;
      return undefined;
    },
  };
}

function unwritable(file: string, trouble: string): string {
  return `the ledger ${file} cannot be written: ${trouble}`;
}

function troubleOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return systemTrouble(error);
  }
}

function parts(address: string): [project: string, rest: string] {
  const colon = address.indexOf(":");
  return [address.slice(0, colon), address.slice(colon + 1)];
}

function write(path: string, lines: ReadonlyMap<string, LedgerLine>): void {
  const kept = [...lines.values()].filter(({ resources }) => Object.keys(resources).length > 0);
  const sorted = kept.map(canonicalLine).sort();
  const output = outputAt(path);
  if (!("file" in output)) throw noRegularFile();
  replaceFile(output.file, sorted.map((line) => `${line}\n`).join(""));
}

/** The project first, so that sorting the lines sorts the projects. */
function canonicalLine({ project, key, resources }: LedgerLine): string {
  return `{"project":${JSON.stringify(project)},"key":"${key}","resources":${canonical(resources)}}`;
}

function readLines(path: string, file: string): { lines: Map<string, LedgerLine>; problems: Problem[] } {
  const lines = new Map<string, LedgerLine>();
  const problems: Problem[] = [];
  const read = textOf(path, file);
  if (typeof read !== "string") return { lines, problems: [read] };
  for (const [index, text] of read.split("\n").entries()) {
    if (text.trim() === "") continue;
    const line = ledgerLine(text);
    const place = { file, line: index + 1, column: 1 };
    if (!line || lines.has(line.project.toLowerCase())) problems.push(unusable(place, line));
    if (line)
      lines.set(line.project.toLowerCase(), lines.has(line.project.toLowerCase()) ? { ...line, key: "" } : line);
  }
  return { lines, problems };
}

/** The text of a ledger; none where there is none yet, or a link leads to none. */
function textOf(path: string, file: string): string | Problem {
  try {
    return readRegular(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    const message = `the ledger cannot be read: ${systemTrouble(error)}`;
    return { severity: "error", rule: "ledger", message, place: { file, line: 1, column: 1 } };
  }
}

function unusable(place: Place, line: LedgerLine | undefined): Problem {
  const message = line
    ? `${line.project} is listed twice, as after a merge; its entries are ignored`
    : "not a ledger line, as after a merge conflict; ignored";
  return { severity: "warning", rule: "ledger", message, place };
}

function foreignKey(file: string, count: number): Problem {
  const lines = count === 1 ? "1 line was" : `${count} lines were`;
  const message = `${lines} written with a different key and ignored; set EVENKEEL_LEDGER_KEY to the key that wrote it`;
  return { severity: "warning", rule: "ledger", message, place: { file, line: 1, column: 1 } };
}

type Fingerprint = Recollection["fingerprint"];

function fingerprinter(key: string, secrets: Secrets): Fingerprint {
  return ({ kind, key: of }, address, name, value) => {
    const plain = isReference(value) ? secrets.known(value) : normalise(kind, of, name, value);
    if (plain === undefined) return undefined;
    const hmac = createHmac("sha256", key).update(canonical([address.toLowerCase(), name, plain]));
    return hmac.digest("base64url").slice(0, 22);
  };
}
