import { inParallel } from "../../base/concurrency.ts";
import { grouped } from "../../base/grouped.ts";
import type { Reader, Writer } from "../../client/client.ts";
import { explainCallFailure } from "../../client/explain-failure.ts";
import { CallFailed } from "../../client/failure.ts";
import { isRemoval } from "../../model/removal-changes.ts";
import type { Change, Outcome } from "../../model/types.ts";
import { type Plan, planDigest, type WaveCount } from "../../plan/plan.ts";
import { readLive } from "../live/read-live.ts";
import {
  type ApplyOptions,
  applyChanges,
  type Batch,
  type ChangeEvent,
  type Outcomes,
  outcomesOf,
  projectOf,
  type Target,
} from "./apply.ts";
import { isVisible, lostOf, subjectsOf } from "./live-effect.ts";

/** The outcomes of a wave; `reason` prevents the next one. */
export interface WrittenWave {
  readonly outcomes: Outcomes;
  readonly reason?: string | undefined;
}

export interface PlanWave extends Pick<WaveCount, "status" | "reason"> {
  readonly projects: readonly string[];
}

export interface AppliedWaves {
  readonly outcomes: Outcomes;
  readonly waves: readonly PlanWave[];
  readonly halted?: string;
}

/**
 * Applies changes wave by wave, through `write`, which reads the projects again. A failure, an unknown outcome or a
 * value that was not kept ends the run: later waves are neither read nor written (docs/fleets.md).
 */
export async function applyInWaves(
  waves: readonly (readonly Target[])[],
  options: Pick<ApplyOptions, "watchers" | "stopped">,
  write: (targets: readonly Target[]) => Promise<WrittenWave>,
): Promise<AppliedWaves> {
  const outcomes = new Map<string, Outcome>();
  const ended: PlanWave[] = [];
  let halted: string | undefined;
  for (const [index, targets] of waves.entries()) {
    const why = halted ?? options.stopped();
    const wave = { event: "wave", wave: index + 1, of: waves.length, projects: targets.length } as const;
    if (why === undefined) for (const watcher of options.watchers) await watcher.noted?.(wave);
    const written = why === undefined ? await write(targets) : await skipWave(targets, why, options.watchers);
    for (const [address, outcome] of written.outcomes) outcomes.set(address, outcome);
    const { reason } = written;
    const status = why !== undefined ? "not started" : reason === undefined ? "applied" : "stopped";
    ended.push({ projects: targets.map(projectOf), status, ...(reason !== undefined && { reason }) });
    if (reason === undefined) continue;
    for (const watcher of options.watchers) await watcher.noted?.({ ...wave, reason });
    halted = `wave ${wave.wave} of ${wave.of} ended the run: ${reason}`;
  }
  return { outcomes, waves: ended, ...(halted !== undefined && { halted }) };
}

/** Writes changes; those of a wave, or a part of it, are read again. */
export async function writeBatches(
  writer: Writer,
  batches: readonly Batch[],
  options: ApplyOptions,
  isWave: boolean,
): Promise<WrittenWave> {
  if (!isWave) return { outcomes: await applyChanges(writer, batches, options) };
  const events = new Map<string, ChangeEvent>();
  const listening = { outcome: async (event: ChangeEvent) => void events.set(event.address, event) };
  const outcomes = await applyChanges(writer, batches, { ...options, watchers: [...options.watchers, listening] });
  const reason = stopReason(outcomes) ?? options.stopped();
  if (reason !== undefined) return { outcomes, reason };
  // In the order of the changes, not of their ends, which differs from run to run.
  const ordered = [...outcomes.keys()].flatMap((address) => events.get(address) ?? []);
  const { losses, unread } = await readAgain(writer, ordered, options.workers);
  const all = new Map([...outcomes, ...losses]);
  return { outcomes: all, reason: stopReason(all) ?? unread };
}

export function stopReason(outcomes: Outcomes): string | undefined {
  const bad = [...outcomes].filter(
    ([, { status, not_kept }]) => status === "failed" || status === "unknown" || not_kept?.length,
  );
  const [first] = bad;
  if (!first) return undefined;
  const [address, { status, not_kept: lost = [] }] = first;
  const wrong = status === "failed" ? "failed" : "has an unknown outcome";
  const what = status === "applied" ? `did not keep ${lost.join(", ")}` : wrong;
  return `${address} ${what}${bad.length > 1 ? `, and ${bad.length - 1} more` : ""}`;
}

/**
 * Reads the written projects again, for changes that reading can show. `losses`: outcomes that differ from the
 * responses; `unread`: the reason why the first such project could not be read.
 */
async function readAgain(reader: Reader, events: readonly ChangeEvent[], workers: number) {
  const written = events.flatMap(({ change, outcome }) =>
    change && outcome.status === "applied" && isVisible(change) ? [change] : [],
  );
  const losses: [string, Outcome][] = [];
  const projects = [...grouped(written, ({ project }) => project)];
  const failures = await inParallel(projects, workers, async ([name, changes]) => {
    try {
      const live = await readLive(reader, subjectsOf(reader.catalogue, name, changes));
      for (const change of changes) {
        const lost = lostOf(reader.catalogue, change, live);
        const state = isRemoval(change) ? "still there" : "missing";
        const error = `the server reported success, but the resource is ${state} when read again`;
        if (lost === "all") losses.push([change.address, { status: "failed", error }]);
        else if (lost.length > 0) losses.push([change.address, { status: "applied", not_kept: lost }]);
      }
      return undefined;
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      return `${name} could not be read again: ${explainCallFailure(error)}`;
    }
  });
  return { losses, unread: failures.find((each) => each !== undefined) };
}

async function skipWave(
  targets: readonly Target[],
  error: string,
  watchers: ApplyOptions["watchers"],
): Promise<WrittenWave> {
  const outcome: Outcome = { status: "skipped", error };
  const skip = (change: Change) => ({ address: change.address, change, outcome });
  const events = targets.flatMap((target): readonly ChangeEvent[] => {
    if ("planned" in target) return target.planned.map(({ address }) => ({ address, outcome }));
    return target.steps.map((step) => ("outcome" in step ? step : skip(step.change)));
  });
  for (const event of events) for (const watcher of watchers) await watcher.outcome?.(event);
  return { outcomes: outcomesOf(events) };
}

/** Adds to a plan the wave of each change and the status of each wave. */
export function withWaves(plan: Plan, waves: readonly PlanWave[] | undefined): Plan {
  if (!waves || waves.length === 0) return plan;
  const numbers = new Map(waves.flatMap(({ projects }, index) => projects.map((project) => [project, index + 1])));
  const changes = plan.resource_changes.map((change) => {
    const wave = numbers.get(change.project);
    return wave === undefined ? change : { ...change, wave };
  });
  const counts = waves.map(({ projects, status, reason }, index) => ({
    wave: index + 1,
    projects: projects.length,
    changes: changes.filter((change) => change.wave === index + 1).length,
    status,
    ...(reason !== undefined && { reason }),
  }));
  const planned = { ...plan, summary: { ...plan.summary, waves: counts }, resource_changes: changes };
  return { ...planned, digest: planDigest(planned) };
}
