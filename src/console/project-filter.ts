import { grouped } from "../base/grouped.ts";
import { memoized } from "../base/memoize.ts";
import type { Kind } from "../model/types.ts";
import { countStatuses, type SyncStatus, type SyncStatusCounts } from "../state/snapshots/snapshot.ts";
import type { ProjectSummary } from "../state/snapshots/summaries.ts";
import type { KnownState } from "./known-state.ts";
import { parseFilters } from "./layout.ts";

/** Filters of the list of projects; an empty one matches anything. */
export interface WantedProjects {
  readonly q: string;
  /** A group with its subgroups. */
  readonly group: string;
  readonly policy: string;
  /** A kind of resources, or `kind/key`. */
  readonly resource: string;
  /** A status, or {@link anyStatus} or {@link outOfSync}. */
  readonly status: string;
  readonly cause: string;
  /** The policy that a difference comes from. */
  readonly from: string;
  /** Days of the chart; does not filter. */
  readonly days: string;
  /** Minimum number of hours since the status last changed. */
  readonly age: string;
}

export const projectFilters = ["q", "group", "policy", "resource", "status", "cause", "from", "days", "age"] as const;

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

function buildTests(wanted: WantedProjects): readonly Test[] {
  const { q, group, policy, resource, status, cause, from, age } = wanted;
  const [words, prefix] = [q.toLowerCase(), `${group.toLowerCase()}/`];
  const latest = Date.now() - Number(age) * 3_600_000;
  const latestIso = latest > 0 ? new Date(latest).toISOString() : "";
  const tests: readonly (readonly [string, Test])[] = [
    [policy, labelsTest(({ policies }) => policies.has(policy))],
    [resource, labelsTest(resourceTest(resource))],
    [status === anyStatus ? "" : status, statusTest(status)],
    [cause, ({ shapes }) => shapes.some(({ shape }) => shape.group === cause || shape.topic === cause)],
    [from, ({ shapes }) => shapes.some(({ shape }) => shape.policy === from)],
    [Number(age) > 0 ? age : "", ({ since }) => since <= latestIso],
    // The slowest tests come last.
    [q, ({ project }) => project.toLowerCase().includes(words)],
    [group, ({ project }) => project.toLowerCase().startsWith(prefix)],
  ];
  return tests.filter(([asked]) => asked !== "").map(([, test]) => test);
}

type LabelsTest = (labels: ProjectSummary["labels"]) => boolean;

/** Tests each distinct set of labels once: projects share them. */
function labelsTest(test: LabelsTest): Test {
  const tested = memoized(test);
  return ({ labels }) => tested(labels);
}

/** Tests for resources of a kind, or for one key of it. */
function resourceTest(resource: string): LabelsTest {
  const slash = resource.indexOf("/");
  if (slash < 0) return ({ keys }) => keys[resource as Kind] !== undefined;
  const [kind, key] = [resource.slice(0, slash), resource.slice(slash + 1)];
  return ({ keys }) => keys[kind as Kind]?.has(key) === true;
}

function statusTest(status: string): Test {
  if (status === outOfSync) return ({ syncStatus }) => syncStatus !== "in sync";
  return ({ syncStatus }) => syncStatus === status;
}

type Heads = readonly ProjectSummary[];

export const countByStatus = memoized(
  (heads: Heads): SyncStatusCounts => countStatuses(heads.map(({ syncStatus }) => syncStatus)),
  new WeakMap(),
);

/** A group of projects, or one project, below another group. */
export interface ProjectGroup {
  readonly path: string;
  /** True for a project. */
  readonly leaf: boolean;
  readonly projects: number;
  readonly counts: SyncStatusCounts;
}

/** The next level below a group, most drift first. */
export function groupsBelow({ projects }: KnownState, group: string): readonly ProjectGroup[] {
  return group === "" ? topGroups(projects) : collectGroups(projects, group);
}

const topGroups = memoized((projects: Heads) => collectGroups(projects, ""), new WeakMap());

function collectGroups(projects: Heads, group: string): readonly ProjectGroup[] {
  const prefix = group === "" ? "" : `${group}/`;
  const below = new Map<string, { leaf: boolean; projects: number; counts: Record<SyncStatus, number> }>();
  for (const { project, syncStatus } of projects) {
    if (!project.startsWith(prefix)) continue;
    const end = project.indexOf("/", prefix.length);
    const path = end < 0 ? project : project.slice(0, end);
    const known = below.get(path) ?? { leaf: true, projects: 0, counts: { ...countStatuses([]) } };
    known.leaf &&= path === project;
    known.projects++;
    known.counts[syncStatus]++;
    below.set(path, known);
  }
  return [...below].map(([path, rest]) => ({ path, ...rest })).sort(worstFirst);
}

/** Drifted and unreadable projects before pending ones. */
function worstFirst(a: ProjectGroup, b: ProjectGroup): number {
  const urgent = ({ counts }: ProjectGroup) => counts.drifted + counts.unreadable;
  return urgent(b) - urgent(a) || b.counts.pending - a.counts.pending || b.projects - a.projects;
}

/** Maximum number of keys offered per kind: of some kinds each project has its own. */
const maxKeys = 2000;

/** Choices for filters, sorted: policies, and the keys of each kind of resources. Projects share sets of labels. */
export const listLabels = memoized((projects: Heads) => {
  const labels = [...new Set(projects.map((each) => each.labels))];
  const entries = labels.flatMap((each) => Object.entries(each.keys));
  const keys = grouped(entries, ([kind]) => kind);
  const keysOf = (sets: readonly (readonly [string, ReadonlySet<string> | undefined])[]) =>
    [...new Set(sets.flatMap(([, names = []]) => [...names]))].slice(0, maxKeys);
  return {
    policies: sortNames(labels.flatMap(({ policies }) => [...policies])),
    keys: new Map([...keys].map(([kind, sets]) => [kind, sortNames(keysOf(sets))])),
  };
}, new WeakMap());

function sortNames(names: Iterable<string>): readonly string[] {
  return [...new Set(names)].filter(Boolean).sort();
}
