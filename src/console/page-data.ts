import { printable } from "../base/printable.ts";
import { resourceName } from "../model/address.ts";
import { highlightLine } from "../plan/highlights.ts";
import { changeCount } from "../plan/plan.ts";
import { sourceText } from "../report/html/rows.ts";
import type { RunSummary } from "../state/run-summary.ts";
import { lastSeen, type ProjectSnapshot } from "../state/snapshots/snapshot.ts";
import type { ProjectSummary } from "../state/snapshots/summaries.ts";
import { causesOf, commandsForCause, type FleetCause } from "./causes.ts";
import type { KnownState } from "./known-state.ts";
import { type ListPart, partOf } from "./layout.ts";
import { countByStatus, projectsFor, type WantedProjects } from "./project-filter.ts";
import type { WaitingPlan } from "./review-page.ts";
import { type RunDetails, touchedOf } from "./run-page.ts";
import { actionsText } from "./runs-page.ts";
import { found } from "./search-page.ts";

/** A page as data: a document, and its whole table as CSV. */
export interface Data {
  readonly json: () => unknown;
  readonly csv: () => string;
}

/** The list of projects: as JSON a part of it, as CSV all of it. */
export function fleetData(known: KnownState, wanted: WantedProjects, page: string | undefined): Data {
  const heads = projectsFor(known.worstFirst, wanted);
  const row = (head: ProjectSummary) => {
    const { project, syncStatus, since, differences } = head;
    const { at, run } = lastSeen(head, known.fleet);
    return { project, status: syncStatus, since, differences, seen: at, run };
  };
  return {
    json: () => {
      const { server = null, whole = null } = known.fleet ?? {};
      const part = partOf(heads, page, 500);
      return {
        server,
        whole,
        error: known.error ?? null,
        counts: countByStatus(heads),
        causes: causesOf(heads).slice(0, mostCauses).map(causeRow),
        ...listed(part),
        projects: part.rows.map(row),
      };
    },
    csv: () => table(["project", "status", "since", "differences", "seen", "run"], heads.map(row)),
  };
}

/** Causes in a document. */
const mostCauses = 100;

function causeRow(cause: FleetCause) {
  const { id, cause: status, shapes, projects, since, within } = cause;
  const [{ before, after, commit, policy, reason }] = shapes;
  const differences = [...new Set(shapes.map(({ rest }) => rest))].filter(Boolean);
  const commands = commandsForCause(cause).map(({ line }) => line);
  return { id, cause: status, projects, since, within, differences, before, after, reason, policy, commit, commands };
}

function listed({ page, pages, total }: ListPart<unknown>) {
  return { total, page, pages };
}

/** Rows as CSV (RFC 4180). */
function table<Row extends object>(names: readonly (keyof Row & string)[], rows: readonly Row[]): string {
  return [lineOf(names), ...rows.map((row) => lineOf(names.map((name) => row[name])))].join("");
}

/** One project with all that is kept of it; as CSV its entries. */
export function projectData(known: KnownState, seen: ProjectSnapshot): Data {
  const { syncStatus, ...rest } = seen;
  const entries = seen.entries.map((entry) => {
    const { kind, key, policy, commit } = entry;
    const difference = seen.differences.find((each) => each.rest === resourceName(kind, key));
    const state = difference?.cause ?? "in sync";
    return {
      entry: resourceName(kind, key),
      state,
      since: difference?.since ?? "",
      policy,
      place: sourceText(entry),
      commit: commit ?? "",
    };
  });
  return {
    json: () => ({ ...rest, status: syncStatus, seen: lastSeen(seen, known.fleet) }),
    csv: () => table(["entry", "state", "since", "policy", "place", "commit"], entries),
  };
}

/** The history: as JSON a part of it, as CSV all of it. */
export function runsData(runs: readonly RunSummary[], page: string | undefined): Data {
  const head = ({ touched: _, ...summary }: RunSummary) => summary;
  const names = [
    "run",
    "command",
    "who",
    "host",
    "started",
    "ended",
    "outcome",
    "changes",
    "commit",
    "reads",
    "reasons",
  ] as const;
  return {
    json: () => {
      const part = partOf(runs, page, 500);
      return { ...listed(part), runs: part.rows.map(head) };
    },
    csv: () =>
      table(
        names,
        runs.map((run) => ({ ...run, reasons: run.reasons?.join("; ") })),
      ),
  };
}

/** One run; as CSV what it touched. */
export function runData({ summary, plan, progress, errors }: RunDetails): Data {
  const rows = touchedOf(summary).map(({ address, code }) => {
    return { address, what: actionsText(code), error: errors.get(address) ?? "" };
  });
  return {
    json: () => ({ ...summary, progress: progress ?? null, errors: Object.fromEntries(errors), plan: plan ?? null }),
    csv: () => table(["address", "what", "error"], rows),
  };
}

/** Saved plans that wait. */
export function reviewData(part: ListPart<string>, plans: readonly WaitingPlan[]): Data {
  const rows = plans.map(({ run, plan, signatures, approvers, highlights, lacks, error }) => {
    const { created_at: saved = "", digest = "" } = plan ?? {};
    return {
      run,
      saved,
      digest,
      changes: plan ? changeCount(plan.summary) : 0,
      signatures,
      signed_by: approvers?.approved.join("; ") ?? "",
      highlights: highlights.map(highlightLine).join("; "),
      lacks: lacks.join("; "),
      error: error ?? "",
    };
  });
  return {
    json: () => ({ ...listed(part), plans: rows }),
    csv: () =>
      table(["run", "saved", "digest", "changes", "signatures", "signed_by", "highlights", "lacks", "error"], rows),
  };
}

/** What a search found. */
export function searchData(known: KnownState, q: string): Data {
  const { projects, labels, runs } = found(known, q);
  const rows = [
    ...projects.map(({ project, syncStatus }) => ({ sort: "project", name: project, is: syncStatus as string })),
    ...labels.map(({ kind, name }) => ({ sort: kind as string, name, is: "" })),
    ...runs.map(({ run, command, outcome }) => ({
      sort: "run",
      name: run,
      is: `${command}, ${outcome ?? "did not finish"}`,
    })),
  ];
  return { json: () => ({ q, found: rows }), csv: () => table(["sort", "name", "is"], rows) };
}

function lineOf(cells: readonly unknown[]): string {
  return `${cells.map(cell).join(",")}\r\n`;
}

/** A cell that a spreadsheet would calculate is text. */
function cell(value: unknown): string {
  const text = printable(String(value ?? ""));
  const inert = typeof value === "string" && /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",]/.test(inert) || inert !== inert.trim() ? `"${inert.replaceAll('"', '""')}"` : inert;
}
