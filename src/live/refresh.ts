import { inParallel } from "../base/concurrency.ts";
import { compareTexts } from "../base/text-format.ts";
import type { Reader } from "../client/client.ts";
import { explained } from "../client/explain-failure.ts";
import type { CallFailed } from "../client/failure.ts";
import { inSpan } from "../client/spans.ts";
import { type Difference, diff } from "../diff/diff.ts";
import type { DiffOptions } from "../diff/options.ts";
import { type DesiredFleet, desiredFleet } from "../manifest/desired-fleet.ts";
import { noLongerSelected } from "../manifest/expiry.ts";
import { desiredOf } from "../manifest/layers.ts";
import type { Policy } from "../manifest/policies.ts";
import { sortedProblems } from "../manifest/problem.ts";
import { addressOf } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { addressTest, unresolvedReferences } from "../model/identity.ts";
import type { Desired, DesiredProject, Problem, Project } from "../model/types.ts";
import { failFastOnCommonError, refusedLists } from "./common-failures.ts";
import { type FoundProjects, findProjects, type ProjectScope } from "./find-projects.ts";
import { findMovedProjects, type Missing, missingProblems } from "./missing-projects.ts";
import { type PartlyRead, readReadable, type Trusts, type Unread } from "./read-live.ts";
import { readableOf, unreadProblem } from "./unread-resources.ts";

/** What a refresh compares. */
export interface RefreshScope extends ProjectScope {
  /** Policies that do not count any more. */
  readonly expired?: readonly Policy[];
  /** `--target` and `--resend` as they were written, to be told when they match nothing. */
  readonly globs: readonly string[];
  readonly diff: (project: Project) => DiffOptions;
  /** Integrations that need no GET of their own (`reads: trust-updated-at`). */
  readonly trusts?: Trusts;
  /** The `updated_at` at which such an integration stands still; undefined where it is to be read. */
  readonly stillAt?: (project: string, desired: Desired) => string | undefined;
  /** Who reads the projects; left out: this process. */
  readonly delegate?: ReadDelegate | undefined;
  readonly progress?: (done: number, total: number) => void;
  /** Told what is wanted of each project, in their order, before any is read. */
  readonly selected?: (desired: DesiredProject) => void;
  /** Told what a ledger may remember of each project, which is not kept any longer. */
  readonly remember?: (difference: Pick<Difference, "settled" | "absent">) => void;
}

/**
 * Has projects read by others, and tells each as it was read, by its place among them. Resolves to the requests that
 * they sent. @throws CallFailed where it ends the run.
 */
export type ReadDelegate = (fleet: DesiredFleet, arrived: (index: number, read: PartlyRead) => void) => Promise<number>;

/** The projects of a run and what is wanted of each, before any of them is read, and its problems. */
export interface Selection extends Pick<FoundProjects, "listing" | "of"> {
  /** Everything that policies select, under each name that had to be known, whatever this run is limited to. */
  readonly projects: FoundProjects["projects"];
  readonly fleet: DesiredFleet;
  readonly problems: readonly Problem[];
}

/** Finds the projects that a run is about, and what is wanted of each. @throws CallFailed where a look-up fails. */
export async function select(reader: Reader, scope: RefreshScope): Promise<Selection> {
  const { policies, expired = [], since } = scope;
  const { listing, of, ...found } = await findProjects(reader, scope);
  const projects = found.projects.filter(scope.includes);
  const merged = (project: Project) => desiredOf(policies, project, expired);
  const among = since ? " among the projects that want something else" : "";
  const idle = idleGlobs(scope.globs);
  const faults = projects.flatMap((project) => {
    const { desired, problems } = merged(project);
    idle.see(desired);
    scope.selected?.(desired);
    return problems;
  });
  const problems = [
    ...found.problems,
    ...faults,
    ...unlisted(projects, scope),
    ...(since ? [] : noLongerSelected(policies, expired, listing, scope.includes)),
  ];
  return {
    projects: found.projects,
    fleet: desiredFleet(projects, (project) => merged(project).desired),
    listing,
    of,
    problems: [...sortedProblems(problems), ...idle.problems(among)],
  };
}

function unlisted(projects: readonly Project[], { referencedGlobs }: RefreshScope): Problem[] {
  return projects.flatMap((project) => {
    const [glob] = unresolvedReferences(referencedGlobs, [project]);
    if (glob === undefined) return [];
    const message = `the server does not list project ${project.name}, so it is unknown whether ${glob} matches it`;
    return [{ severity: "warning", rule: "unlisted-project", message, project: project.name }];
  });
}

/** Every project's difference, sorted by project, and the problems. */
export interface Refreshed {
  readonly differences: readonly Difference[];
  readonly problems: readonly Problem[];
  /** Requests beyond the planned ones, to find out what a misspelt path may mean. */
  readonly lookUps: number;
  /** Reads that a delegate sent. */
  readonly delegatedReads: number;
}

/**
 * Desired state against live state, project by project. A project that cannot be read is a problem, and the others go
 * on. @throws CallFailed where it ends the run: a refused token, a server that cannot be reached.
 */
