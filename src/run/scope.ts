import { secretMark } from "../base/known-secrets.ts";
import type { Reader } from "../client/client.ts";
import { type DesiredFleet, desiredFleet } from "../manifest/desired-fleet.ts";
import { isExpired } from "../manifest/expiry.ts";
import { readMigrations } from "../manifest/migrations.ts";
import { problemAt } from "../manifest/problem.ts";
import { isMatch } from "../manifest/selection.ts";
import { addressMatcher, addressOf } from "../model/address.ts";
import { type Catalogue, catalogueOf } from "../model/catalogue.ts";
import {
  addressScope,
  addressTest,
  cautiousAddressTest,
  projectFinder,
  projectNamed,
  projectPart,
  projectTest,
  renamed,
} from "../model/identity.ts";
import { kindOf } from "../model/kinds.ts";
import { kindWord, ownerOfName } from "../model/owner.ts";
import { isSingleton } from "../model/resource-kind.ts";
import type { Kind, Problem, Project } from "../model/types.ts";
import type { Difference } from "../plan/diff/diff.ts";
import { isUnchanged } from "../plan/diff/last-applied.ts";
import type { DiffOptions } from "../plan/diff/options.ts";
import type { GuardRules, Waivers } from "../plan/guards.ts";
import type { Plan } from "../plan/plan.ts";
import type { ProjectList } from "../state/notes.ts";
import type { Context } from "./context.ts";
import { nameIfPossible, type Since } from "./live/find-projects.ts";
import type { RefreshScope } from "./live/refresh-scope.ts";
import { addressesOf } from "./storage/moves.ts";

export function scopeOf(context: Context): RefreshScope {
  const { loaded, policies, expired, ledger, concurrency, request, since, listed, heading, meter } = context;
  const { server, protected: globs } = loaded.workspace;
  const { targets = [], excludes = [], resend: resent = [], only } = request;
  const limits = addressScope(targets, excludes);
  const inShard = request.shard ?? (() => true);
  const resend = matchAny(resent.map(addressTest));
  const compared = comparisonOf(context);
  const moves = request.storage ? readMigrations(loaded).migrations.flatMap(addressesOf) : [];
  const chosen = [...targets, ...excludes, ...resent];
  const selecting = new Map([
    ...targets.map((glob) => [glob, "--target"] as const),
    ...excludes.map((glob) => [glob, "--exclude"] as const),
  ]);
  return {
    policies,
    expired,
    ...(!since && !request.shard && { selecting }),
    globs: chosen.filter((glob) => !moves.some(addressMatcher(glob))),
    referencedGlobs: [
      ...globs,
      ...chosen,
      ...(globs.length > 0 ? (request.waivers?.protected ?? []) : []),
      ...context.rules.flatMap((rule) => (isExpired(rule, context.today) ? [] : rule.except)),
      ...loaded.workspace.canary.map(({ written }) => written),
    ],
    needsNames: context.rules.length > 0,
    needsRows: [...policies, ...expired, ...(since?.before.policies ?? [])].some(({ where }) => where),
    includes: (project) => limits.includes(project) && inShard(project.name),
    ...(only?.projects && { only: only.projects }),
    ...(since && { since: { ...since, ...usableListings(listed, heading.url) } }),
    ...(ledger &&
      server.reads === "trust-updated-at" && {
        trusts: (project) => (one) => isUnchanged(one, addressOf(project, one.desired.kind, one.desired.key), ledger),
      }),
    diff: (project) =>
      limits.isLimited || resent.length > 0
        ? {
            ...(resent.length > 0 && { resend: (address: string) => resend(address, project) }),
            ...(limits.isLimited && { target: (address: string) => limits.covers(address, project) }),
            ...compared,
          }
        : compared,
    ...(request.warn && { note: request.warn }),
    workers: Math.min(concurrency, mostProjects),
    progress: (done, total) => {
      meter.reach(done);
      request.progress?.(done, total);
    },
  };
}

function comparisonOf({ loaded, ledger, secrets, request: { only }, heading }: Context): DiffOptions {
  const { server } = loaded.workspace;
  return {
    catalogue: heading.catalogue ?? catalogueOf(),
    ...(ledger && { ledger }),
    isMarked: (reference, mark) => {
      const value = secrets.known(reference);
      return value === undefined ? undefined : secretMark(value) === mark;
    },
    release: server.release,
    tier: server.tier,
    alwaysSend: !ledger && server.secrets === "always-send",
    ...(only && { target: (address) => only.addresses.has(address) }),
  };
}

/** Milliseconds for which a project list is reused: newer projects are found by the next plan. */
const maxListAge = 3_600_000;

function usableListings(kept: ProjectList | undefined, server: string): Pick<Since, "recent" | "listed"> {
  if (kept?.server !== server) return { recent: undefined, listed: undefined };
  const age = Date.now() - kept.at.getTime();
  return { recent: age >= 0 && age < maxListAge ? kept.projects : undefined, listed: kept.projects };
}

