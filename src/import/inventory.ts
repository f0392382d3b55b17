import { inParallel } from "../base/concurrency.ts";
import type { Reader } from "../client/client.ts";
import { explained } from "../client/explain-failure.ts";
import { CallFailed } from "../client/failure.ts";
import { readHoldings, readLicenses } from "../live/read-live.ts";
import { tierIncludes } from "../model/availability.ts";
import { kinds } from "../model/kinds.ts";
import type { Live, Platform, Problem, Project } from "../model/types.ts";
import type { FoundProject } from "./found.ts";
import { isDeclarable } from "./project.ts";

/** What is read of each project. */
export interface StockScope {
  readonly platform: Platform;
  readonly workers: number;
  readonly progress?: (done: number, total: number) => void;
}

/** What projects have, in their order, and what could not be read. */
export interface Stock {
  readonly found: readonly FoundProject[];
  readonly problems: readonly Problem[];
}

/**
 * All that policies could speak of, of each project: active integrations and, where the tier has them, licenses. A
 * project that cannot be read is a problem, and the others go on. @throws CallFailed where it ends the run.
 */
export async function takeStock(reader: Reader, projects: readonly Project[], scope: StockScope): Promise<Stock> {
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
    const [holdings, licensed] = await Promise.all([
      readHoldings(reader, project, (slug) => isDeclarable(slug, platform)),
      readLicensesIfAny(reader, project, platform),
    ]);
    const active = holdings.integrations.filter((live) => live.active);
    const off = holdings.integrations.flatMap((live) => (live.active ? [] : [live.key]));
    const { licenses, problems } = licensed;
    const unread = problems.map(({ message }) => `licenses are left out: ${message}`);
    return {
      found: { project, integrations: active, others: [...holdings.others, ...off], licenses, unread },
      problems,
    };
  } catch (error) {
    return { problems: [unreadable(project, error)] };
  }
}

/** A server without managed licenses refuses to list them, and has integrations all the same. */
async function readLicensesIfAny(
  reader: Reader,
  project: Project,
  { tier }: Platform,
): Promise<{ readonly licenses: readonly Live[]; readonly problems: readonly Problem[] }> {
  if (!tierIncludes(tier, kinds.license.tier)) return { licenses: [], problems: [] };
  try {
    return { licenses: await readLicenses(reader, { project }), problems: [] };
  } catch (error) {
    if (error instanceof CallFailed && error.status === 403) {
      return { licenses: [], problems: [unreadable(project, error)] };
    }
    throw error;
  }
}

function unreadable({ name: project }: Project, error: unknown): Problem {
  if (!(error instanceof CallFailed) || error.endsRun) throw error;
  return { severity: "error", rule: "unreadable", message: explained(error), project };
}
