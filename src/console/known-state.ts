import { UserError } from "../base/exit.ts";
import { compareTexts } from "../base/text-format.ts";
import type { Plan } from "../plan/plan.ts";
import { planOfRun } from "../run/saved-plan.ts";
import { type LiveRuns, listRuns, liveRuns, type RunSummary } from "../state/run-summary.ts";
import { type FleetIndex, readFleetIndex, shardNames } from "../state/snapshots/read-snapshots.ts";
import { syncStatuses } from "../state/snapshots/snapshot.ts";
import { type ProjectSummary, readSummaries } from "../state/snapshots/summaries.ts";
import type { WorkspaceState } from "../state/state.ts";

/** A cached view of the state, so that no page waits for the state. */
export interface KnownState {
  readonly fleet: FleetIndex | undefined;
  /** Sorted by path. */
  readonly projects: readonly ProjectSummary[];
  /** Projects out of sync first, those that differ longest before others. */
  readonly worstFirst: readonly ProjectSummary[];
  /** Newest first. */
  readonly runs: readonly RunSummary[];
  readonly live: LiveRuns;
  readonly at: Date;
  readonly error?: string;
}

export interface Watching extends AsyncDisposable {
  /** At most a few seconds old, unless the state is slow or unavailable. */
  readonly known: () => Promise<KnownState>;
  readonly ask: <Result>(question: (state: WorkspaceState) => Promise<Result>) => Promise<Result>;
  readonly planOf: PlanReader;
}

/** Milliseconds during which the view is not refreshed, and for which a page waits for a refresh. */
const [fresh, patience] = [2000, 100];

const emptyState: KnownState = {
  fleet: undefined,
  projects: [],
  worstFirst: [],
  runs: [],
  live: { runs: new Set(), holder: undefined },
  at: new Date(0),
};

/** Opens a state, and reopens it after an outage. @throws UserError if it cannot be opened at first. */
export async function watchState(open: () => Promise<WorkspaceState>): Promise<Watching> {
  let state: Promise<WorkspaceState> | undefined = Promise.resolve(await open());
  let known = emptyState;
  let refreshing: Promise<KnownState> | undefined;
  const shards = new Map<string, CachedShard>();
  const ask: Watching["ask"] = async (question) => {
    state ??= open();
    const current = state;
    try {
      return await question(await current);
    } catch (error) {
      if (state === current) {
        state = undefined;
        await close(current);
      }
      throw error;
    }
  };
  const refresh = async () => {
    const before = known;
    try {
      known = await ask((from) => readKnownState(from, before, shards)).catch((error) => withError(before, error));
    } finally {
      refreshing = undefined;
    }
    return known;
  };
  await refresh();
  return {
    ask,
    planOf: planReader(),
    known: async () => {
      if (Date.now() - known.at.getTime() < fresh) return known;
      refreshing ??= refresh();
      const waiting = new Promise<KnownState>((resolve) => setTimeout(() => resolve(known), patience));
      return Promise.race([refreshing, waiting]);
    },
    [Symbol.asyncDispose]: async () => {
      await refreshing?.catch(() => {});
      if (state) await close(state);
    },
  };
}

async function close(state: Promise<WorkspaceState>): Promise<void> {
  await state.then((opened) => opened[Symbol.asyncDispose]()).catch(() => {});
}

function withError(before: KnownState, error: unknown): KnownState {
  if (!(error instanceof UserError)) throw error;
  return { ...before, at: new Date(), error: error.message };
}

interface CachedShard {
  readonly mark: string;
  readonly heads: readonly ProjectSummary[];
}

async function readKnownState(
  state: WorkspaceState,
  before: KnownState,
  shards: Map<string, CachedShard>,
): Promise<KnownState> {
  const at = new Date();
  const fleet = await readFleetIndex(state);
  const all = await listRuns(state);
  if (before.runs.length > 0 && all.length === 0) {
    throw new UserError(`the state is gone: ${state.place} holds nothing any more`);
  }
  const rest = { runs: all, live: await liveRuns(state), at };
  const marks = await state.marks("snapshots", shardNames);
  const changed = [...marks].filter(([name, mark]) => shards.get(name)?.mark !== mark);
  const { projects: seen, worstFirst } = before;
  if (changed.length === 0 && before.fleet && fleet) return { projects: seen, worstFirst, ...rest, fleet };
  for (const [name, mark] of changed) {
    // One at a time: pages are served in between.
    shards.set(name, { mark, heads: await readSummaries(state, name) });
  }
  const projects = [...shards.values()]
    .flatMap(({ heads }) => heads)
    .sort((a, b) => compareTexts(a.project, b.project));
  return { fleet, projects, worstFirst: [...projects].sort(compareSyncStatus), ...rest };
}

function compareSyncStatus(a: ProjectSummary, b: ProjectSummary): number {
  const rank = syncStatuses.indexOf(b.syncStatus) - syncStatuses.indexOf(a.syncStatus);
  return rank || compareTexts(a.since, b.since) || compareTexts(a.project, b.project);
}

/** Reads the saved plan of a run; `mark` is its fingerprint, if known. @throws UserError as {@link planOfRun}. */
export type PlanReader = (state: WorkspaceState, run: string, mark?: string) => Promise<Plan>;

/** Maximum number of cached plans: pages request the same few again and again. */
const mostPlans = 50;

/** Parses and checks each version of a plan once. */
function planReader(): PlanReader {
  const cached = new Map<string, Plan>();
  return async (state, run, known) => {
    const key = `${run} ${known ?? (await state.marks("plans", [run])).get(run)}`;
    const plan = cached.get(key) ?? (await planOfRun(state, run));
    if (cached.size >= mostPlans && !cached.has(key)) cached.clear();
    cached.set(key, plan);
    return plan;
  };
}
