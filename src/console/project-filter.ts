import { memoized } from "../base/memoize.ts";
import { placeAmong } from "../base/text-format.ts";
import type { Kind } from "../model/types.ts";
import { countStatuses, type SyncStatus, type SyncStatusCounts } from "../state/snapshots/snapshot.ts";
import type { ProjectSummary } from "../state/snapshots/summaries.ts";
import { hasCause } from "./causes.ts";
import type { KnownState } from "./known-state.ts";
import { filtersIn } from "./layout.ts";

/** What a person asks of the list of projects. Empty: anything. */
export interface WantedProjects {
  readonly q: string;
  /** A group with its subgroups. */
  readonly group: string;
  readonly integration: string;
  readonly license: string;
  readonly policy: string;
  /** A kind of resources, or `kind/key`. */
  readonly resource: string;
  /** A status, or {@link anyStatus} or {@link outOfSync}. */
  readonly status: string;
  /** The ID of a cause. */
  readonly cause: string;
  /** Hours for which a project has at least stood as it does. */
  readonly age: string;
}

export const projectFilters = [
  "q",
  "group",
  "integration",
  "license",
  "policy",
  "resource",
  "status",
  "cause",
  "age",
] as const;

/** What a filter by status can ask for besides a status. */
export const [anyStatus, outOfSync] = ["any", "out of sync"] as const;

/** What a query asks for, whatever else it says. */
export function wantedIn(query: Readonly<Record<string, string | undefined>>): WantedProjects {
  const wanted = filtersIn(projectFilters, query);
  return { ...wanted, group: wanted.group.replace(/^\/+|\/+$/g, "") };
}

/** Those of some projects that a person asks for, in their order. */
export function projectsFor(
  heads: readonly ProjectSummary[],
  wanted: Partial<WantedProjects>,
): readonly ProjectSummary[] {
  const tests = testsFor({ ...anyProject, ...wanted });
  return tests.length === 0 ? heads : heads.filter((head) => tests.every((test) => test(head)));
}

const anyProject = wantedIn({});

type Test = (head: ProjectSummary) => boolean;

function testsFor(wanted: WantedProjects): readonly Test[] {
  const { q, group, integration, license, policy, resource, status, cause, age } = wanted;
  const [words, prefix] = [q.toLowerCase(), `${group.toLowerCase()}/`];
  const licensed = license.toLowerCase();
  const latest = Date.now() - Number(age) * 3_600_000;
  const latestIso = latest > 0 ? new Date(latest).toISOString() : "";
  const tests: readonly (readonly [string, Test])[] = [
    [integration, labelsTest(({ keys }) => keys.integration?.has(integration) === true)],
    [license, labelsTest(({ keys }) => [...(keys.license ?? [])].some((key) => key.toLowerCase() === licensed))],
    [policy, labelsTest(({ policies }) => policies.has(policy))],
    [resource, labelsTest(resourceTest(resource))],
    [status === anyStatus ? "" : status, statusTest(status)],
    [cause, (head) => hasCause(head, cause)],
    [Number(age) > 0 ? age : "", ({ since }) => since <= latestIso],
    // Last, because they take longest.
    [q, ({ project }) => project.toLowerCase().includes(words)],
    [group, ({ project }) => project.toLowerCase().startsWith(prefix)],
  ];
  return tests.filter(([asked]) => asked !== "").map(([, test]) => test);
}

type LabelsTest = (labels: ProjectSummary["labels"]) => boolean;

/** Projects share their labels, so that each is tested once. */
function labelsTest(test: LabelsTest): Test {
  const tested = memoized(test);
  return ({ labels }) => tested(labels);
}

/** Projects that declare any resource of a kind, or the one with a key. */
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

/** Projects by status. */
export const countByStatus = memoized(
  (heads: Heads): SyncStatusCounts => countStatuses(statusesOf(heads)),
  new WeakMap(),
);

/** One by one: a list of them would be as long as the fleet. */
function* statusesOf(heads: Heads): Iterable<SyncStatus> {
  for (const { syncStatus } of heads) yield syncStatus;
}

/** A group of projects, or one project, below another group. */
export interface ProjectGroup {
  readonly path: string;
  /** Whether it is a project. */
  readonly leaf: boolean;
  readonly projects: number;
  readonly counts: SyncStatusCounts;
}

/** The next level below a group: those with most drift first. */
export function groupsBelow({ projects }: KnownState, group: string): readonly ProjectGroup[] {
  return group === "" ? topGroups(projects) : groupsIn(projects, group);
}

const topGroups = memoized((projects: Heads) => groupsIn(projects, ""), new WeakMap());

function groupsIn(projects: Heads, group: string): readonly ProjectGroup[] {
  const prefix = group === "" ? "" : `${group}/`;
  const below = new Map<string, { leaf: boolean; projects: number; counts: Record<SyncStatus, number> }>();
  for (const { project, syncStatus } of within(projects, prefix)) {
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

/** Drift and what cannot be read come before what only waits for an apply. */
function worstFirst(a: ProjectGroup, b: ProjectGroup): number {
  const urgent = ({ counts }: ProjectGroup) => counts.drifted + counts.unreadable;
  return urgent(b) - urgent(a) || b.counts.pending - a.counts.pending || b.projects - a.projects;
}

/** The stretch of a sorted list whose paths begin so. */
function within(projects: readonly ProjectSummary[], prefix: string): readonly ProjectSummary[] {
  if (prefix === "") return projects;
  const paths = pathsOf(projects);
  return projects.slice(placeAmong(prefix, paths), placeAmong(`${prefix}\u{10ffff}`, paths));
}

const pathsOf = memoized((projects: Heads) => projects.map(({ project }) => project), new WeakMap());

/** The names of policies, and the keys of each kind of resources: what filters offer. */
interface LabelNames {
  readonly policies: readonly string[];
  readonly keys: ReadonlyMap<string, readonly string[]>;
}

/** Every label of the fleet, sorted. */
export function labelsOf({ projects }: KnownState): LabelNames {
  return labelsIn(projects);
}

/** Keys of a kind that are offered: of some kinds each project has its own. */
const maxKeys = 2000;

const labelsIn = memoized((projects: Heads): LabelNames => {
  const policies = new Set<string>();
  const keys = new Map<string, Set<string>>();
  const seen = new Set<object>();
  for (const { labels } of projects) {
    if (seen.has(labels)) continue;
    seen.add(labels);
    for (const name of labels.policies) policies.add(name);
    for (const [kind, all] of Object.entries(labels.keys)) addKeys(keys, kind, all ?? new Set());
  }
  return { policies: sorted(policies), keys: new Map([...keys].map(([kind, all]) => [kind, sorted(all)])) };
}, new WeakMap());

function addKeys(keys: Map<string, Set<string>>, kind: string, more: ReadonlySet<string>): void {
  const known = keys.get(kind) ?? new Set();
  keys.set(kind, known);
  for (const key of more) if (known.size < maxKeys) known.add(key);
}

function sorted(names: Iterable<string>): readonly string[] {
  return [...names].filter(Boolean).sort();
}
