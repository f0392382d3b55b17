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

export interface WavesOptions extends Pick<ApplyOptions, "watchers" | "stopped"> {
  /** Writes the changes of these projects and reads them again. */
  readonly write: (targets: readonly Target[]) => Promise<WrittenWave>;
}

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
 * Applies changes wave by wave. After each wave its projects are read again. A failure, an unknown outcome or a value
 * that was not kept ends the run: later waves are neither read nor written (docs/fleets.md).
 */
export async function applyInWaves(
  waves: readonly (readonly Target[])[],
  options: WavesOptions,
): Promise<AppliedWaves> {
  const outcomes = new Map<string, Outcome>();
  const ended: PlanWave[] = [];
  let halted: string | undefined;
  for (const [index, targets] of waves.entries()) {
    const why = halted ?? options.stopped();
    const place = { wave: index + 1, of: waves.length, projects: targets.length };
    const end = why === undefined ? await applyWave(targets, options, place) : await skipWave(targets, why, options);
    for (const [address, outcome] of end.outcomes) outcomes.set(address, outcome);
    ended.push({ projects: targets.map(projectOf), ...end.wave });
    if (end.wave.reason !== undefined) halted = `wave ${place.wave} of ${place.of} ended the run: ${end.wave.reason}`;
  }
  return { outcomes, waves: ended, ...(halted !== undefined && { halted }) };
}

interface WaveEnd {
  readonly outcomes: Outcomes;
  readonly wave: Omit<PlanWave, "projects">;
}

interface WavePlace {
  readonly wave: number;
  readonly of: number;
  readonly projects: number;
}

async function applyWave(targets: readonly Target[], options: WavesOptions, place: WavePlace): Promise<WaveEnd> {
  await note(options, place);
  const { outcomes, reason } = await options.write(targets);
  if (reason === undefined) return { outcomes, wave: { status: "applied" } };
  await note(options, { ...place, reason });
  return { outcomes, wave: { status: "stopped", reason } };
}

async function note({ watchers }: WavesOptions, noted: WavePlace & { readonly reason?: string }): Promise<void> {
  for (const watcher of watchers) await watcher.noted?.({ event: "wave", ...noted });
}

/** Writes a wave, or a part of it, and reads it again. */
export async function writeAndCheck(
  writer: Writer,
  batches: readonly Batch[],
  options: ApplyOptions,
): Promise<WrittenWave> {
  const events: ChangeEvent[] = [];
  const listening = { outcome: async (event: ChangeEvent) => void events.push(event) };
  const watchers = [...options.watchers, listening];
  const outcomes = await applyChanges(writer, batches, { ...options, watchers });
  const reason = stopReason(outcomes) ?? options.stopped();
  if (reason !== undefined) return { outcomes, reason };
  const seen = await readAgain(writer, events, options.workers);
  const all = new Map([...outcomes, ...seen.outcomes]);
  return { outcomes: all, reason: stopReason(all) ?? seen.unread };
}

export function stopReason(outcomes: Outcomes): string | undefined {
  const bad = [...outcomes].filter(([, outcome]) => isBad(outcome));
  const [first] = bad;
  if (!first) return undefined;
  const [address, { status, not_kept: lost = [] }] = first;
  const what = status === "applied" ? `did not keep ${lost.join(", ")}` : stopMessages[status];
  return `${address} ${what}${bad.length > 1 ? `, and ${bad.length - 1} more` : ""}`;
}

const stopMessages: Readonly<Partial<Record<Outcome["status"], string>>> = {
  failed: "failed",
  unknown: "has an unknown outcome",
};

function isBad({ status, not_kept: lost = [] }: Outcome): boolean {
  return status === "failed" || status === "unknown" || lost.length > 0;
}

interface SeenAgain {
  /** Outcomes that differ from the responses. */
  readonly outcomes: Outcomes;
  readonly unread?: string;
}

/** Reads the written projects again, for changes that reading can show. */
async function readAgain(reader: Reader, events: readonly ChangeEvent[], workers: number): Promise<SeenAgain> {
  const written = events.flatMap(({ change, outcome }) =>
    change && outcome.status === "applied" && isVisible(change) ? [change] : [],
  );
  const projects = [...grouped(written, ({ project }) => project).values()];
  const read = await inParallel(projects, workers, (changes) => findLosses(reader, changes));
  const unread = read.find((each) => typeof each === "string");
  const losses = read.flatMap((each) => (typeof each === "string" ? [] : each));
  return { outcomes: new Map(losses), ...(typeof unread === "string" && { unread }) };
}

/** Changes of one project that are not live, or the reason why it could not be read. */
async function findLosses(reader: Reader, changes: readonly Change[]): Promise<string | [string, Outcome][]> {
  const [{ project: name } = { project: "" }] = changes;
  try {
    const live = await readLive(reader, subjectsOf(reader.catalogue, name, changes));
    return changes.flatMap((change): [string, Outcome][] => {
      const lost = lostOf(reader.catalogue, change, live);
      if (lost === "all") return [[change.address, { status: "failed", error: describeUndone(change) }]];
      return lost.length > 0 ? [[change.address, { status: "applied", not_kept: lost }]] : [];
    });
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    return `${name} could not be read again: ${explainCallFailure(error)}`;
  }
}

function describeUndone(change: Change): string {
  return `the server reported success, but the resource is ${isRemoval(change) ? "still there" : "missing"} when read again`;
}

async function skipWave(targets: readonly Target[], why: string, { watchers }: WavesOptions): Promise<WaveEnd> {
  const events = targets.flatMap((target) => skipTarget(target, why));
  for (const event of events) for (const watcher of watchers) await watcher.outcome?.(event);
  return { outcomes: outcomesOf(events), wave: { status: "not started" } };
}

function skipTarget(target: Target, error: string): readonly ChangeEvent[] {
  const outcome: Outcome = { status: "skipped", error };
  if ("planned" in target) return target.planned.map(({ address }) => ({ address, outcome }));
  return target.steps.map((step) => {
    return "outcome" in step ? step : { address: step.change.address, change: step.change, outcome };
  });
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
