import { changeCount } from "../plan/heading.ts";
import { highlightLine } from "../plan/highlights.ts";
import type { RunSummary } from "../state/run-summary.ts";
import { lastSeen, type ProjectSnapshot } from "../state/snapshots/snapshot.ts";
import { commandsForCause, type FleetCause, findCauses } from "./causes.ts";
import type { KnownState } from "./known-state.ts";
import { type ListPart, selectPage } from "./layout.ts";
import { countByStatus, filterProjects, type WantedProjects } from "./project-filter.ts";
import type { WaitingPlan } from "./review-page.ts";
import type { RunDetails } from "./run-page.ts";
import { search } from "./search-page.ts";

export function fleetData(known: KnownState, wanted: WantedProjects, page: string | undefined): object {
  const heads = filterProjects(known.worstFirst, wanted);
  const { server = null, whole = null } = known.fleet ?? {};
  const part = selectPage(heads, page, mostRows);
  const projects = part.rows.map((head) => {
    const { project, syncStatus: status, since, differences } = head;
    const { at: seen, run } = lastSeen(head, known.fleet);
    return { project, status, since, differences, seen, run };
  });
  return {
    ...{ server, whole, error: known.error ?? null, counts: countByStatus(heads) },
    causes: findCauses(heads).slice(0, mostCauses).map(causeRow),
    ...pageFields(part),
    projects,
  };
}

const [mostCauses, mostRows] = [100, 500];

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

export function projectData(known: KnownState, seen: ProjectSnapshot): object {
  const { syncStatus: status, ...rest } = seen;
  return { ...rest, status, seen: lastSeen(seen, known.fleet) };
}

export function runsData(runs: readonly RunSummary[], page: string | undefined): object {
  const part = selectPage(runs, page, mostRows);
  return { ...pageFields(part), runs: part.rows.map(({ touched: _, ...summary }) => summary) };
}

export function runData({ summary, plan, progress, errors }: RunDetails): object {
  return { ...summary, progress: progress ?? null, errors: Object.fromEntries(errors), plan: plan ?? null };
}

export function reviewData(part: ListPart<string>, waiting: readonly WaitingPlan[]): object {
  const plans = waiting.map(({ run, plan, signatures, approvers, highlights, lacks, error }) => ({
    run,
    saved: plan?.created_at ?? "",
    digest: plan?.digest ?? "",
    changes: plan ? changeCount(plan.summary) : 0,
    signatures,
    signed_by: approvers?.approved.join("; ") ?? "",
    highlights: highlights.map(highlightLine).join("; "),
    lacks: lacks.join("; "),
    error: error ?? "",
  }));
  return { ...pageFields(part), plans };
}

/** The JSON document of search results. */
export function searchData(known: KnownState, q: string): object {
  const { projects, labels, runs, counts } = search(known, q);
  const found = [
    ...projects.map(({ project, syncStatus }) => ({ sort: "project", name: project, is: syncStatus })),
    ...labels.map(({ kind, name }) => ({ sort: kind, name, is: "" })),
    ...runs.map(({ run, command, outcome }) => ({
      sort: "run",
      name: run,
      is: `${command}, ${outcome ?? "did not finish"}`,
    })),
  ];
  return { q, counts, found };
}
