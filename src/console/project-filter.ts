import { memoized } from "../base/memoize.ts";
import { countStatuses, type SyncStatus, type SyncStatusCounts } from "../state/snapshots/snapshot.ts";
import type { ProjectSummary } from "../state/snapshots/summaries.ts";
import { hasCause } from "./causes.ts";
import { parseFilters } from "./layout.ts";

/** Filters of the list of projects; an empty one matches anything. */
export interface WantedProjects {
  readonly q: string;
  /** A group with its subgroups. */
  readonly group: string;
  readonly policy: string;
  /** A status, or {@link anyStatus} or {@link outOfSync}. */
  readonly status: string;
  readonly cause: string;
}

export const projectFilters = ["q", "group", "policy", "status", "cause"] as const;

/** Values of the status filter besides the statuses. */
export const [anyStatus, outOfSync] = ["any", "out of sync"] as const;

export function parseProjectFilters(query: Readonly<Record<string, string | undefined>>): WantedProjects {
  const wanted = parseFilters(projectFilters, query);
  return { ...wanted, group: wanted.group.replace(/^\/+|\/+$/g, "") };
}

export function filterProjects(
  heads: readonly ProjectSummary[],
  wanted: Partial<WantedProjects>,
): readonly ProjectSummary[] {
  const tests = buildTests({ ...anyProject, ...wanted });
  return tests.length === 0 ? heads : heads.filter((head) => tests.every((test) => test(head)));
}

const anyProject = parseProjectFilters({});

type Test = (head: ProjectSummary) => boolean;

function buildTests({ q, group, policy, status, cause }: WantedProjects): readonly Test[] {
  const [words, prefix] = [q.toLowerCase(), `${group.toLowerCase()}/`];
  const tests: readonly (readonly [string, Test])[] = [
    [policy, ({ policies }) => policies.has(policy)],
    [status === anyStatus ? "" : status, statusTest(status)],
    [cause, (head) => hasCause(head, cause)],
    // The slowest tests come last.
    [q, ({ project }) => project.toLowerCase().includes(words)],
    [group, ({ project }) => project.toLowerCase().startsWith(prefix)],
  ];
  return tests.filter(([asked]) => asked !== "").map(([, test]) => test);
}

function statusTest(status: string): Test {
  if (status === outOfSync) return ({ syncStatus }) => syncStatus !== "in sync";
  return ({ syncStatus }) => syncStatus === status;
}

export const countByStatus = memoized(
  (heads: readonly ProjectSummary[]): SyncStatusCounts => countStatuses(listStatuses(heads)),
  new WeakMap(),
);

/** A generator: an array would be as long as the fleet. */
function* listStatuses(heads: readonly ProjectSummary[]): Iterable<SyncStatus> {
  for (const { syncStatus } of heads) yield syncStatus;
}
