import { onError, UserError } from "../base/exit.ts";
import type { Reader, Writer } from "../client/client.ts";
import { CallFailed, type FailureFacts } from "../client/failure.ts";
import type { Outcome } from "../model/types.ts";
import type { Plan } from "../plan/plan.ts";
import { beginningsIn } from "../state/journal.ts";
import { applyChanges, type Outcomes, type Target, type Watcher } from "./apply/apply.ts";
import { stopReason, type WrittenWave } from "./apply/waves.ts";
import type { Context } from "./context.ts";
import type { RefreshScope } from "./live/refresh-scope.ts";
import { batchesOf } from "./prepared-plan.ts";
import { type ApplyResult, type ApplyTask, type PlanResult, type PlanTask, refreshedProject } from "./shard-work.ts";
import type { Dispatcher } from "./workers/dispatcher.ts";

const [minSize, maxSize] = [50, 200];

function splitShards<Each>(all: readonly Each[]): Each[][] {
  const size = Math.min(maxSize, Math.max(minSize, Math.ceil(all.length / 40)));
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

export function refreshedBy(dispatcher: Dispatcher | undefined, reader: Reader, scope: RefreshScope): RefreshScope {
  if (!dispatcher) return scope;
  return {
    ...scope,
    delegate: async ({ projects, at }, arrived) => {
      const shards = splitShards(projects.map((project, index) => ({ project, index })));
      const tasks = shards.map((shard): PlanTask => ({ projects: shard.map(({ project }) => project) }));
      let reads = 0;
      let left = projects.length;
      for await (const { index, result } of dispatcher.dispatch("plan", tasks)) {
        const over = endOf(result);
        if (over) throw over;
        const { projects: found, reads: sent } = result as PlanResult;
        reads += sent;
        for (const [offset, wire] of found.entries()) {
          const place = shards[index]?.[offset]?.index ?? 0;
          left--;
          arrived(
            place,
            refreshedProject(wire, reader.catalogue, () => at(place)),
          );
        }
      }
      if (left > 0) throw interrupted;
      return reads;
    },
  };
}

/** The error of a shard that ends the run. */
function endOf(result: unknown): CallFailed | UserError | undefined {
  const { failure, refused } = result as { readonly failure?: FailureFacts; readonly refused?: string };
  if (failure) return new CallFailed(failure);
  return refused === undefined ? undefined : new UserError(refused);
}

const interrupted = new CallFailed({
  ...{ method: "GET", path: "/projects", url: "the rest of the projects", kind: "aborted" },
  ...{ what: "was not sent: the run was stopped", endsRun: true, sent: false, attempts: 0 },
});

interface DelegatingRun {
  readonly dispatcher: Dispatcher;
  readonly context: Context;
  readonly writer: Writer;
  readonly plan: Plan;
  readonly inFlight: readonly string[];
  readonly watchers: readonly Watcher[];
  readonly stopped: () => string | undefined;
}

/** Writes changes through workers, as a wave or all at once. */
export async function writeByWorkers(
  run: DelegatingRun,
  targets: readonly Target[],
  isWave: boolean,
): Promise<WrittenWave> {
  const { dispatcher, context, writer, watchers, stopped } = run;
  // Targets without planned changes already have their outcomes.
  const settled = targets.filter((target) => !("planned" in target));
  const options = { workers: context.concurrency, watchers, stopped };
  const outcomes = new Map(await applyChanges(writer, batchesOf(writer, context, settled), options));
  const tasks = createTasks(run, targets, isWave);
  const left = new Set(tasks.keys());
  let reason: string | undefined;
  let ended: string | undefined;
  const report = async (address: string, outcome: Outcome) => {
    outcomes.set(address, outcome);
    for (const watcher of watchers) if (!watcher.isJournal) await watcher.outcome?.({ address, outcome });
  };
  const end = (why: string) => {
    ended ??= why;
    dispatcher.stop(why);
  };
  try {
    for await (const { index, result } of dispatcher.dispatch("apply", tasks)) {
      const over = endOf(result);
      if (over) end(over.message);
      if (over) continue;
      const written = result as ApplyResult;
      left.delete(index);
      for (const [address, outcome] of written.outcomes) await report(address, outcome);
      reason ??= written.reason;
      if (written.ended !== undefined) end(written.ended);
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    ended ??= error.message;
  }
  const addresses = [...left].flatMap((index) => tasks[index]?.resource_changes.map(({ address }) => address) ?? []);
  for (const [address, outcome] of await outcomesFromJournal(
    context,
    addresses,
    stopped() ?? ended ?? "the run was stopped",
  ))
    await report(address, outcome);
  return { outcomes, reason: stopReason(outcomes) ?? reason ?? stopped() ?? ended };
}

function createTasks({ plan, inFlight }: DelegatingRun, targets: readonly Target[], isWave: boolean): ApplyTask[] {
  const due = targets.flatMap((target) => ("planned" in target ? target : []));
  return splitShards(due).map((shard) => {
    const resource_changes = shard.flatMap(({ planned }) => planned);
    const own = new Set(resource_changes.map(({ address }) => address));
    return {
      projects: shard.map(({ desired }) => desired.project),
      resource_changes,
      unverified: plan.unverified.filter(({ address }) => own.has(address)),
      inFlight: inFlight.filter((address) => own.has(address)),
      isWave,
    };
  });
}

async function outcomesFromJournal(
  { state, claim }: Context,
  addresses: readonly string[],
  why: string,
): Promise<Outcomes> {
  if (addresses.length === 0) return new Map();
  const read = await state.journals.read(claim.run).catch(onError(UserError, (error) => error));
  const begun = beginningsIn(read instanceof UserError ? [] : (read ?? []));
  const other: Outcome =
    read instanceof UserError
      ? { status: "unknown", error: `a worker may have sent it: ${read.message}` }
      : { status: "skipped", error: why };
  return new Map(
    addresses.map((address) => [address, begun.has(address) ? (begun.get(address) ?? sentAtTheEnd) : other]),
  );
}

const sentAtTheEnd: Outcome = { status: "unknown", error: "a worker was sending it when the run ended" };
