import { inParallel } from "../../base/concurrency.ts";
import type { JsonObject } from "../../base/json.ts";
import { memoized } from "../../base/memoize.ts";
import { compareTexts } from "../../base/text-format.ts";
import type { Reader } from "../../client/client.ts";
import { explainCallFailure } from "../../client/explain-failure.ts";
import type { DesiredFleet } from "../../manifest/desired-fleet.ts";
import { wideOverrides } from "../../manifest/overrides.ts";
import { addressOf } from "../../model/address.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { fullPathOf, projectFinder, projectNamed } from "../../model/identity.ts";
import { kindOf } from "../../model/kinds.ts";
import { bareName, ownerName, ownerOfKind, ownerOfName } from "../../model/owner.ts";
import { createdOwner } from "../../model/resource-kind.ts";
import type { DesiredProject, Problem, Project } from "../../model/types.ts";
import { type Difference, diff } from "../../plan/diff/diff.ts";
import type { DiffOptions } from "../../plan/diff/options.ts";
import { differsFrom, overrideCount } from "../../plan/overrides.ts";
import { whyNotCalled } from "../../plan/requests.ts";
import { findMovedProjects, isLeftAlone, missingProblems } from "./find-projects.ts";
import { type LookedUpDesired, replaceLookedUp, type Written } from "./look-up-values.ts";
import { keepReadable, type PartlyRead, type Unread, unreadPart, unreadProblem } from "./partly-read.ts";
import { readReadable } from "./read-live.ts";
import type { RefreshedProject, RefreshScope } from "./refresh-scope.ts";
import type { Selection } from "./select-projects.ts";

/**
 * Compares desired and live state, project by project. A project that cannot be read is a problem and does not affect
 * others. @throws CallFailed if it ends the run: a rejected token, an unreachable server.
 */
export async function refresh(
  reader: Reader,
  { fleet, listing }: Pick<Selection, "fleet" | "listing">,
  scope: RefreshScope,
) {
  const { read, delegatedReads } = await refreshAll(reader, fleet, scope);
  const problems = read.flatMap((each) => (each.missing ? [] : each.problems));
  const missing = read.flatMap((each) => each.missing ?? []);
  const before = reader.counts.reads;
  const known = await findMovedProjects(reader, missing, listing);
  const differences = read.flatMap(({ difference }) => difference ?? []);
  const created = missing.length > 0 ? createdNames(reader.catalogue, fleet.projects, differences) : new Set<string>();
  return {
    differences,
    problems: [...problems, ...missingProblems(missing, scope.policies, known, created)].sort((a, b) =>
      compareTexts(a.project ?? "", b.project ?? ""),
    ),
    /** Number of projects that are archived according to a refused read. */
    archived: read.filter(({ archived }) => archived).length,
    /** Requests for suggestions about missing projects, not counted in the plan. */
    lookUps: reader.counts.reads - before,
    delegatedReads,
  };
}

function createdNames(
  catalogue: Catalogue,
  projects: readonly Project[],
  differences: readonly Difference[],
): ReadonlySet<string> {
  const find = projectFinder(projects);
  const created = differences.flatMap(({ changes }) => changes.filter(({ action }) => action === "create"));
  return new Set(
    created.flatMap(({ project, kind, key }) => {
      const owner = createdOwner(kindOf(catalogue, kind).file);
      const above = fullPathOf(find(project) ?? projectNamed(project)) ?? project;
      const path = ownerOfName(project) === "instance" ? key : `${bareName(above)}/${key}`;
      return owner === undefined ? [] : ownerName(owner, path).toLowerCase();
    }),
  );
}

async function refreshAll(reader: Reader, fleet: DesiredFleet, scope: RefreshScope) {
  const { length } = fleet.projects;
  let done = 0;
  const finished = (result: RefreshedProject): RefreshedProject => {
    // Positions require parsing the manifest: computed here one by one, they do not delay a signal while the plan is
    // made.
    for (const { origin } of result.difference?.changes ?? []) origin.place();
    scope.progress?.(++done, length);
    return result;
  };
  if (!scope.delegate) return { read: await refreshEach(reader, fleet, scope, finished), delegatedReads: 0 };
  const read = new Array<RefreshedProject>(length);
  const delegatedReads = await scope.delegate(fleet, (index, result) => {
    read[index] = finished(result);
  });
  return { read, delegatedReads };
}

/** Refreshes the projects of a fleet in this process, in parallel. @throws CallFailed if it ends the run. */
export function refreshEach(
  reader: Reader,
  fleet: DesiredFleet,
  scope: RefreshScope,
  finished: (result: RefreshedProject) => RefreshedProject,
): Promise<RefreshedProject[]> {
  const here = async (_: Project, index: number) => {
    const desired = fleet.at(index);
    const result = await refreshProject(reader, desired, scope, desired.project.ownRow);
    const { difference } = result;
    if (!difference || difference.settled.length + difference.absent.length === 0) return finished(result);
    scope.remember?.(difference);
    return finished({ ...result, difference: { ...difference, settled: none, absent: none } });
  };
  // Limited by the room for requests, which may double while a project is read: more projects would only wait, and keep
  // what is read of them in memory.
  return inParallel(fleet.projects, () => Math.min(scope.workers, 2 * reader.room()), here);
}

