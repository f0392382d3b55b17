import { memoized } from "../../base/memoize.ts";
import type { Document } from "../../manifest/document.ts";
import { merge, mergeAsWritten } from "../../manifest/layers.ts";
import type { StorageMigration } from "../../manifest/migrations.ts";
import type { Policy } from "../../manifest/policies.ts";
import { sortedProblems } from "../../manifest/problem.ts";
import { idleGlobs, knownProjects, listedOf, needsLookup } from "../../manifest/projects.ts";
import type { PlanRule } from "../../manifest/rules.ts";
import { matchingLayers, sameLayers } from "../../manifest/selection.ts";
import { layersByGlob } from "../../manifest/validate.ts";
import type { Workspace } from "../../manifest/workspace.ts";
import { type Owner, ownedBy, owners } from "../../model/owner.ts";
import { translatedResource, translationBetween } from "../../model/translation.ts";
import type { DesiredProject, Problem, Project } from "../../model/types.ts";
import {
  comparedProject,
  type DesiredSide,
  type DraftChange,
  migrationChanges,
  type RevisionChange,
} from "./compare-projects.ts";
import { changedPolicies, type Notice, noticesFor, revisionEffects } from "./notices.ts";
import {
  alarmingFirst,
  changedContents,
  changedKinds,
  changedLastDays,
  changedRules,
  changedSettings,
  type SettingChange,
} from "./setting-changes.ts";

/** A workspace as it is at one revision, without errors. */
export interface RevisionSide {
  readonly workspace: Workspace;
  /** `evenkeel.yaml` as it was read. */
  readonly settings?: Document | undefined;
  /** Digests of the files that settings name, by setting; left out where they are not known. */
  readonly contents?: ReadonlyMap<string, string> | undefined;
  readonly policies: readonly Policy[];
  readonly migrations: readonly StorageMigration[];
  readonly rules: readonly PlanRule[];
  /** The documents of the kinds that the workspace describes itself. */
  readonly kinds: readonly Document[];
  /** Literal secrets that the workspace allows, by their `manifest:` reference. */
  readonly plaintext: ReadonlyMap<string, string>;
}

/** How the desired state differs between two revisions of a workspace. */
export interface RevisionDiff {
  /** Sorted by address. */
  readonly changes: readonly RevisionChange[];
  /** What a reviewer should look at first. */
  readonly notices: readonly Notice[];
  readonly settings: readonly SettingChange[];
  /** What is wrong, or doubtful, on either side, and shows only for single projects. */
  readonly problems: Readonly<Record<"before" | "after", readonly Problem[]>>;
}

/**
 * Compares the desired state of each project at two revisions, layers and variables applied. `listing`: the fleet; without it,
 * selectors with wildcards stand for the projects that they mean.
 */
export function compareRevisions(
  before: RevisionSide,
  after: RevisionSide,
  listing: readonly Project[] | undefined,
): RevisionDiff {
  const projects = knownProjects([...before.policies, ...after.policies], listing);
  const pairs = projects.flatMap((project) => pairOf(before, after, project));
  const isListed = (owner: Owner) => listing !== undefined && (listing.length === 0 || !!listedOf(owner, listing));
  const unknown = owners.filter((owner) => !isListed(owner));
  const unlisted = unknown.flatMap((owner) => unlistedChanges(sideOf(before, owner), sideOf(after, owner)));
  const drafts = [...pairs.flatMap(({ drafts }) => drafts), ...unlisted, ...migrationChanges(before, after)];
  const changes = placed(drafts).toSorted(byAddress);
  const settings = settingsBetween(before, after);
  const listedPolicies = owners.filter(isListed).flatMap((owner) => sideOf(after, owner).policies);
  const idle = listing ? idleGlobs(listedPolicies, listing) : [];
  const elsewhere = unknown.flatMap((owner) => reselected(sideOf(before, owner), sideOf(after, owner)));
  return {
    changes,
    settings,
    notices: [
      ...noticesFor({
        before,
        after,
        changes: [...changes, ...elsewhere],
        settings,
        known: (owner) => (isListed(owner) ? ownedBy(owner, projects) : undefined),
      }),
      ...revisionEffects(changes, after.workspace.catalogue),
    ],
    problems: {
      before: sortedProblems(pairs.flatMap((pair) => pair.before)),
      after: sortedProblems([...idle, ...pathless(after, projects), ...pairs.flatMap((pair) => pair.after)]),
    },
  };
}

/** What differs beside the desired state of projects; what a reviewer should look at first is in front. */
function settingsBetween(before: RevisionSide, after: RevisionSide): readonly SettingChange[] {
  return alarmingFirst([
    ...changedSettings(before.workspace, after.workspace),
    ...changedContents(before, after),
    ...changedRules(before.rules, after.rules),
    ...changedKinds(before.kinds, after.kinds),
    ...changedLastDays(before.policies, after.policies),
  ]);
}