export async function refresh(
  reader: Reader,
  { fleet, listing }: Pick<Selection, "fleet" | "listing">,
  scope: RefreshScope,
): Promise<Refreshed> {
  const failures = failFastOnCommonError(fleet.projects.length);
  const { read, delegatedReads } = await refreshAll(reader, fleet, { ...scope, failed: failures.add });
  const common = failures.problem();
  if (common) return { differences: [], problems: [common], lookUps: 0, delegatedReads };
  const refused = refusedLists(reader.catalogue, fleet, read);
  const problems = [
    ...read.flatMap(problemsOf).filter(({ message }) => !refused.some(({ instead }) => instead.has(message))),
    ...refused.map(({ problem }) => problem),
  ];
  const missing = read.flatMap((each) => each.missing ?? []);
  const before = reader.counts.reads;
  const known = await findMovedProjects(reader, missing, listing);
  return {
    differences: read.flatMap(({ difference }) => difference ?? []),
    problems: [...problems, ...missingProblems(missing, scope.policies, known)].sort((a, b) =>
      compareTexts(a.project ?? "", b.project ?? ""),
    ),
    lookUps: reader.counts.reads - before,
    delegatedReads,
  };
}

type ObservedScope = RefreshScope & { readonly failed: (failure: CallFailed | undefined) => void };

/** Every project in order, read here or by a delegate, and compared here. */
async function refreshAll(reader: Reader, fleet: DesiredFleet, scope: ObservedScope) {
  const { projects } = fleet;
  let done = 0;
  const finished = (result: RefreshedProject): RefreshedProject => {
    const { difference } = result;
    scope.failed(result.failure);
    // Positions cost a parse of the manifest: computed here one by one, they do not delay a signal while the plan is made.
    for (const { origin } of difference?.changes ?? []) origin.place();
    scope.progress?.(++done, projects.length);
    if (!difference || difference.settled.length + difference.absent.length === 0) return result;
    scope.remember?.(difference);
    return { ...result, difference: { ...difference, settled: [], absent: [] } };
  };
  if (!scope.delegate) {
    const here = ({ name }: Project, index: number) =>
      inSpan("read project", { "evenkeel.project": name }, async () =>
        finished(await refreshProject(reader, fleet.at(index), scope)),
      );
    return { read: await inParallel(projects, scope.workers, here), delegatedReads: 0 };
  }
  const read = new Array<RefreshedProject>(projects.length);
  const delegatedReads = await scope.delegate(fleet, (index, partlyRead) => {
    if (index < projects.length)
      read[index] = finished(refreshed(reader.catalogue, fleet.at(index), partlyRead, scope));
  });
  return { read, delegatedReads };
}

function problemsOf({ problems, missing }: RefreshedProject): readonly Problem[] {
  return missing ? [] : problems;
}

/** Without this warning, a misspelt glob would look like a fleet in sync. */
function idleGlobs(globs: readonly string[]) {
  const tests = new Map(globs.map((glob) => [glob, addressTest(glob)]));
  return {
    see: ({ project, resources }: DesiredProject) => {
      for (const [glob, matches] of tests) {
        if (resources.some(({ kind, key }) => matches(addressOf(project.name, kind, key), project))) tests.delete(glob);
      }
    },
    problems: (among: string): Problem[] =>
      globs
        .filter((glob) => tests.has(glob))
        .map((glob) => ({
          severity: "warning",
          rule: "no-match",
          message: `no declared resource matches ${glob}${among}`,
        })),
  };
}

/** A project as it is now, or why that is not known. */
export interface RefreshedProject {
  readonly difference?: Difference;
  readonly problems: readonly Problem[];
  /** What of it could not be read, where the rest was. */
  readonly unread?: readonly Unread[];
  /** Set where nothing of it could be read. */
  readonly failure?: CallFailed;
  /** Set where the server does not know the project. */
  readonly missing?: Missing;
}

/** One project, read as far as it can be and compared. @throws CallFailed where it ends the run. */
export async function refreshProject(
  reader: Reader,
  desired: DesiredProject,
  scope: RefreshScope,
): Promise<RefreshedProject> {
  return refreshed(reader.catalogue, desired, await readReadable(reader, desired, scope.trusts), scope);
}

function refreshed(
  catalogue: Catalogue,
  desired: DesiredProject,
  { live, unread }: PartlyRead,
  scope: RefreshScope,
): RefreshedProject {
  const readable = readableOf(catalogue, desired, unread);
  const [part] = unread;
  if (part && readable.kinds.size === 0) return unreadable(desired.project, part);
  const difference = diff(readable, live, scope.diff(desired.project));
  if (unread.length === 0) return { difference, problems: difference.problems };
  const problems = unread.map((each) => unreadProblem(catalogue, desired, each));
  return { difference, problems: [...difference.problems, ...problems], unread };
}

function unreadable(project: Project, { failure }: Unread): RefreshedProject {
  const message = explained(failure);
  const problem: Problem = { severity: "error", rule: "unreadable", message, project: project.name };
  const { status, unknownRoute, movedTo } = failure;
  const isMissing = movedTo !== undefined || (status === 404 && !unknownRoute);
  return { problems: [problem], failure, ...(isMissing && { missing: { project, message, movedTo } }) };
}
