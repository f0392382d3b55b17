import equal from "fast-deep-equal";
import { memoized } from "../../base/memoize.ts";
import { compareTexts } from "../../base/text-format.ts";
import { linesOfFields } from "../../manifest/deciding-lines.ts";
import type { Document } from "../../manifest/document.ts";
import { merge, mergeAsWritten, rulingOf } from "../../manifest/layers.ts";
import type { StorageMigration } from "../../manifest/migrations.ts";
import type { Policy } from "../../manifest/policies.ts";
import { sortedProblems } from "../../manifest/problem.ts";
import { idleGlobs, knownProjects, listedOf, needsLookup } from "../../manifest/projects.ts";
import { isSelected, matchingLayers, sameLayers } from "../../manifest/selection.ts";
import { layersByGlob } from "../../manifest/validate.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import type { KindRow } from "../../model/kind-row.ts";
import { kindIn, type Owner, ownedBy } from "../../model/owner.ts";
import type { DesiredProject, Kind, Place, Problem, Project } from "../../model/types.ts";
import { type OverrideCount, overridesAmong } from "../overrides.ts";
import { compareProject, type DesiredSide, migrationChanges, type RevisionChange } from "./compare-projects.ts";
import { changedPolicies, type Notice, noticesFor } from "./notices.ts";
import { compareSettings, type SettingChange, type SettingSide } from "./setting-changes.ts";

/** A workspace at one revision, without errors. */
export interface RevisionSide extends SettingSide {
  /** `evenkeel.yaml` as it was read. */
  readonly settings?: Document | undefined;
  readonly migrations: readonly StorageMigration[];
  /** Literal secrets that the workspace allows, by their `manifest:` reference. */
  readonly plaintext: ReadonlyMap<string, string>;
}

/** The differences in desired state between two revisions of a workspace. */
export interface RevisionDiff {
  /** Sorted by address. */
  readonly changes: readonly RevisionChange[];
  /** Changes that a reviewer should see first. */
  readonly notices: readonly Notice[];
  readonly settings: readonly SettingChange[];
  /** Entries of policies with a wildcard that other policies override, in the later revision. */
  readonly overrides: readonly OverrideCount[];
  /** Problems of each side that only merging for single projects reveals. */
  readonly problems: Readonly<Record<"before" | "after", readonly Problem[]>>;
}

/**
 * Compares the desired state of each project at two revisions, with layers and variables applied. `listing`: the fleet;
 * without it, wildcards are compared as written.
 */
export function compareRevisions(
  before: RevisionSide,
  after: RevisionSide,
  listing: readonly Project[] | undefined,
): RevisionDiff {
  const projects = knownProjects([...before.policies, ...after.policies], listing);
  const pairs = projects.flatMap((project) => comparePair(before, after, project));
  const isListed = (owner: Owner) => listing !== undefined && (listing.length === 0 || !!listedOf(owner, listing));
  const isDecided = ({ of, where }: Policy) => isListed(of) && (!where || projects.every(({ row }) => row));
  const unlisted = (side: RevisionSide) => ({ ...side, policies: side.policies.filter((each) => !isDecided(each)) });
  const wildcards = unlistedChanges(unlisted(before), unlisted(after));
  const found = [...pairs.flatMap(({ changes }) => changes), ...wildcards, ...migrationChanges(before, after)];
  const changes = found.toSorted((a, b) => compareTexts(a.address, b.address));
  const settings = compareSettings(before, after);
  const hidden = reselectedChanges(unlisted(before), unlisted(after));
  const listedProjects = (owner: Owner) => (isListed(owner) ? ownedBy(owner, projects) : undefined);
  const listed = after.policies.filter(({ of }) => isListed(of));
  const idle = listing ? idleGlobs(listed, listing) : [];
  return {
    changes,
    settings,
    overrides: overridesAmong(after.policies, projects),
    notices: noticesFor({ before, after, changes, hidden, settings, known: listedProjects }),
    problems: {
      before: sortedProblems(pairs.flatMap((pair) => pair.before)),
      after: sortedProblems([...idle, ...pathlessProblems(after, projects), ...pairs.flatMap((pair) => pair.after)]),
    },
  };
}

/** The differences and problems of a project; empty if the same policies apply in the same order on both sides. */
function comparePair(before: RevisionSide, after: RevisionSide, project: Project) {
  const layersOf = ({ policies }: RevisionSide) => matchingLayers(policies, project);
  const [first, second] = [layersOf(before), layersOf(after)];
  if (sameLayers(first, second)) return [];
  // Facts that require the server stay variables.
  const keepVariable = (fact: string) => `\${${fact}}`;
  const merged = (layers: typeof first) => merge(rulingOf(layers), project, () => false, keepVariable);
  const [was, is] = [merged(first), merged(second)];
  const found = compareProject(project.name, sideOf(was.desired, before), sideOf(is.desired, after));
  const changes = found.map((change) => ({ ...change, source: variableLine(after, project, change) ?? change.source }));
  return [{ before: was.problems, after: is.problems, changes }];
}

