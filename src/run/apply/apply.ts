import { setTimeout as pause } from "node:timers/promises";
import { inParallel } from "../../base/concurrency.ts";
import { onError } from "../../base/exit.ts";
import { grouped } from "../../base/grouped.ts";
import type { Reader, Writer } from "../../client/client.ts";
import { concernsProject, explainCallFailure } from "../../client/explain-failure.ts";
import { CallFailed, type FailureKind } from "../../client/failure.ts";
import { projectPart } from "../../model/identity.ts";
import { kindIn } from "../../model/owner.ts";
import { isMove } from "../../model/repository-kinds.ts";
import type { Change, DesiredProject, Outcome } from "../../model/types.ts";
import type { Unverified } from "../../plan/diff/diff.ts";
import type { IsMarked } from "../../plan/diff/returned.ts";
import type { Plan, PlannedChange } from "../../plan/plan.ts";
import { bareCallsOf } from "../../plan/requests.ts";
import {
  changedSincePlan,
  differenceFrom,
  knownResults,
  otherProject,
  staleOutcome,
  unlistedIn,
} from "../../plan/stale.ts";
import { unreadPart } from "../live/partly-read.ts";
import { refreshProject } from "../live/refresh.ts";
import type { RefreshedProject, RefreshScope } from "../live/refresh-scope.ts";
import { isInPlace, isVisible, withoutItems } from "./live-effect.ts";
import { type ChangeEvent, sendRecorded, type Watcher } from "./send-change.ts";

export type { ChangeEvent, Watcher } from "./send-change.ts";

/** A change to apply, or a change of a saved plan whose outcome is already known. */
export type Step = { readonly change: Change } | { readonly address: string; readonly outcome: Outcome };

/** The steps of one project, computed immediately before the first write. */
export interface Batch {
  readonly steps: () => Promise<readonly Step[]>;
  /** Called after a 403: true if the project is archived and must be skipped. */
  readonly isLeftAlone?: () => Promise<boolean>;
}

export interface ApplyOptions {
  readonly workers: number;
  readonly watchers: readonly Watcher[];
  /** Called before each write; a message is the reason to skip it. */
  readonly stopped: () => string | undefined;
  /** The outcome of a write that another process may have sent; undefined to send it. */
  readonly known?: (reader: Reader, change: Change) => Promise<Pick<ChangeEvent, "outcome"> | undefined>;
}

export type Outcomes = ReadonlyMap<string, Outcome>;

/** A record of an apply in another system. If it is disposed before `end`, it records a failure. */
export interface ApplyRecord extends AsyncDisposable {
  readonly end: (outcomes: Outcomes) => Promise<void>;
}

/**
 * Applies changes: projects concurrently, the changes of a project in order. Failed requests are outcomes, never
 * exceptions. A failure skips the changes that look up its resource; if it concerns the whole project, all remaining
 * ones.
 */
export async function applyChanges(
  writer: Writer,
  batches: readonly Batch[],
  options: ApplyOptions,
): Promise<Outcomes> {
  let ended: string | undefined;
  const end = (address: string) => {
    ended ??= `the run ended after ${address} failed`;
  };
  const ending = { ...options, stopped: () => options.stopped() ?? ended };
  const outcomes = await inParallel(batches, options.workers, (batch) => applyBatch(writer, batch, ending, end));
  return outcomesOf(outcomes.flat());
}

export function outcomesOf(events: readonly ChangeEvent[]): Outcomes {
  return new Map(events.map(({ address, outcome }) => [address, outcome]));
}

async function applyBatch(
  writer: Writer,
  batch: Batch,
  options: ApplyOptions,
  end: (address: string) => void,
): Promise<ChangeEvent[]> {
  const events: ChangeEvent[] = [];
  let rest: Outcome | undefined;
  for (const step of await batch.steps()) {
    const sent = await takeStep(writer, step, rest ?? outcomeIfBlocked(step, events), options);
    const event = await skipIfArchived(batch, sent);
    rest ??= outcomeOfRest(event);
    if (event.failure?.endsRun) end(event.address);
    for (const watcher of options.watchers) await watcher.outcome?.(event);
    events.push(event);
  }
  return events;
}

/** The outcome of a change whose look-up depends on a failed write of this run; undefined if it can be sent. */
function outcomeIfBlocked(step: Step, events: readonly ChangeEvent[]): Outcome | undefined {
  if (!("change" in step)) return undefined;
  const results = Object.values(step.change.lookedUp ?? {}).flatMap((found) => Object.values(found));
  const awaited = events.find(({ address, outcome }) => outcome.status !== "applied" && results.includes(address));
  return awaited && { status: "skipped", error: `${awaited.address} did not succeed` };
}