/** Projects read concurrently: each sends several requests, and is held in memory until it is complete. */
const mostProjects = 64;

export function guardRules({ loaded }: Context, projects: readonly Project[]): GuardRules {
  const { guards, protected: globs } = loaded.workspace;
  const test = matchAny(globs.map(cautiousAddressTest));
  const find = globs.length > 0 ? projectFinder(projects) : () => undefined;
  const projectOf = (name: string) => find(name) ?? projectNamed(name);
  return { guards, isProtected: (address) => test(address, projectOf(projectPart(address))) };
}

/** Waivers in the form of addresses in objections, whichever name of the project the user gave. */
export function normaliseWaivers(waivers: Waivers | undefined, projects: readonly Project[]): Waivers | undefined {
  if (!waivers) return undefined;
  const find = projectFinder(projects);
  const named = (address: string) => renamed(address, find(projectPart(address))?.name ?? projectPart(address));
  return { ...waivers, protected: new Set([...waivers.protected].map(named)) };
}

/** Warnings of protected globs and canaries in the settings that match nothing; none for a limited run, which cannot know. */
export function idleSettings({ loaded, request }: Context, projects: readonly Project[]): Problem[] {
  const { catalogue, protected: globs, canary } = loaded.workspace;
  const { targets = [], excludes = [], shard, since, only } = request;
  const document = loaded.settings;
  if (!document || targets.length + excludes.length > 0 || shard || since || only) return [];
  const idleGlobs = globs.flatMap((glob, index) => {
    const why = explainIdle(glob, projects, catalogue);
    const at = { document, path: ["protected", index] };
    return why === undefined ? [] : [problemAt("idle-protection", `${glob} protects nothing: ${why}`, at)];
  });
  const idleCanaries = canary.flatMap((selector, index) => {
    if (projects.some((project) => isMatch(selector, project))) return [];
    const message = `canary ${selector.written} matches no ${ownerOfName(selector.written)} that a policy selects`;
    return [problemAt("no-project", message, { document, path: ["canary", index] })];
  });
  return [...idleGlobs, ...idleCanaries];
}

/**
 * Explains why a `protected` glob protects nothing: it matches no project, or no resource that could be disabled
 * there. Undefined if it may protect something, live or not.
 */
function explainIdle(glob: string, projects: readonly Project[], catalogue: Catalogue): string | undefined {
  if (!projects.some(projectTest(glob)))
    return `it matches no ${ownerOfName(projectPart(glob))} that the policies select`;
  const removable = [...catalogue.kinds].flatMap(([kind, { calls, removal }]) => (calls[removal] ? kind : []));
  const mayMatch = removable.some((kind) => mayProtect(glob, kind, catalogue));
  return mayMatch ? undefined : `no ${[...new Set(removable.map(kindWord))].join(" or ")} has such a name`;
}

function mayProtect(glob: string, kind: Kind, catalogue: Catalogue): boolean {
  const { keys: known, file } = kindOf(catalogue, kind);
  if (!glob.includes(":")) return true;
  if (known) return [...known.keys()].some((key) => addressMatcher(renamed(glob, "*"))(`any:${kindWord(kind)}/${key}`));
  const [head = "", ...key] = glob.slice(projectPart(glob).length + 1).split("/");
  return /[^\w]/.test(head) || (head.toLowerCase() === kindWord(kind) && key.length > 0 === !isSingleton(file));
}

function matchAny<Input extends readonly unknown[]>(tests: readonly ((...input: Input) => boolean)[]) {
  return (...input: Input) => tests.some((test) => test(...input));
}

/** Looks up the IDs of projects that change, for a plan that is saved: a path can be reused by another project. */
export async function namesForPlan(
  reader: Reader,
  { request, concurrency }: Context,
  projects: readonly Project[],
  differences: readonly Difference[],
) {
  if (!request.outlives) return { projects, lookUps: 0 };
  const changed = new Set(differences.flatMap(({ project, changes }) => (changes.length > 0 ? [project] : [])));
  const isLacking = ({ id, name }: Project) => id === undefined && changed.has(name);
  const before = reader.counts.reads;
  const named = await nameIfPossible(reader, projects, isLacking, concurrency);
  return { projects: named, lookUps: reader.counts.reads - before };
}

/** Looks up every name that a saved plan records of its projects. */
export async function namedAsPlanned(
  reader: Reader,
  { concurrency }: Context,
  { resource_changes: changes }: Plan,
  fleet: DesiredFleet,
): Promise<DesiredFleet> {
  const withId = new Set(changes.flatMap(({ project, project_id }) => (project_id === undefined ? [] : [project])));
  const withPath = new Set(
    changes.flatMap(({ project, project_path }) => (project_path === undefined ? [] : [project])),
  );
  const isLacking = ({ name, id, path }: Project) =>
    (withId.has(name) && id === undefined) || (withPath.has(name) && (path === undefined || id === undefined));
  const named = await nameIfPossible(reader, fleet.projects, isLacking, concurrency);
  return desiredFleet(named, (project, index) => ({ ...fleet.at(index), project }));
}
