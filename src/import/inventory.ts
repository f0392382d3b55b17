import { inParallel } from "../base/concurrency.ts";
import type { Reader } from "../client/client.ts";
import { explained } from "../client/explain-failure.ts";
import { CallFailed } from "../client/failure.ts";
import { readInventory } from "../live/read-live.ts";
import { tierIncludes } from "../model/availability.ts";
import { kinds, policyKinds } from "../model/kinds.ts";
import type { Platform, Problem, Project } from "../model/types.ts";
import type { FoundProject } from "./imported.ts";
import { whyUndeclarable } from "./project.ts";

/** What is read of each project. */
export interface InventoryScope {
  readonly platform: Platform;
  readonly workers: number;
  readonly progress?: (done: number, total: number) => void;
}

/** What projects have, in their order, and what could not be read. */
export interface ProjectsRead {
  readonly found: readonly FoundProject[];
  readonly problems: readonly Problem[];
}

/**
 * All that policies could speak of, of each project: the active resources of each kind that the tier has. A project that
 * cannot be read is a problem, and the others go on. @throws CallFailed where it ends the run.
 */
export async function readLiveProjects(
  reader: Reader,
  projects: readonly Project[],
  scope: InventoryScope,
): Promise<ProjectsRead> {
  let done = 0;
  const read = await inParallel(projects, scope.workers, async (project) => {
    const result = await readProject(reader, project, scope.platform);
    scope.progress?.(++done, projects.length);
    return result;
  });
  return { found: read.flatMap(({ found }) => found ?? []), problems: read.flatMap(({ problems }) => problems) };
}

interface ReadProject {
  readonly found?: FoundProject;
  readonly problems: readonly Problem[];
}

async function readProject(reader: Reader, project: Project, platform: Platform): Promise<ReadProject> {
  try {
    const read = await Promise.all(policyKinds.map((row) => readIfAny(reader, project, row, platform)));
    const problems = read.flatMap((each) => each.problems ?? []);
    return {
      found: {
        project,
        live: read.flatMap((each) => each.live ?? []),
        others: read.flatMap((each) => each.others ?? []),
        unread: read.flatMap((each) => each.unread ?? []),
      },
      problems,
    };
  } catch (error) {
    return { problems: [unreadable(project, error)] };
  }
}

/** A server may refuse what its tier lacks, and has everything else all the same. */
async function readIfAny(
  reader: Reader,
  project: Project,
  { kind, section }: Pick<(typeof policyKinds)[number], "kind" | "section">,
  platform: Platform,
): Promise<Partial<Omit<FoundProject, "project"> & Pick<ReadProject, "problems">>> {
  const { tier } = kinds[kind];
  if (!tierIncludes(platform.tier, tier)) return {};
  try {
    const isWanted = (key: string) => whyUndeclarable({ kind, key }, platform) === undefined;
    const { live, others } = await readInventory(reader, project, kind, isWanted);
    const off = live.filter(({ active }) => !active);
    return { live: live.filter(({ active }) => active), others: [...others.map((key) => ({ kind, key })), ...off] };
  } catch (error) {
    if (tier === "free" || !(error instanceof CallFailed) || error.status !== 403) throw error;
    const problem = unreadable(project, error);
    return { unread: [`${section} are left out: ${problem.message}`], problems: [problem] };
  }
}

function unreadable({ name: project }: Project, error: unknown): Problem {
  if (!(error instanceof CallFailed) || error.endsRun) throw error;
  return { severity: "error", rule: "unreadable", message: explained(error), project };
}