/** A revision as far as it is about projects, or about groups. */
function sideOf(side: RevisionSide, owner: Owner): RevisionSide {
  return { ...side, policies: side.policies.filter(({ of }) => of === owner) };
}

function byAddress(a: RevisionChange, b: RevisionChange): number {
  return a.address < b.address ? -1 : Number(a.address > b.address);
}

/** What is different of a project, and what is wrong with it on each side. */
interface Pair {
  readonly before: readonly Problem[];
  readonly after: readonly Problem[];
  readonly drafts: readonly DraftChange[];
}

/** Where the same policies decide on both sides, in the same order, nothing can differ. */
function pairOf(before: RevisionSide, after: RevisionSide, project: Project): readonly Pair[] {
  const [first, second] = [before, after].map(({ policies }) => matchingLayers(policies, project));
  if (!first || !second || sameLayers(first, second)) return [];
  const [was, is] = [first, second].map((layers) => merge(layers, project, nowhere, asWritten));
  if (!was || !is) return [];
  const drafts = comparedProject(
    project.name,
    desiredSide(was.desired, before, after),
    desiredSide(is.desired, after, after),
  );
  return [{ before: was.problems, after: is.problems, drafts }];
}

/** Whether the desired state of a project differs, or another policy decides it. */
export function hasDesiredChange(before: RevisionSide, after: RevisionSide, project: Project): boolean {
  return pairOf(before, after, project).some(({ drafts }) => drafts.length > 0);
}

/** The policies that only one of two revisions has: the desired state of a project that none of them selects is as before. */
export function touchedPolicies(before: RevisionSide, after: RevisionSide): readonly Policy[] {
  const pairs = changedPolicies(before.policies, after.policies);
  return pairs.flatMap((pair) => [pair.before, pair.after].flatMap((policy) => policy ?? []));
}

const nowhere = () => false;

/** What no one knows without asking the server stays as it is written. */
const asWritten = (fact: string) => `\${${fact}}`;

/** In the names of the later side, so that other names for the same are no change. */
function desiredSide({ resources, exclusive }: DesiredProject, side: RevisionSide, after: RevisionSide): DesiredSide {
  const { dialect } = after.workspace.server;
  const translation = translationBetween(side.workspace.server.dialect, dialect);
  const renamed = resources.map((each) => translatedResource(each, translation));
  const { catalogue } = side.workspace.server.dialect === dialect ? side.workspace : after.workspace;
  return { resources: renamed, exclusive, catalogue, literal: (reference) => side.plaintext.get(reference) };
}

function unlistedChanges(before: RevisionSide, after: RevisionSide): readonly DraftChange[] {
  const [first, second] = [layersByGlob(before.policies), layersByGlob(after.policies)];
  const globs = [...new Set([...first.keys(), ...second.keys()])];
  return globs.flatMap((glob) => {
    const [was, is] = [first.get(glob) ?? [], second.get(glob) ?? []];
    if (sameLayers(was, is)) return [];
    const [earlier, later] = [mergeAsWritten(was, glob), mergeAsWritten(is, glob)];
    return comparedProject(glob, desiredSide(earlier, before, after), desiredSide(later, after, after));
  });
}

/** What policies say otherwise whose wildcards are others too: no selector stands for it on both sides. */
function reselected(before: RevisionSide, after: RevisionSide): readonly RevisionChange[] {
  const globsOf = ({ projects }: Policy) => projects.flatMap(({ form, written }) => (form === "glob" ? [written] : []));
  const pairs = changedPolicies(before.policies, after.policies);
  return pairs.flatMap(({ before: was, after: is }) => {
    const [glob] = is ? globsOf(is) : [];
    if (!was || !is || glob === undefined || globsOf(was).join("\0") === globsOf(is).join("\0")) return [];
    const [first, second] = [was, is].map((policy) => mergeAsWritten([{ policy, literal: 0 }], glob));
    return first && second
      ? placed(comparedProject(glob, desiredSide(first, before, after), desiredSide(second, after, after)))
      : [];
  });
}

function placed(drafts: readonly DraftChange[]): readonly RevisionChange[] {
  return drafts.map(({ origin, ...change }) => ({ ...change, source: origin.place() }));
}

/** An ID whose path is not known: whether globs and paths mean the same project cannot be told. */
function pathless({ policies }: RevisionSide, projects: readonly Project[]): readonly Problem[] {
  if (!needsLookup(policies)) return [];
  const isNamed = memoized((project: Project) => matchingLayers(policies, project).length > 0);
  return projects
    .filter((project) => project.path === undefined && isNamed(project))
    .map(({ name }) => {
      const message = `the path of project ${name} is not known here, so what paths and globs say of it is left out`;
      return { severity: "warning", rule: "unlisted-project", message, project: name };
    });
}
