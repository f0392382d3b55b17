import type { Batch } from "../apply/apply.ts";
import { version } from "../base/version.ts";
import type { Reader } from "../client/client.ts";
import { select, survey, surveyProject } from "../live/survey.ts";
import { addressOf } from "../model/address.ts";
import { isReference } from "../model/normalise.ts";
import type { Change, DesiredProject, Fields, Problem, SecretReference } from "../model/types.ts";
import { isRemoval, judgeFleet, judgePlan, judgeProtected, type Objection } from "../plan/guards.ts";
import { type Plan, type PlannedChange, planOf } from "../plan/plan.ts";
import { guardRules, headingOf, type Opened, scopeOf } from "./context.ts";
import type { Planned, Request } from "./request.ts";
import { checkCurrent, readPlan, recheckedBatch } from "./saved-plan.ts";
import { isMove, type MoveStep, movesAgain, movesOf } from "./storage-moves.ts";

/** A plan, and the way to carry it out. */
export interface Prepared {
  readonly planned: Planned;
  readonly batches: readonly Batch[];
  /** What moves from one storage to another, after everything else. */
  readonly moves: readonly MoveStep[];
  /** Every secret that the writes will need. */
  readonly references: readonly SecretReference[];
}

/** Makes a plan of all that the request is about. @throws CallFailed where it ends the run. */
export async function planFrom(reader: Reader, opened: Opened, request: Request): Promise<Planned> {
  const { differences, problems, surveyed } = await survey(reader, scopeOf(opened, request));
  const { moves, ...storage } = await movesOf(reader, opened, surveyed ? request : { ...request, storage: false });
  const document = planOf({
    ...headingOf(opened),
    version,
    createdAt: new Date().toISOString(),
    differences,
    moves: moves.map(({ change }) => change),
    objections: [...judgePlan(differences, guardRules(opened)), ...storage.objections],
    problems: [...opened.problems, ...problems, ...storage.problems],
    reads: reader.counts.reads,
  });
  const missing = opened.secrets.missing(differences.flatMap(({ changes }) => changes.flatMap(referencesOf)));
  return { plan: document, differences, moves, surveyed, missing };
}

/** A new plan, to be carried out as it is. */
export async function fresh(reader: Reader, opened: Opened, request: Request): Promise<Prepared> {
  const planned = await planFrom(reader, opened, request);
  const changed = planned.differences.filter(({ changes }) => changes.length > 0);
  return {
    planned,
    batches: changed.map(({ changes }) => ({ steps: async () => changes.map((change) => ({ change })) })),
    moves: (planned.moves ?? []).map((move) => ({ move })),
    references: changed.flatMap(({ changes }) => changes.flatMap(referencesOf)),
  };
}

/**
 * A saved plan, each project to be read again right before its writes; requests are derived anew (contract 5).
 * @throws Refusal where the plan was edited, or is stale altogether.
 */
export async function saved(reader: Reader, opened: Opened, request: Request): Promise<Prepared> {
  const read = readPlan(request.saved ?? "");
  checkCurrent(read, headingOf(opened));
  const { steps: moves, objections } = await movesAgain(reader, opened, read.resource_changes.filter(isMove));
  const plan = guardedAgain(read, opened, objections);
  const groups = groupByProject(plan.resource_changes.filter((change) => !isMove(change)));
  const scope = { ...scopeOf(opened, request), includes: (project: string) => groups.has(project) };
  const { desired } = await select(reader, scope);
  const projects = new Map(desired.map((each) => [each.project.name, each]));
  const batches = [...groups].map(([name, planned]) => {
    const project = projects.get(name);
    const gone = [{ severity: "error", rule: "unreadable", message: `${name} is no longer on the server` } as const];
    return recheckedBatch({
      planned,
      read: async () => (project ? surveyProject(reader, project, scope) : { problems: gone }),
    });
  });
  const references = [...groups].flatMap(([name, planned]) => {
    const project = projects.get(name);
    return project ? plannedReferences(project, planned) : [];
  });
  return { planned: { plan, differences: [], surveyed: true, missing: [] }, batches, moves, references };
}

/** Whoever can write a plan's file can make its digest match: what can be judged anew is not taken from it. */
function guardedAgain(plan: Plan, opened: Opened, moving: readonly Objection[]): Plan {
  const changes = plan.resource_changes.map(({ address, kind, change: { actions } }) => {
    return { address, kind, action: actions[0] };
  });
  const rules = guardRules(opened);
  const scopes = plan.objections.filter(({ guard }) => guard === "delete-percent");
  const fleet = judgeFleet(changes, plan.summary.live, rules);
  const unsaid = fleet.filter(({ message }) => scopes.every((each) => each.message !== message));
  return { ...plan, objections: [...unsaid, ...scopes, ...judgeProtected(changes, rules), ...moving] };
}

function referencesOf(change: Change): SecretReference[] {
  return isRemoval(change) ? [] : referencesIn(change.declared);
}

function referencesIn(fields: Fields): SecretReference[] {
  return Object.values(fields).filter(isReference);
}

function plannedReferences(desired: DesiredProject, planned: readonly PlannedChange[]): SecretReference[] {
  const addresses = new Set(planned.map(({ address }) => address));
  return desired.resources
    .filter(({ kind, key }) => addresses.has(addressOf(desired.project.name, kind, key)))
    .flatMap(({ fields }) => referencesIn(fields));
}

/** Every secret is resolved before the first write (contract 3); what is missing is named. */
export function missingSecrets(references: readonly SecretReference[], { secrets }: Opened): Problem[] {
  return secrets.missing(references).map((missing) => ({
    severity: "error",
    rule: "missing-secret",
    message: `a secret is needed and cannot be resolved: ${missing}`,
  }));
}

function groupByProject(changes: readonly PlannedChange[]): Map<string, PlannedChange[]> {
  const groups = new Map<string, PlannedChange[]>();
  for (const change of changes) groups.set(change.project, [...(groups.get(change.project) ?? []), change]);
  return groups;
}
