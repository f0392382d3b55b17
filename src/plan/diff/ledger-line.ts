import { canonical, isObject, parsedJson } from "../../base/json.ts";
import type { Memory } from "./last-applied.ts";

export interface LedgerLine extends LedgerHead {
  readonly resources: Record<string, Memory>;
}

export interface LedgerHead {
  readonly project: string;
  /** Identifies the key of the fingerprints. */
  readonly key: string;
}

export function ledgerLine(text: string): LedgerLine | undefined {
  const line = parsedJson(text);
  const isUsable =
    isObject(line) && typeof line.project === "string" && typeof line.key === "string" && isObject(line.resources);
  return isUsable ? (line as unknown as LedgerLine) : undefined;
}

/** The canonical line: the project first, so that sorted lines are sorted by project. */
export function canonicalLine({ project, key, resources }: LedgerLine): string {
  return `{"project":${JSON.stringify(project)},"key":${JSON.stringify(key)},"resources":${canonical(resources)}}`;
}

const beginning = /^\{"project":("(?:[^"\\]|\\.)*"),"key":"([^"\\]*)","resources":\{/;

/** Parses the beginning of a line, and the rest only if it is not canonical; undefined for an invalid line. */
export function ledgerHead(text: string): LedgerHead | undefined {
  const [, written, key] = (text.endsWith("}}") && beginning.exec(text)) || [];
  if (written === undefined || key === undefined) {
    const line = ledgerLine(text);
    return line && { project: line.project, key: line.key };
  }
  const project = parsedJson(written);
  return typeof project === "string" ? { project, key } : undefined;
}

/** The reason why a file cannot be a ledger. Markers of a merge conflict in git among its lines are allowed. */
export function ledgerFault(lines: Iterable<{ readonly text: string }>): string | undefined {
  let own = 0;
  let marks = 0;
  let number = 0;
  let damaged: number | undefined;
  for (const { text } of lines) {
    number++;
    if (text.trim() === "") continue;
    if ((text.endsWith("}}") && beginning.test(text)) || ledgerLine(text)) own++;
    else if (conflictMark.test(text)) marks++;
    else damaged ??= number;
  }
  if (damaged === undefined && (own > 0 || marks === 0)) return undefined;
  return own > 0
    ? `line ${damaged} of the ledger is damaged; delete it, or restore the file`
    : "expected a ledger or a new file; this file has other content";
}

const conflictMark = /^(?:<{7}|={7}|>{7}|\|{7})(?:\s|$)/;
