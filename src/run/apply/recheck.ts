import { grouped } from "../../base/grouped.ts";
import type { Reader } from "../../client/client.ts";
import { explained } from "../../client/explain-failure.ts";
import { CallFailed, type FailureKind } from "../../client/failure.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { projectPart } from "../../model/identity.ts";
import { kindIn } from "../../model/owner.ts";
import { isMove } from "../../model/repository-kinds.ts";
import type { Change, DesiredProject } from "../../model/types.ts";
import { changedSincePlan, differenceFrom, otherProject, staleOutcome, unlistedIn } from "../../plan/contradictions.ts";
import type { Unverified } from "../../plan/diff/diff.ts";
import type { Plan, PlannedChange } from "../../plan/plan.ts";
import { unreadPart } from "../live/partly-read.ts";
import { refreshProject } from "../live/refresh.ts";
import type { RefreshedProject, RefreshScope } from "../live/refresh-scope.ts";
import type { Step } from "./apply.ts";

/** The steps of one project, or planned changes before which it is read again. */
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

/** The changes of a plan by project. Nothing is written to projects that could not be read. */
export function recheckTargets(
  plan: Pick<Plan, "resource_changes" | "unverified">,
  projects: ReadonlyMap<string, DesiredProject>,
  unread: ReadonlyMap<string, RefreshedProject> = new Map(),
): Target[] {
  const unverified = namesByAddress(plan.unverified);
  const changes = plan.resource_changes.filter((change) => !isMove(change));
  return [...grouped(changes, ({ project }) => project)].map(([name, planned]) => {
    const project = projects.get(name);
    if (!project) return { steps: planned.map((change) => failed(change, `${name} is no longer on the server`)) };
    const known = unread.get(name);
    const other = planned.map((change) => otherProject(change, project.project)).find((why) => why !== undefined);
    if (other !== undefined) return { steps: planned.map((change) => stale(change, other)) };
    return known ? { steps: notRead(planned, known) } : { planned, desired: project, unverified };
  });
}

function namesByAddress(rows: readonly Unverified[]): ReadonlyMap<string, readonly string[]> {
  return new Map(rows.map(({ address, fields }) => [address, fields]));
}

/** Reads a target again. Changes that were planned from other live values are stale (docs/safety.md). */
export async function stepsOf(reader: Reader, target: Target, scope: RefreshScope): Promise<readonly Step[]> {
  if ("steps" in target) return target.steps;
  const { planned } = target;
  const read = await refreshProject(reader, target.desired, resending(scope, planned)).catch(unreadable);
  if (!read.difference) return notRead(planned, read);
  const { changes } = read.difference;
  const unverified = namesByAddress(read.difference.unverified);
  const now = new Map(changes.map((change) => [change.address, change]));
  const order = changes.map(({ address }) => address);
  const steps = planned.map((change) => {
    const part = unreadPart(reader.catalogue, read.unread ?? [], { kind: kindIn(change), key: change.key });
    if (part) return failed(change, explained(part.failure));
    const { address } = change;
    if (target.begun?.has(address)) return finishing(address, now.get(address));
    const unlisted = unlistedIn(change, target.unverified.get(address), unverified.get(address));
    return unlisted ? stale(change, unlisted) : stepOf(change, now.get(address), reader.catalogue);
  });
  return steps.sort((a, b) => order.indexOf(addressOf(a)) - order.indexOf(addressOf(b)));
}

/** What is left of a change that was begun; its action may differ now, such as a creation after a deletion. */
function finishing(address: string, change: Change | undefined): Step {
  return change ? { change } : { address, outcome: { status: "applied" } };
}

/** Sends again what the plan sends because of `--resend`. */
function resending(scope: RefreshScope, planned: readonly PlannedChange[]): RefreshScope {
  const asked = new Set(planned.filter(({ resend }) => resend).map(({ address }) => address));
  if (asked.size === 0) return scope;
  return { ...scope, diff: (project) => ({ ...scope.diff(project), resend: (address) => asked.has(address) }) };
}

/** Errors that end the run become outcomes too, so that earlier outcomes are kept. */
function unreadable(error: unknown): RefreshedProject {
  if (!(error instanceof CallFailed)) throw error;
  return { problems: [{ severity: "error", rule: error.kind, message: explained(error) }] };
}

function notRead(planned: readonly PlannedChange[], { problems: [problem] }: RefreshedProject): Step[] {
  if (problem?.rule === stopped) return planned.map(skipped);
  return planned.map((change) => failed(change, problem?.message ?? "the project could not be read again"));
}

const stopped: FailureKind = "aborted";

function skipped({ address }: PlannedChange): Step {
  return { address, outcome: { status: "skipped", error: "the run was stopped" } };
}

function failed({ address }: PlannedChange, error: string): Step {
  return { address, outcome: { status: "failed", error } };
}

function stale({ address }: PlannedChange, why: string): Step {
  return { address, outcome: staleOutcome(why) };
}

export function projectOf(target: Target): string {
  if ("planned" in target) return target.desired.project.name;
  const [step] = target.steps;
  return step ? projectPart(addressOf(step)) : "";
}

function addressOf(step: Step): string {
  return "change" in step ? step.change.address : step.address;
}

function stepOf(planned: PlannedChange, change: Change | undefined, catalogue: Catalogue): Step {
  if (!change) return stale(planned, "the live values are already as declared");
  const why = changedSincePlan(planned, change) ?? differenceFrom(planned, change, catalogue);
  return why === undefined ? { change } : stale(planned, why);
}
