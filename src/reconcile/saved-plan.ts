import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";
import type { Batch, Step } from "../apply/apply.ts";
import { exit, Refusal } from "../base/exit.ts";
import { systemTrouble } from "../base/system-errors.ts";
import { explained } from "../client/explain-failure.ts";
import { CallFailed, type FailureKind } from "../client/failure.ts";
import type { Difference } from "../diff/diff.ts";
import { isRow } from "../live/read-live.ts";
import { schemas } from "../model/schemas.ts";
import { turnsOff } from "../model/turns-off.ts";
import type { Change, Problem } from "../model/types.ts";
import { formatVersion, type Plan, type PlannedChange, planDigest, recounted, visibleOf } from "../plan/plan.ts";

/**
 * Reads a plan that `plan --out` saved; its counts are those of its changes, whatever its summary says.
 * @throws Refusal for one of another format, one that was edited, and one that is not what its schema says.
 */
export function readPlan(path: string): Plan {
  const plan = parse(path);
  if (!isRow(plan) || typeof plan.format_version !== "string" || typeof plan.digest !== "string") {
    throw new Refusal(`${path} is not a saved plan; evenkeel plan --out FILE makes one`);
  }
  if (plan.format_version !== formatVersion) {
    const { format_version: other } = plan;
    throw new Refusal(`${path} has format ${other}, and this version reads ${formatVersion}; make the plan again`);
  }
  const saved = plan as unknown as Plan;
  if (planDigest(saved) !== saved.digest) {
    throw new Refusal(`${path} was edited since it was saved: its digest does not match; make the plan again`);
  }
  const fault = shapeFault(saved) ?? twiceIn(saved);
  if (fault) throw new Refusal(`${path} is not a whole plan: ${fault}; make the plan again`);
  return recounted(saved);
}

let validator: ValidateFunction | undefined;

/** What a plan lacks, all of it at once, or else the first thing in it that its schema does not allow. */
function shapeFault(plan: Plan): string | undefined {
  validator ??= new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schemas.get("plan.schema.json") ?? {});
  if (validator(plan)) return undefined;
  const { errors } = validator;
  const missing = errors?.filter(({ keyword }) => keyword === "required") ?? [];
  const names = missing.map(({ instancePath, params }) => dotted(`${instancePath}/${params.missingProperty}`));
  if (names.length > 0) return `${names.slice(0, 5).join(", ")} ${names.length === 1 ? "is" : "are"} missing`;
  const [first] = errors ?? [];
  return `${dotted(first?.instancePath ?? "")} ${first?.message}`;
}

function dotted(pointer: string): string {
  return pointer.split("/").slice(1).join(".") || "it";
}

/** A change that stands in a plan twice would be sent twice. */
function twiceIn({ resource_changes: changes }: Plan): string | undefined {
  const seen = new Set<string>();
  const twice = changes.find(({ address }) => seen.size === seen.add(address).size);
  return twice && `${twice.address} stands in it twice`;
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const why = error instanceof SyntaxError ? "it is not JSON" : systemTrouble(error);
    throw new Refusal(`cannot read the plan ${path}: ${why}`);
  }
}

/** A saved plan that is stale altogether, since manifests changed. */
export class StalePlan extends Refusal {
  readonly plan: Plan;

  constructor(plan: Plan) {
    super("the manifests changed since the plan was made, so it is stale; make it again", exit.stale);
    this.name = "StalePlan";
    this.plan = plan;
  }
}

/** Throws {@link StalePlan} where manifests, {@link Refusal} where the server is not the one that the plan was made for. */
export function checkCurrent(plan: Plan, now: { readonly url: string; readonly manifests: Plan["manifests"] }): void {
  if (plan.manifests.digest !== now.manifests.digest) {
    throw new StalePlan(plan);
  }
  if (plan.server.url !== now.url) {
    throw new Refusal(`the plan was made for another server than ${now.url}; make it again`);
  }
}

/** A saved plan's changes of one project, and how to read that project again right before they are carried out. */
export interface Recheck {
  readonly planned: readonly PlannedChange[];
  readonly read: () => Promise<Reread>;
}

/** A project as it is now, or why that is not known. */
export interface Reread {
  readonly difference?: Difference;
  readonly problems: readonly Problem[];
}

/** Steps of a saved plan: what was planned from other live values than are there now is stale, and left (contract 5). */
export function recheckedBatch({ planned, read }: Recheck): Batch {
  return {
    steps: async () => {
      const { difference, problems } = await read().catch(unread);
      if (!difference) return planned.map((change) => failed(change, problems));
      const fresh = new Map(difference.changes.map((change) => [change.address, change]));
      const order = difference.changes.map(({ address }) => address);
      const steps = planned.map((change) => stepOf(change, fresh.get(change.address)));
      return steps.sort((a, b) => order.indexOf(addressOf(a)) - order.indexOf(addressOf(b)));
    },
  };
}

/** Also what ends the run is this project's outcome: those of the projects before it are not to be lost. */
function unread(error: unknown): Reread {
  if (!(error instanceof CallFailed)) throw error;
  return { problems: [{ severity: "error", rule: error.kind, message: explained(error) }] };
}

function addressOf(step: Step): string {
  return "change" in step ? step.change.address : step.address;
}

/** Nothing was sent for it; where the run was stopped meanwhile nothing went wrong either. */
function failed({ address }: PlannedChange, [problem]: readonly Problem[]): Step {
  if (problem?.rule === stopped) return { address, outcome: { status: "skipped", error: "the run was stopped" } };
  return { address, outcome: { status: "failed", error: problem?.message ?? "the project could not be read again" } };
}

const stopped: FailureKind = "aborted";

function stepOf(planned: PlannedChange, change: Change | undefined): Step {
  const moved = change ? movedSince(planned, change) : "the live values are as declared by now";
  if (!change || moved)
    return { address: planned.address, outcome: { status: "stale", error: `${moved}; plan again` } };
  return { change };
}

function movedSince(planned: PlannedChange, now: Change): string | undefined {
  const {
    change: { actions },
    live,
  } = planned;
  if (actions[0] !== now.action) return `it was to ${actions[0]} and would now ${now.action}`;
  if (turnsOff(now) && !turnsOff(visibleOf(planned))) return "it would now be turned off, which the plan does not say";
  if ((live?.digest ?? undefined) !== now.liveDigest) return "the live values moved since the plan was made";
  if ((live?.updated_at ?? undefined) !== now.live?.updatedAt) return "updated_at moved since the plan was made";
  return undefined;
}