/** The line of a variable, if all that an edit changes comes from variables. */
function variableLine(
  { policies, workspace: { catalogue } }: RevisionSide,
  project: Project,
  change: RevisionChange,
): Place | undefined {
  const { action, key, after } = change;
  if (action !== "edit" || policies.every(({ vars }) => vars.length === 0)) return undefined;
  const edited = { kind: kindIn(change), key, fields: Object.keys(after ?? {}) };
  const lines = linesOfFields(catalogue, policies, project, edited);
  return lines.every(({ variables }) => variables.length > 0) ? lines[0]?.variables[0]?.place() : undefined;
}

function sideOf({ resources, exclusive }: DesiredProject, { workspace, plaintext }: RevisionSide): DesiredSide {
  return { resources, exclusive, plaintext, catalogue: workspace.catalogue };
}

/** True if the desired state of a project differs, or a kind in its policies. */
export function hasDesiredChange(before: RevisionSide, after: RevisionSide, project: Project): boolean {
  if (comparePair(before, after, project).some(({ changes }) => changes.length > 0)) return true;
  return isSelected(policiesOfChangedKinds(before, after), project);
}

/** Policies that changed, or whose kinds did: a project that none of them selects has the same desired state. */
export function touchedPolicies(before: RevisionSide, after: RevisionSide): readonly Policy[] {
  const pairs = changedPolicies(before.policies, after.policies);
  const touched = pairs.flatMap((pair) => [pair.before, pair.after].flatMap((policy) => policy ?? []));
  return [...new Set([...touched, ...policiesOfChangedKinds(before, after)])];
}

function policiesOfChangedKinds(before: RevisionSide, after: RevisionSide): readonly Policy[] {
  const changed = changedKinds(before.workspace.catalogue)(after.workspace.catalogue);
  return changed.size === 0 ? [] : after.policies.filter(({ kinds }) => [...kinds].some((kind) => changed.has(kind)));
}

const changedKinds = memoized(
  (before: Catalogue) =>
    memoized((after: Catalogue): Set<Kind> => {
      const isChanged = ([kind, { file }]: readonly [Kind, KindRow]) => !equal(file, before.kinds.get(kind)?.file);
      return new Set([...after.kinds].filter(isChanged).map(([kind]) => kind));
    }, new WeakMap()),
  new WeakMap(),
);

function unlistedChanges(before: RevisionSide, after: RevisionSide): readonly RevisionChange[] {
  const [first, second] = [layersByGlob(before.policies), layersByGlob(after.policies)];
  const globs = [...new Set([...first.keys(), ...second.keys()])];
  return globs.flatMap((glob) => {
    const [was, is] = [first.get(glob) ?? [], second.get(glob) ?? []];
    if (sameLayers(was, is)) return [];
    return compareProject(glob, sideOf(mergeAsWritten(was, glob), before), sideOf(mergeAsWritten(is, glob), after));
  });
}

/** Changes of policies whose wildcards changed too: no selector represents them on both sides. */
function reselectedChanges(before: RevisionSide, after: RevisionSide): readonly RevisionChange[] {
  const globsOf = ({ projects }: Policy) => projects.flatMap(({ form, written }) => (form === "glob" ? [written] : []));
  const pairs = changedPolicies(before.policies, after.policies);
  return pairs.flatMap(({ before: was, after: is }) => {
    const [glob] = is ? globsOf(is) : [];
    if (!was || !is || glob === undefined || globsOf(was).join("\0") === globsOf(is).join("\0")) return [];
    const merged = (policy: Policy) => mergeAsWritten([{ policy, literal: 0 }], glob);
    return compareProject(glob, sideOf(merged(was), before), sideOf(merged(is), after));
  });
}

/** Warns of projects with an ID and no known path: globs and paths may match the same project. */
function pathlessProblems({ policies }: RevisionSide, projects: readonly Project[]): readonly Problem[] {
  if (!needsLookup(policies)) return [];
  const isNamed = memoized((project: Project) => matchingLayers(policies, project).length > 0);
  return projects
    .filter((project) => project.path === undefined && isNamed(project))
    .map(({ name }) => {
      const message = `the path of project ${name} is not known here, so what paths and globs say of it is left out`;
      return { severity: "warning", rule: "unlisted-project", message, project: name };
    });
}
