import { inParallel } from "../base/concurrency.ts";
import type { Reader } from "../client/client.ts";
import { explained } from "../client/explain-failure.ts";
import { CallFailed } from "../client/failure.ts";
import { type Difference, type DiffOptions, diff } from "../diff/diff.ts";
import { desiredOf, needsLookup, projectsOf } from "../manifest/layers.ts";
import type { Policy } from "../manifest/policies.ts";
import { sortedProblems } from "../manifest/problem.ts";
import type { Projects } from "../manifest/projects.ts";
import { addressOf } from "../model/address.ts";
import { addressTest, identified, speakingOtherwise } from "../model/identity.ts";
import type { DesiredProject, Platform, Problem, Project } from "../model/types.ts";
import { readLive, readProjects, type Trusts } from "./read-live.ts";

/** What a survey looks at. */
export interface SurveyScope {
  readonly policies: readonly Policy[];
  readonly platform: Platform;
  /** `--target` and `--resend` as they were written, to be told when they match nothing. */
  readonly globs: readonly string[];
  /** All globs and addresses by which a person may name a project otherwise than policies do. */
  readonly spoken: readonly string[];
  /** Projects that this run is about: those of its `--target` and `--shard`. */
  readonly includes: (project: Project) => boolean;
  readonly diff: (project: Project) => DiffOptions;
  /** Integrations that need no GET of their own (`reads: trust-updated-at`). */
  readonly trusts?: Trusts;
  readonly workers: number;
  readonly progress?: (done: number, total: number) => void;
}

/** What manifests want of each project of a run, before any of them is read, and what is wrong with it. */
export interface Selection {
  readonly desired: readonly DesiredProject[];
  readonly problems: readonly Problem[];
}

/**
 * Finds the projects that policies mean, with one look-up where policies, or what people say of projects, need it, and
 * what is wanted of each. @throws CallFailed where the look-up fails.
 */
export async function select(reader: Reader, scope: SurveyScope): Promise<Selection> {
  const { policies, platform } = scope;
  const selected = needsLookup(policies)
    ? projectsOf(policies, await readProjects(reader))
    : await recognised(reader, projectsOf(policies, undefined), scope);
  const projects = selected.projects.filter(scope.includes);
  const merged = projects.map((project) => desiredOf(policies, project, platform));
  const desired = merged.map((each) => each.desired);
  const problems = [...selected.problems, ...merged.flatMap(({ problems }) => problems), ...unlisted(projects, scope)];
  return { desired, problems: [...sortedProblems(problems), ...idleGlobs(scope.globs, desired)] };
}

/** Addresses begin as policies name projects, whatever flags say: the ledger and saved plans know them by that. */
async function recognised(reader: Reader, selected: Projects, { spoken }: SurveyScope): Promise<Projects> {
  if (speakingOtherwise(spoken, selected.projects).length === 0) return selected;
  return { ...selected, projects: identified(selected.projects, await readProjects(reader)) };
}

function unlisted(projects: readonly Project[], { spoken }: SurveyScope): Problem[] {
  return projects.flatMap((project) => {
    const [glob] = speakingOtherwise(spoken, [project]);
    if (glob === undefined) return [];
    const message = `the server does not list project ${project.name}, so whether ${glob} means it is not known`;
    return [{ severity: "warning", rule: "unlisted-project", message, project: project.name }];
  });
}

/** Every project's difference, sorted by project, and what stood in the way. */
export interface Survey {
  readonly differences: readonly Difference[];
  readonly problems: readonly Problem[];
}

/**
 * Desired state against live state, project by project. A project that cannot be read is a problem, and the others go
 * on. @throws CallFailed where it ends the run: a refused token, a server that cannot be reached.
 */
export async function readAndDiff(
  reader: Reader,
  desired: readonly DesiredProject[],
  scope: SurveyScope,
): Promise<Survey> {
  let done = 0;
  const read = await inParallel(desired, scope.workers, async (project) => {
    const result = await surveyProject(reader, project, scope);
    // Places cost a parse of the manifest: worked out here one by one, they don't hold a signal up when the plan is made.
    for (const { origin } of result.difference?.changes ?? []) origin.place();
    scope.progress?.(++done, desired.length);
    return result;
  });
  return {
    differences: read.flatMap(({ difference }) => difference ?? []),
    problems: read.flatMap(({ problems }) => problems),
  };
}

/** A misspelt glob would otherwise look like a fleet in sync. */
function idleGlobs(globs: readonly string[], desired: readonly DesiredProject[]): Problem[] {
  const idle = globs.filter((glob) => {
    const matches = addressTest(glob);
    return !desired.some(({ project, resources }) =>
      resources.some(({ kind, key }) => matches(addressOf(project.name, kind, key), project)),
    );
  });
  return idle.map((glob) => ({ severity: "warning", rule: "no-match", message: `nothing declared matches ${glob}` }));
}

/** A project as it is now, or why that is not known. */
export interface Surveyed {
  readonly difference?: Difference;
  readonly problems: readonly Problem[];
}

/** One project, read and compared. @throws CallFailed where it ends the run. */
export async function surveyProject(reader: Reader, desired: DesiredProject, scope: SurveyScope): Promise<Surveyed> {
  try {
    const difference = diff(desired, await readLive(reader, desired, scope.trusts), scope.diff(desired.project));
    return { difference, problems: difference.problems };
  } catch (error) {
    if (!(error instanceof CallFailed) || error.endsRun) throw error;
    const { name: project } = desired.project;
    return { problems: [{ severity: "error", rule: "unreadable", message: explained(error), project }] };
  }
}
