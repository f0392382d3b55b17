import { isObject } from "../base/json.ts";
import type { Memory } from "./last-applied.ts";

/** What a ledger's line holds of a project. */
export interface LedgerLine {
  readonly project: string;
  /** Names the key that the fingerprints were made with. */
  readonly key: string;
  readonly resources: Record<string, Memory>;
}

/** Reads a ledger's line; undefined for what is none. */
export function ledgerLine(text: string): LedgerLine | undefined {
  try {
    const line: unknown = JSON.parse(text);
    const usable =
      isObject(line) && typeof line.project === "string" && typeof line.key === "string" && isObject(line.resources);
    return usable ? (line as unknown as LedgerLine) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a file's text is a ledger's: its lines, also between the marks that git leaves in a conflict, or nothing. */
export function isLedger(text: string): boolean {
  const written = text.split("\n").filter((line) => line.trim() !== "");
  const lines = written.filter((line) => !conflictMark.test(line));
  return (lines.length > 0 || written.length === 0) && lines.every((line) => ledgerLine(line) !== undefined);
}

const conflictMark = /^(?:<{7}|={7}|>{7}|\|{7})(?:\s|$)/;