/** The outcome of all further changes of a project, if a refusal concerns the project as a whole. */
function outcomeOfRest({ address, outcome, failure }: ChangeEvent): Outcome | undefined {
  if (outcome.archived) return outcome;
  if (!failure || !concernsProject(failure)) return undefined;
  return { status: "skipped", error: `${address} did not succeed, for a reason that concerns the whole project` };
}

/** A refused change of an archived project is skipped, unless a policy includes archived projects. */
async function skipIfArchived({ isLeftAlone }: Batch, event: ChangeEvent): Promise<ChangeEvent> {
  const { failure, outcome } = event;
  if (outcome.status !== "failed" || failure?.status !== 403 || failure.endsRun) return event;
  return (await isLeftAlone?.().catch(() => false)) ? { ...event, outcome: archivedOutcome } : event;
}

const archivedOutcome: Outcome = { status: "skipped", error: "the project is archived", archived: true };

async function takeStep(
  writer: Writer,
  step: Step,
  skipped: Outcome | undefined,
  options: ApplyOptions,
): Promise<ChangeEvent> {
  if ("outcome" in step) return step;
  const { change } = step;
  const { address } = change;
  const stopped = options.stopped();
  if (stopped !== undefined) return { address, change, outcome: { status: "skipped", error: stopped } };
  if (skipped) return { address, change, outcome: skipped };
  const earlier = await options.known?.(writer, change);
  if (earlier) return { address, change, ...earlier };
  return { address, change, ...(await sendRecorded(writer, change, options.watchers)) };
}

/** The outcome of a write that a stopped process may have sent; undefined, to send it again, if reading does not show it. */
async function lookUpWrite(reader: Reader, change: Change): Promise<Pick<ChangeEvent, "outcome"> | undefined> {
  const shows = async (each: Change) => isVisible(each) && (await isInPlace(reader, each));
  try {
    if (await shows(change)) return { outcome: { status: "applied" } };
    const own = withoutItems(reader.catalogue, change);
    // A resource that was created without all of its items must not be created again.
    if (own === change || !(await shows(own))) return undefined;
    return { outcome: staleOutcome("a process that stopped wrote a part of it") };
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    const message = `a process that stopped may have sent it, and looking it up failed: ${error.message}`;
    return { outcome: { status: "unknown", error: message } };
  }
}

/** Milliseconds. */
const pollInterval = 500;

/**
 * Returns the check for `ApplyOptions.known`: for a POST that an interrupted run left in flight, waits until it has timed
 * out (`milliseconds` from now), then looks up its effect.
 */
export function afterEarlierRuns(
  inFlight: readonly string[],
  milliseconds: number,
  stopped: ApplyOptions["stopped"],
): NonNullable<ApplyOptions["known"]> {
  const addresses = new Set(inFlight);
  const over = performance.now() + milliseconds;
  return async (reader, change) => {
    const isPosted = () => bareCallsOf(change, reader.catalogue).some(({ method }) => method === "POST");
    if (!addresses.has(change.address) || !isPosted()) return undefined;
    for (let left = milliseconds; left > 0 && !stopped(); left = over - performance.now()) {
      await pause(Math.min(left, pollInterval));
    }
    return lookUpWrite(reader, change);
  };
}

/** The steps of one project, or planned changes for which it is read again. */
export type Target =
  | { readonly steps: readonly Step[] }
  | {
      readonly planned: readonly PlannedChange[];
      readonly desired: DesiredProject;
      /** Fields that the plan lists as unverified, by address. */
      readonly unverified: ReadonlyMap<string, readonly string[]>;
      /** Addresses whose requests another process may have begun to send for this run; they are finished. */
      readonly begun?: ReadonlySet<string>;
    };

/** The changes of a plan by project. Nothing is written to projects that are gone, or that `deselected` explains. */
export function recheckTargets(
  plan: Pick<Plan, "resource_changes" | "unverified">,
  projects: ReadonlyMap<string, DesiredProject>,
  deselected: (name: string) => string | undefined = () => undefined,
): Target[] {
  const unverified = namesByAddress(plan.unverified);
  const changes = plan.resource_changes.filter((change) => !isMove(change));
  return [...grouped(changes, ({ project }) => project)].map(([name, planned]) => {
    const desired = projects.get(name);
    if (!desired) {
      const why = deselected(name);
      const gone = `${name} is no longer on the server`;
      return { steps: planned.map((change) => (why ? toStaleStep(change, why) : failChange(change, gone))) };
    }
    const other = planned
      .map((change) => otherProject(change, desired.project) ?? explainDeselected(change, desired))
      .find((why) => why !== undefined);
    return other === undefined
      ? { planned, desired, unverified }
      : { steps: planned.map((each) => toStaleStep(each, other)) };
  });
}

/** Explains that other policies select a project than when its change was planned. */
function explainDeselected(planned: PlannedChange, { resources, exclusive }: DesiredProject): string | undefined {
  const kind = kindIn(planned);
  const isDeclared = resources.some((each) => each.kind === kind && each.key === planned.key) || exclusive.has(kind);
  return isDeclared ? undefined : `no policy declares ${planned.address} any more`;
}

