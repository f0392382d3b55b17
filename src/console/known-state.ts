import { UserError } from "../base/exit.ts";
import { compareTexts } from "../base/text-format.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { Plan } from "../plan/plan.ts";
import { planOfRun } from "../run/saved-plan.ts";
import type { RunSummary } from "../state/run-summary.ts";
import { type FleetIndex, readFleetIndex, readSnapshot, shardNames } from "../state/snapshots/read-snapshots.ts";
import { type ProjectSnapshot, syncStatuses } from "../state/snapshots/snapshot.ts";
import { type ProjectSummary, readSummaries } from "../state/snapshots/summaries.ts";
import type { WorkspaceState } from "../state/state.ts";
import { type LiveRuns, liveRuns } from "../state/workspace-state.ts";

/** What is known of a state: pages are made of it, so that none waits for the state. */
export interface KnownState {
  readonly fleet: FleetIndex | undefined;
  /** By path. */
  readonly projects: readonly ProjectSummary[];
  /** Those out of sync first, and of those the ones that have been longest. */
  readonly worstFirst: readonly ProjectSummary[];
  /** Newest first. */
  readonly runs: readonly RunSummary[];
  readonly live: LiveRuns;
  readonly at: Date;
  /** Why it may not be up to date any more. */
  readonly error?: string;
}

/** Reads a state again as pages are requested. */
export interface Watching extends AsyncDisposable {
  /** As of a few seconds ago at most, unless the state is slow or away. */
  readonly known: () => Promise<KnownState>;
  /** Reads something else of the state. @throws UserError where it is away. */
  readonly ask: <Result>(question: (state: WorkspaceState) => Promise<Result>) => Promise<Result>;
  /** All that is known of a project, by its path in any case; undefined where no run saw it. */
  readonly project: (path: string) => Promise<ProjectSnapshot | undefined>;
  readonly planOf: PlanReader;
}

/** Milliseconds for which the state is not read again, and for which a page waits for a read. */
const [fresh, patience] = [2000, 100];

const nothing: KnownState = {
  fleet: undefined,
  projects: [],
  worstFirst: [],
  runs: [],
  live: { runs: new Set(), holder: undefined },
  at: new Date(0),
};

/** Opens a state, and again where it was away. @throws UserError where it cannot be opened at first. */
export async function watching(open: () => Promise<WorkspaceState>, catalogue: Catalogue): Promise<Watching> {
  let state: Promise<WorkspaceState> | undefined = Promise.resolve(await open());
  let known = nothing;
  let refreshing: Promise<KnownState> | undefined;
  const shards = new Map<string, CachedShard>();
  const ask: Watching["ask"] = async (question) => {
    state ??= open();
    const asked = state;
    try {
      return await question(await asked);
    } catch (error) {
      if (state === asked) {
        state = undefined;
        await closed(asked);
      }
      throw error;
    }
  };
  const refresh = async () => {
    const before = known;
    try {
      known = await ask((from) => knownOf(from, before, shards)).catch((error) => withError(before, error));
    } finally {
      refreshing = undefined;
    }
    return known;
  };
  await refresh();
  return {
    ask,
    planOf: planReader(catalogue),
    known: async () => {
      if (Date.now() - known.at.getTime() < fresh) return known;
      refreshing ??= refresh();
      return Promise.race([refreshing, soon().then(() => known)]);
    },
    project: (path) => ask(({ snapshots }) => readSnapshot(snapshots, path)),
    [Symbol.asyncDispose]: async () => {
      await refreshing?.catch(() => {});
      if (state) await closed(state);
    },
  };
}

async function closed(state: Promise<WorkspaceState>): Promise<void> {
  await state.then((opened) => opened[Symbol.asyncDispose]()).catch(() => {});
}

function soon(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, patience));
}

function withError(before: KnownState, error: unknown): KnownState {
  if (!(error instanceof UserError)) throw error;
  return { ...before, at: new Date(), error: error.message };
}

interface CachedShard {
  readonly mark: string;
  readonly heads: readonly ProjectSummary[];
}

async function knownOf(
  state: WorkspaceState,
  before: KnownState,
  shards: Map<string, CachedShard>,
): Promise<KnownState> {
  const { snapshots, runs } = state;
  const at = new Date();
  const fleet = await readFleetIndex(snapshots);
  const all = await runs.list();
  if (before.runs.length > 0 && all.length === 0) {
    throw new UserError(`the state is gone: ${state.place} holds nothing any more`);
  }
  const rest = { runs: all, live: await liveRuns(state), at };
  const marks = await snapshots.marks(shardNames);
  const moved = [...marks].filter(([name, mark]) => shards.get(name)?.mark !== mark);
  if (moved.length === 0 && before.fleet && fleet) return { ...withoutError(before), ...rest, fleet };
  for (const [name, mark] of moved) {
    // Pages are answered meanwhile.
    shards.set(name, { mark, heads: await readSummaries(snapshots, name) });
  }
  const projects = [...shards.values()]
    .flatMap(({ heads }) => heads)
    .sort((a, b) => compareTexts(a.project, b.project));
  return { fleet, projects, worstFirst: [...projects].sort(bySyncStatus), ...rest };
}

function withoutError({ error: _, ...known }: KnownState): KnownState {
  return known;
}

function bySyncStatus(a: ProjectSummary, b: ProjectSummary): number {
  const rank = syncStatuses.indexOf(b.syncStatus) - syncStatuses.indexOf(a.syncStatus);
  return rank || compareTexts(a.since, b.since) || compareTexts(a.project, b.project);
}

/** Reads the plan that a run saved; `mark` is that of its text, where it is known. @throws UserError as {@link planOfRun}. */
export type PlanReader = (state: Pick<WorkspaceState, "plans">, run: string, mark?: string) => Promise<Plan>;

/** Plans that are kept: pages ask for the same few again and again. */
const mostPlans = 50;

/** Reads and checks each text of a plan once. */
function planReader(catalogue: Catalogue): PlanReader {
  const cached = new Map<string, Plan>();
  return async ({ plans }, run, known) => {
    const key = `${run} ${known ?? (await plans.marks([run])).get(run)}`;
    const plan = cached.get(key) ?? (await planOfRun({ plans }, run, catalogue));
    cached.delete(key);
    cached.set(key, plan);
    const [oldest = ""] = cached.keys();
    if (cached.size > mostPlans) cached.delete(oldest);
    return plan;
  };
}
