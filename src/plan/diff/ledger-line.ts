import { canonical, isObject, parsedJson } from "../../base/json.ts";
import type { Memory } from "./last-applied.ts";

/** What a ledger's line holds of a project. */
export interface LedgerLine extends LedgerHead {
  readonly resources: Record<string, Memory>;
}

/** The beginning of a ledger's line. */
export interface LedgerHead {
  readonly project: string;
  /** Names the key that the fingerprints were made with. */
  readonly key: string;
}

/** Reads a ledger's line; undefined for what is none. */
export function ledgerLine(text: string): LedgerLine | undefined {
  const line = parsedJson(text);
  const isUsable =
    isObject(line) && typeof line.project === "string" && typeof line.key === "string" && isObject(line.resources);
  return isUsable ? (line as unknown as LedgerLine) : undefined;
}

/** The line that an apply writes: the project first, so that sorting the lines sorts the projects. */
export function canonicalLine({ project, key, resources }: LedgerLine): string {
  return `{"project":${JSON.stringify(project)},"key":${JSON.stringify(key)},"resources":${canonical(resources)}}`;
}

/** The beginning of a line as an apply writes it. */
const beginning = /^\{"project":("(?:[^"\\]|\\.)*"),"key":"([^"\\]*)","resources":\{/;

/** Whether a line is as an apply writes it, as far as its beginning and its end show. */
export function isWrittenLine(text: string): boolean {
  return text.endsWith("}}") && beginning.test(text);
}

/** Reads the beginning of a ledger's line, and the rest only of one that no apply wrote; undefined for what is none. */
export function ledgerHead(text: string): LedgerHead | undefined {
  const [, written, key] = (text.endsWith("}}") && beginning.exec(text)) || [];
  if (written === undefined || key === undefined) return ledgerLine(text);
  const project = parsedJson(written);
  return typeof project === "string" ? { project, key } : undefined;
}

/** Whether lines are a ledger's, also between the marks that git leaves in a conflict, or none at all. */
export function isLedger(lines: Iterable<string>): boolean {
  let [isEmpty, hasLine] = [true, false];
  for (const line of lines) {
    if (line.trim() === "") continue;
    isEmpty = false;
    if (isWrittenLine(line) || ledgerLine(line)) hasLine = true;
    else if (!conflictMark.test(line)) return false;
  }
  return hasLine || isEmpty;
}

const conflictMark = /^(?:<{7}|={7}|>{7}|\|{7})(?:\s|$)/;