/** One shared list, because a run keeps the differences of a whole fleet. */
const none: readonly never[] = [];

/**
 * Reads a project as far as possible and compares it. `ownRow`: its row, if this run has just read it. @throws
 * CallFailed if it ends the run.
 */
export async function refreshProject(
  reader: Reader,
  desired: DesiredProject,
  scope: RefreshScope,
  ownRow?: JsonObject,
): Promise<RefreshedProject> {
  const read = await readReadable(reader, desired, { trusts: scope.trusts, ownRow });
  const isRefused = read.unread.some(({ failure }) => failure.status === 403);
  if (isRefused && (await isLeftAlone(reader, desired.project, scope.policies)))
    return { problems: [], archived: true };
  return compareProject(reader.catalogue, desired, read, scope);
}

function compareProject(
  catalogue: Catalogue,
  desired: DesiredProject,
  read: PartlyRead,
  scope: RefreshScope,
): RefreshedProject {
  const { unread } = read;
  const { project } = desired;
  const readable = keepReadable(catalogue, desired, unread);
  const lost = unread.find((each) => isMissing(catalogue, each));
  const part = lost ?? unread[0];
  if (part && readable.kinds.size === 0) {
    const message = explainCallFailure(part.failure);
    const problem: Problem = { severity: "error", rule: "unreadable", message, project: project.name };
    return { problems: [problem], ...(lost && { missing: { project, message, movedTo: part.failure.movedTo } }) };
  }
  const baseOptions = scope.diff(project);
  const options = scope.remember ? baseOptions : unremembered(baseOptions);
  const both = { ...read, desired: readable };
  const compared = compare(catalogue, both, options);
  const overrides = compareOverrides(catalogue, both, options, scope);
  const difference = { ...withoutUncallable(catalogue, compared.difference), ...overrides };
  const unreadable = unread.map((each) => unreadProblem(catalogue, desired, each));
  const problems = [...difference.problems, ...compared.problems, ...unreadable];
  return { difference, problems, failed: compared.failed, ...(unread.length > 0 && { unread }) };
}

/** The readable part of a project, and its desired state. */
type Compared = PartlyRead & { readonly desired: DesiredProject };

function compareOverrides(
  catalogue: Catalogue,
  { desired, live, lookedUp, unread }: Compared,
  { target = () => true }: DiffOptions,
  { policies }: Pick<RefreshScope, "policies">,
): Pick<Difference, "overrides"> {
  const { name } = desired.project;
  const all = wideOverrides(policies, desired.project);
  const overrides = all.filter(({ declares: { kind, key } }) => target(addressOf(name, kind, key)));
  if (overrides.length === 0) return {};
  return {
    overrides: overrides.map((override) => {
      const { declares } = override;
      if (unreadPart(catalogue, unread, declares)) return overrideCount(override, null);
      const [found] = replaceLookedUp(catalogue, { ...desired, resources: [declares] }, live, lookedUp ?? {}).desired
        .resources;
      return overrideCount(override, found ? differsFrom(found, live, catalogue) : null);
    }),
  };
}

/** Cached, so that projects with equal options share the object. */
const unremembered = memoized((options: DiffOptions): DiffOptions => ({ ...options, settled: false }), new WeakMap());

/** Repeats the comparison if resources are replaced or deleted: others that refer to them by ID then differ too. */
function compare(
  catalogue: Catalogue,
  readable: Compared,
  options: DiffOptions,
  known: readonly Written[] = [],
): Pick<LookedUpDesired, "problems" | "failed"> & { readonly difference: Difference } {
  const { desired, live, problems, failed } = replaceLookedUp(
    catalogue,
    readable.desired,
    readable.live,
    readable.lookedUp,
    known,
  );
  const difference = diff(desired, live, options);
  const isWritten = ({ action }: Written) => action === "replace" || action === "delete";
  const written = readable.lookedUp ? difference.changes.filter(isWritten) : [];
  if (written.length <= known.length) return { difference, problems, failed };
  return compare(catalogue, readable, options, written);
}

/**
 * Servers may list a resource that no request can identify, such as one named `..`: a problem of that resource alone.
 */
function withoutUncallable(catalogue: Catalogue, difference: Difference): Difference {
  const problems = difference.changes.flatMap((change): Problem[] => {
    const why = whyNotCalled(change, catalogue);
    if (why === undefined) return [];
    const { address, project, origin } = change;
    const message = `no request can be made for ${address}, so it is left out of the plan: ${why}`;
    return [{ severity: "error", rule: "cannot-request", message, place: origin.place(), project }];
  });
  if (problems.length === 0) return difference;
  const changes = difference.changes.filter((change) => whyNotCalled(change, catalogue) === undefined);
  return { ...difference, changes, problems: [...difference.problems, ...problems] };
}

/** True if the server does not know the project. A 404 because the server lacks the kind does not count. */
function isMissing(catalogue: Catalogue, { kind, failure }: Unread): boolean {
  const { status, unknownRoute, movedTo, saysGone } = failure;
  if (movedTo !== undefined) return true;
  const isOfServer = saysGone && (catalogue.kinds.get(kind)?.file.needs?.tier ?? "free") !== "free";
  return status === 404 && !unknownRoute && !isOfServer && ownerOfKind(kind) !== "instance";
}
