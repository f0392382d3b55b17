import type { Reader } from "./client/client.ts";
import { CallFailed } from "./client/failure.ts";
import { type DiffOptions, type Difference, diff } from "./diff.ts";
import { explained } from "./hint.ts";
import { readLive, readProjects } from "./live.ts";
import { desiredOf, needsLookup, projectsOf } from "./manifest/layers.ts";
import type { Policy } from "./manifest/policies.ts";
import type { DesiredProject, Platform, Problem, Project } from "./model.ts";
import { inParallel } from "./parallel.ts";

/** What a survey looks at. */
export interface Scope {
  readonly policies: readonly Policy[];
  readonly platform: Platform;
  /** Projects that this run is about: those of its `--target` and `--shard`. */
  readonly includes: (project: string) => boolean;
  readonly diff: DiffOptions;
  readonly workers: number;
  readonly progress?: (done: number, total: number) => void;
}

/** Every project's difference, sorted by project, and what stood in the way. */
export interface Survey {
  readonly differences: readonly Difference[];
  readonly problems: readonly Problem[];
  /** False where manifests turned out to be wrong once projects were known, so that nothing was read. */
  readonly surveyed: boolean;
}

/**
 * Desired state against live state, project by project. A project that cannot be read is a problem, and the others go
 * on. Where manifests turn out to be wrong once projects are known, nothing is read at all.
 * @throws CallFailed where it ends the run: a refused token, a server that cannot be reached.
 */
export async function survey(reader: Reader, scope: Scope): Promise<Survey> {
  const { policies } = scope;
  const listing = needsLookup(policies) ? await readProjects(reader) : undefined;
  const selected = projectsOf(policies, listing);
  const projects = selected.projects.filter(({ name }) => scope.includes(name));
  const problems = [...selected.problems, ...projects.flatMap((project) => wanted(project, scope).problems)];
  if (problems.some(({ severity }) => severity === "error")) return { differences: [], problems, surveyed: false };
  let done = 0;
  const read = await inParallel(projects, scope.workers, async (project) => {
    const result = await surveyProject(reader, wanted(project, scope).desired, scope);
    scope.progress?.(++done, projects.length);
    return result;
  });
  const differences = read.flatMap(({ difference }) => difference ?? []);
  return { differences, problems: [...problems, ...read.flatMap(({ problems }) => problems)], surveyed: true };
}

function wanted(project: Project, { policies, platform }: Scope): ReturnType<typeof desiredOf> {
  return desiredOf(policies, project, platform);
}

interface Surveyed {
  readonly difference?: Difference;
  readonly problems: readonly Problem[];
}

async function surveyProject(reader: Reader, desired: DesiredProject, scope: Scope): Promise<Surveyed> {
  try {
    const difference = diff(desired, await readLive(reader, desired), scope.diff);
    return { difference, problems: difference.problems };
  } catch (error) {
    if (!(error instanceof CallFailed) || error.endsRun) throw error;
    return { problems: [unreadable(desired.project, error)] };
  }
}

function unreadable({ name }: Project, failure: CallFailed): Problem {
  return { severity: "error", rule: "unreadable", message: explained(failure), project: name };
}
