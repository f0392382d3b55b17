import type { Batch } from "../apply/apply.ts";
import { grouped } from "../base/grouped.ts";
import { version } from "../base/version.ts";
import type { Reader } from "../client/client.ts";
import { explained } from "../client/explain-failure.ts";
import { CallFailed } from "../client/failure.ts";
import { type Scope, select, survey, surveyProject } from "../live/survey.ts";
import { addressOf } from "../model/address.ts";
import { isReference } from "../model/normalise.ts";
import { isRemoval } from "../model/turns-off.ts";
import type { Change, DesiredProject, Fields, Problem, Project, SecretReference } from "../model/types.ts";
import { judgePlan, type Objection, standing } from "../plan/guards.ts";
import { type Plan, type PlannedChange, planOf, removalsOf } from "../plan/plan.ts";
import { guardRules, headingOf, idleProtection, type Opened, scopeOf, waiversFor } from "./context.ts";
import { judgeAgain } from "./judge-again.ts";
import type { Planned, Request } from "./request.ts";
import { checkCurrent, type Reread, readPlan, recheckedBatch } from "./saved-plan.ts";
import { isMove, type MoveStep, movesAgain, movesOf } from "./storage-moves.ts";

/** A plan, and the way to carry it out. */
export interface Prepared {
  readonly planned: Planned;
  readonly batches: readonly Batch[];
  /** What moves from one storage to another, after everything else; worked out right before. */
  readonly moves: () => Promise<readonly MoveStep[]>;
  /** Every secret that the writes will need. */
  readonly references: readonly SecretReference[];
  /** What the guards object to in spite of the waivers: nothing may be written. */
  readonly refused: readonly Objection[];
}

/** A new plan, and what manifests want of each project that it is about. */
export interface Made {
  readonly planned: Planned;
  readonly desired: readonly DesiredProject[];
}

/** Makes a plan of all that the request is about. @throws CallFailed where it ends the run. */
export async function planFrom(reader: Reader, opened: Opened, request: Request): Promise<Made> {
  const { differences, desired, problems, surveyed } = await survey(reader, scopeOf(opened, request));
  const { moves, ...storage } = await movesOf(reader, opened, surveyed ? request : { ...request, storage: false });
  const projects = projectsOf(desired);
  const idle = surveyed ? idleProtection(opened, projects, request) : [];
  const document = planOf({
    ...headingOf(opened),
    ...narrowed(request),
    version,
    createdAt: new Date().toISOString(),
    differences,
    moves: moves.map(({ change }) => change),
    objections: [...judgePlan(differences, guardRules(opened, projects)), ...storage.objections],
    problems: [...opened.problems, ...idle, ...problems, ...storage.problems],
    reads: reader.counts.reads,
  });
  const missing = opened.secrets.missing(differences.flatMap(({ changes }) => changes.flatMap(referencesOf)));
  return { planned: { plan: document, differences, moves, surveyed, missing }, desired };
}

function narrowed({ targets = [], part }: Request): Pick<Plan, "scope"> {
  if (targets.length === 0 && part === undefined) return {};
  return {
    scope: {
      ...(targets.length > 0 && { targets: [...new Set(targets)].sort() }),
      ...(part !== undefined && { shards: [part] }),
    },
  };
}

/** A new plan, to be carried out as it is; where time passes before its writes, as a saved one is. */
export async function fresh(reader: Reader, opened: Opened, request: Request): Promise<Prepared> {
  const { planned, desired } = await planFrom(reader, opened, request);
  const changed = planned.differences.filter(({ changes }) => changes.length > 0);
  const rest = {
    planned,
    references: changed.flatMap(({ changes }) => changes.flatMap(referencesOf)),
    refused: refusedOf(planned.plan, desired, request),
  };
  if (request.recheck) return { ...rest, ...rechecked(reader, opened, request, planned.plan, desired) };
  return {
    ...rest,
    batches: changed.map(({ changes }) => ({ steps: async () => changes.map((change) => ({ change })) })),
    moves: async () => (planned.moves ?? []).map((move) => ({ move })),
  };
}

/** A new plan's changes, everything to be looked at again right before it is written. */
function rechecked(
  reader: Reader,
  opened: Opened,
  request: Request,
  { resource_changes }: Plan,
  desired: readonly DesiredProject[],
): Pick<Prepared, "batches" | "moves"> {
  const scope = scopeOf(opened, request);
  return {
    batches: batchesOf(resource_changes, desired, (project) => surveyProject(reader, project, scope)),
    moves: () => movesLater(reader, opened, request, resource_changes.filter(isMove)),
  };
}