function namesByAddress(rows: readonly Unverified[]): ReadonlyMap<string, readonly string[]> {
  return new Map(rows.map(({ address, fields }) => [address, fields]));
}

/** Reads a target again. Changes that were planned from other live values are stale (docs/safety.md). */
export async function stepsOf(reader: Reader, target: Target, scope: RefreshScope): Promise<readonly Step[]> {
  if ("steps" in target) return target.steps;
  const { planned } = target;
  const read = await refreshProject(reader, target.desired, compareAsPlanned(scope, target)).catch(
    // Errors that end the run become outcomes too, so that earlier outcomes are kept.
    onError(CallFailed, (error): RefreshedProject => {
      return { problems: [{ severity: "error", rule: error.kind, message: explainCallFailure(error) }] };
    }),
  );
  if (!read.difference) {
    const outcome = outcomeOfUnread(read);
    return planned.map(({ address }) => ({ address, outcome }));
  }
  const { changes } = read.difference;
  const unverified = namesByAddress(read.difference.unverified);
  const now = new Map(changes.map((change) => [change.address, change]));
  const order = changes.map(({ address }) => address);
  const steps = planned.map((row): Step => {
    const part = unreadPart(reader.catalogue, read.unread ?? [], { kind: kindIn(row), key: row.key });
    if (part) return failChange(row, explainCallFailure(part.failure));
    const { address } = row;
    const unknown = read.failed?.get(address);
    if (unknown) return toStaleStep(row, unknown);
    const change = now.get(address);
    // The rest of a begun change; its action may differ now, such as a creation after a deletion.
    if (target.begun?.has(address)) return change ? { change } : { address, outcome: { status: "applied" } };
    const unlisted = unlistedIn(row, target.unverified.get(address), unverified.get(address));
    if (unlisted) return toStaleStep(row, unlisted);
    if (!change) return toStaleStep(row, "the live values are already as declared");
    // A look-up that waits for a begun write may already have a result.
    const known = target.begun
      ? { ...row, looked_up: row.looked_up && knownResults(row.looked_up, target.begun) }
      : row;
    const why = changedSincePlan(known, change) ?? differenceFrom(known, change, reader.catalogue);
    return why === undefined ? { change } : toStaleStep(row, why);
  });
  const { id } = target.desired.project;
  return steps
    .sort((a, b) => order.indexOf(stepAddress(a)) - order.indexOf(stepAddress(b)))
    .map((step) => ("change" in step && id !== undefined ? { change: { ...step.change, projectId: id } } : step));
}

/** Repeats `--resend` changes of the plan, and decides about returned secrets as the plan did. */
function compareAsPlanned(scope: RefreshScope, target: Extract<Target, { planned: unknown }>): RefreshScope {
  const resent = new Set(target.planned.filter(({ resend }) => resend).map(({ address }) => address));
  const resend = resent.size > 0 ? { resend: (address: string) => resent.has(address) } : {};
  return {
    ...scope,
    diff: (project) => {
      const options = scope.diff(project);
      return { ...options, ...resend, isMarked: markAsPlanned(target, options.isMarked, scope.note) };
    },
  };
}

/**
 * Available secrets differ between machines: a saved plan keeps its decision. A secret that only now turns out to
 * differ is left to the next plan.
 */
function markAsPlanned(
  { planned, unverified }: Extract<Target, { planned: unknown }>,
  isMarked: IsMarked | undefined,
  note: RefreshScope["note"],
): IsMarked {
  const byAddress = new Map(planned.map((each) => [each.address, each]));
  return (secret, mark, field) => {
    const { address, name } = field;
    const change = byAddress.get(address)?.change;
    if (name in (change?.before ?? {})) return false;
    if (change) return unverified.get(address)?.includes(name) ? undefined : true;
    if (isMarked?.(secret, mark, field) === false)
      note?.(`${address}: ${name} on the server is not ${secret.secret}, which this plan does not change; plan again`);
    return undefined;
  };
}

function outcomeOfUnread({ problems: [problem], archived }: RefreshedProject): Outcome {
  if (archived) return archivedOutcome;
  if (problem?.rule === ("aborted" satisfies FailureKind)) return { status: "skipped", error: "the run was stopped" };
  return { status: "failed", error: problem?.message ?? "the project could not be read again" };
}

function failChange({ address }: PlannedChange, error: string): Step {
  return { address, outcome: { status: "failed", error } };
}

function toStaleStep({ address }: PlannedChange, why: string): Step {
  return { address, outcome: staleOutcome(why) };
}

export function projectOf(target: Target): string {
  if ("planned" in target) return target.desired.project.name;
  const [step] = target.steps;
  return step ? projectPart(stepAddress(step)) : "";
}

function stepAddress(step: Step): string {
  return "change" in step ? step.change.address : step.address;
}
