import { printable } from "../base/printable.ts";
import type { LineCommit } from "../git/blame.ts";
import type { Kind, Place } from "../model/types.ts";
import type { RunOutcome } from "../state/last-outcome.ts";
import { columns } from "./columns.ts";
import type { Palette } from "./palette.ts";

/** A line that has a say, and who wrote it. */
export interface BlamedLine {
  readonly role: "entry" | "parameter" | "variable" | "overridden";
  readonly what: string;
  readonly place: Place;
  readonly policy: string;
  /** By which the policy means the project. */
  readonly selector: string;
  /** Null where the line is not committed yet; undefined where git cannot tell. */
  readonly commit: LineCommit | null | undefined;
}

/** All that is known of why a resource is as it is. */
export interface Blaming {
  readonly address: string;
  readonly project: string;
  readonly kind: Kind;
  readonly key: string;
  /** The line that decides is the first. */
  readonly lines: readonly BlamedLine[];
  /** Why no commits are named; null where they are. */
  readonly git: string | null;
  /** The last run that applied it is the last of them; those before it came later. */
  readonly outcomes: readonly RunOutcome[];
}

/** The lines that decide, each with its commit, and what runs did. */
export function blameText({ address, lines, outcomes }: Blaming, palette: Palette): string {
  const rows = lines.map(rowOf);
  const runs = outcomes.map((outcome) => `  ${printable(runWords(outcome))}`);
  return [
    palette.strong(printable(address)),
    columns(["LINE", "ENTRY", "POLICY", "COMMIT", "DATE", "AUTHOR", "SUBJECT"], rows, palette),
    "",
    runs.length > 0 ? runs.join("\n") : "  No run in the journal applied it.",
  ].join("\n");
}

function rowOf({ what, place, policy, selector, commit }: BlamedLine): readonly string[] {
  const where = `${place.file}:${place.line}:${place.column}`;
  return [where, what, `${policy} (${selector})`, ...commitCells(commit)].map(printable);
}

function commitCells(commit: BlamedLine["commit"]): readonly string[] {
  if (commit === undefined) return [];
  if (commit === null) return ["not committed"];
  const sha = `${commit.sha.slice(0, 10)}${commit.shallow ? " or earlier (shallow clone)" : ""}`;
  return [sha, commit.date.slice(0, 10), commit.author, commit.subject];
}

function runWords({ run, who, at, status, error, commit }: RunOutcome): string {
  const from = commit ? ` at ${commit.slice(0, 10)}` : "";
  return `${status} by run ${run}, ${at}, ${who ?? "somebody"}${from}${error ? `: ${error}` : ""}`;
}

/** The same for scripts. */
export function blameJson({ lines, outcomes, ...blaming }: Blaming): string {
  const shownLines = lines.map(({ role, what, place, policy, selector, commit }) => ({
    role,
    what,
    ...place,
    policy,
    selector,
    committed: commit === undefined ? null : commit !== null,
    commit: commit ?? null,
  }));
  const [decides = null] = shownLines;
  const last_applied = outcomes.find(({ status }) => status === "applied") ?? null;
  const tried_since = outcomes.filter(({ status }) => status !== "applied");
  return JSON.stringify({ ...blaming, decides, lines: shownLines, last_applied, tried_since }, null, 2);
}