/** What guards and server say by now is each move's outcome: those of the projects before them are not to be lost. */
async function movesLater(
  reader: Reader,
  opened: Opened,
  request: Request,
  planned: readonly PlannedChange[],
): Promise<readonly MoveStep[]> {
  try {
    const { steps, objections } = await movesAgain(reader, opened, request, planned);
    return steps.map((step) => ("move" in step ? unlessObjected(step, objections) : step));
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    return planned.map(({ address }) => ({ address, outcome: { status: "failed", error: explained(error) } }));
  }
}

function unlessObjected(step: Extract<MoveStep, { move: unknown }>, objections: readonly Objection[]): MoveStep {
  const { address } = step.move.change;
  const objection = objections.find(({ addresses }) => addresses.includes(address));
  return objection ? { address, outcome: { status: "stale", error: `${objection.message}; plan again` } } : step;
}

/**
 * A saved plan, each project to be read again right before its writes; requests are derived anew (contract 5).
 * @throws Refusal where the plan was edited, is not whole, or is stale altogether.
 */
export async function saved(reader: Reader, opened: Opened, request: Request): Promise<Prepared> {
  const read = readPlan(request.saved ?? "");
  checkCurrent(read, headingOf(opened));
  const again = await movesAgain(reader, opened, request, read.resource_changes.filter(isMove));
  const scope: Scope = { ...scopeOf(opened, request), includes: () => true };
  const { desired } = await select(reader, scope);
  const rules = guardRules(opened, projectsOf(desired));
  const { objections, unread } = await judgeAgain(reader, { plan: read, desired, rules, scope });
  const plan = { ...read, objections: [...objections, ...again.objections] };
  const readAgain = async (project: DesiredProject) =>
    unread.get(project.project.name) ?? surveyProject(reader, project, scope);
  return {
    planned: { plan, differences: [], surveyed: true, missing: [] },
    batches: batchesOf(read.resource_changes, desired, readAgain),
    moves: async () => again.steps,
    references: plannedReferences(desired, read.resource_changes),
    refused: refusedOf(plan, desired, request),
  };
}

function refusedOf(plan: Plan, desired: readonly DesiredProject[], { waivers }: Request): readonly Objection[] {
  return standing(plan.objections, removalsOf(plan).length, waiversFor(waivers, projectsOf(desired)));
}

function projectsOf(desired: readonly DesiredProject[]): readonly Project[] {
  return desired.map(({ project }) => project);
}

/** Planned changes by project, each to be read again right before them. */
function batchesOf(
  changes: readonly PlannedChange[],
  desired: readonly DesiredProject[],
  read: (project: DesiredProject) => Promise<Reread>,
): Batch[] {
  const projects = new Map(desired.map((each) => [each.project.name, each]));
  const groups = grouped(
    changes.filter((change) => !isMove(change)),
    ({ project }) => project,
  );
  return [...groups].map(([name, planned]) => {
    const project = projects.get(name);
    const gone = [{ severity: "error", rule: "unreadable", message: `${name} is no longer on the server` } as const];
    return recheckedBatch({ planned, read: async () => (project ? read(project) : { problems: gone }) });
  });
}

function referencesOf(change: Change): SecretReference[] {
  return isRemoval(change) ? [] : referencesIn(change.declared);
}

function referencesIn(fields: Fields): SecretReference[] {
  return Object.values(fields).filter(isReference);
}

function plannedReferences(
  desired: readonly DesiredProject[],
  planned: readonly PlannedChange[],
): readonly SecretReference[] {
  const addresses = new Set(planned.map(({ address }) => address));
  return desired.flatMap(({ project, resources }) =>
    resources
      .filter(({ kind, key }) => addresses.has(addressOf(project.name, kind, key)))
      .flatMap(({ fields }) => referencesIn(fields)),
  );
}

/** Every secret is resolved before the first write (contract 3); what is missing is named. */
export function missingSecrets(references: readonly SecretReference[], { secrets }: Opened): Problem[] {
  return secrets.missing(references).map((missing) => ({
    severity: "error",
    rule: "missing-secret",
    message: `a secret is needed and cannot be resolved: ${missing}`,
  }));
}
