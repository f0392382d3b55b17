import { printable } from "../base/printable.ts";
import { resourceName } from "../model/address.ts";
import { highlightLine } from "../plan/highlights.ts";
import { changeCount } from "../plan/plan.ts";
import { sourceText } from "../report/html/rows.ts";
import type { RunSummary } from "../state/run-summary.ts";
import { lastSeen, type ProjectSnapshot } from "../state/snapshots/snapshot.ts";
import type { ProjectSummary } from "../state/snapshots/summaries.ts";
import { commandsForCause, type FleetCause, findCauses } from "./causes.ts";
import type { KnownState } from "./known-state.ts";
import { type ListPart, selectPage } from "./layout.ts";
import { countByStatus, filterProjects, type WantedProjects } from "./project-filter.ts";
import type { WaitingPlan } from "./review-page.ts";
import { listTouched, type RunDetails } from "./run-page.ts";
import { actionsText } from "./runs-page.ts";
import { search } from "./search-page.ts";

/** A page as data: a JSON document, and its whole table as CSV. */
export interface Data {
  readonly json: () => unknown;
  readonly csv: () => string;
}

/** The list of projects: one page as JSON, all of it as CSV. */
export function fleetData(known: KnownState, wanted: WantedProjects, page: string | undefined): Data {
  const heads = filterProjects(known.worstFirst, wanted);
  const row = (head: ProjectSummary) => {
    const { project, syncStatus, since, differences } = head;
    const { at, run } = lastSeen(head, known.fleet);
    return { project, status: syncStatus, since, differences, seen: at, run };
  };
  return {
    json: () => {
      const { server = null, whole = null } = known.fleet ?? {};
      const part = selectPage(heads, page, 500);
      return {
        server,
        whole,
        error: known.error ?? null,
        counts: countByStatus(heads),
        causes: findCauses(heads).slice(0, mostCauses).map(causeRow),
        ...pageFields(part),
        projects: part.rows.map(row),
      };
    },
    csv: () => toCsv(["project", "status", "since", "differences", "seen", "run"], heads.map(row)),
  };
}

/** Maximum number of causes in a document. */
const mostCauses = 100;

function causeRow(cause: FleetCause) {
  const { id, cause: status, shapes, projects, since, within } = cause;
  const [{ before, after, commit, policy, reason }] = shapes;
  const differences = [...new Set(shapes.map(({ rest }) => rest))].filter(Boolean);
  const commands = commandsForCause(cause).map(({ line }) => line);
  return { id, cause: status, projects, since, within, differences, before, after, reason, policy, commit, commands };
}

function pageFields({ page, pages, total }: ListPart<unknown>) {
  return { total, page, pages };
}

/** Rows as CSV (RFC 4180). */
function toCsv<Row extends object>(names: readonly (keyof Row & string)[], rows: readonly Row[]): string {
  return [csvLine(names), ...rows.map((row) => csvLine(names.map((name) => row[name])))].join("");
}

/** The snapshot of a project; as CSV its entries. */
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
    csv: () => toCsv(["entry", "state", "since", "policy", "place", "commit"], entries),
  };
}

/** The history: one page as JSON, all of it as CSV. */
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
      const part = selectPage(runs, page, 500);
      return { ...pageFields(part), runs: part.rows.map(head) };
    },
    csv: () =>
      toCsv(
        names,
        runs.map((run) => ({ ...run, reasons: run.reasons?.join("; ") })),
      ),
  };
}

/** One run; as CSV its changes. */
export function runData({ summary, plan, progress, errors }: RunDetails): Data {
  const rows = listTouched(summary).map(({ address, code }) => {
    return { address, what: actionsText(code), error: errors.get(address) ?? "" };
  });
  return {
    json: () => ({ ...summary, progress: progress ?? null, errors: Object.fromEntries(errors), plan: plan ?? null }),
    csv: () => toCsv(["address", "what", "error"], rows),
  };
}

/** Saved plans that await review. */
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
    json: () => ({ ...pageFields(part), plans: rows }),
    csv: () =>
      toCsv(["run", "saved", "digest", "changes", "signatures", "signed_by", "highlights", "lacks", "error"], rows),
  };
}

/** The results of a search. */
export function searchData(known: KnownState, q: string): Data {
  const { projects, labels, runs } = search(known, q);
  const rows = [
    ...projects.map(({ project, syncStatus }) => ({ sort: "project", name: project, is: syncStatus as string })),
    ...labels.map(({ kind, name }) => ({ sort: kind as string, name, is: "" })),
    ...runs.map(({ run, command, outcome }) => ({
      sort: "run",
      name: run,
      is: `${command}, ${outcome ?? "did not finish"}`,
    })),
  ];
  return { json: () => ({ q, found: rows }), csv: () => toCsv(["sort", "name", "is"], rows) };
}

function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

/** A CSV cell. Prefixed if a spreadsheet would take it for a formula. */
function csvCell(value: unknown): string {
  const text = printable(String(value ?? ""));
  const inert = typeof value === "string" && /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",]/.test(inert) || inert !== inert.trim() ? `"${inert.replaceAll('"', '""')}"` : inert;
}
