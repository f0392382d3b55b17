import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import planSchema from "../../schemas/plan.schema.json" with { type: "json" };
import { exit, UserError } from "../base/exit.ts";
import { isObject, parsedJson } from "../base/json.ts";
import { didYouMean } from "../base/nearest.ts";
import { compile } from "../base/schema.ts";
import { describeSystemError } from "../base/system-errors.ts";
import type { Reader } from "../client/client.ts";
import { desiredAmong } from "../manifest/desired-fleet.ts";
import { conditionalPolicies, isCovered } from "../manifest/selection.ts";
import { addressOf } from "../model/address.ts";
import { projectNamed } from "../model/identity.ts";
import { isMove } from "../model/repository-kinds.ts";
import type { DesiredProject } from "../model/types.ts";
import { referencesIn } from "../model/values.ts";
import { checkLoosening, checkProtected, checkRemovalShare, theFleet } from "../plan/guards.ts";
import { formatVersion, type Plan, planDigest, removalsOf, visibleOf } from "../plan/plan.ts";
import { getText, type WorkspaceState } from "../state/state.ts";
import { recheckTargets } from "./apply/apply.ts";
import { type NeededSecret, secretsToCompare } from "./connection.ts";
import type { Context } from "./context.ts";
import { type Selection, select } from "./live/select-projects.ts";
import { judgePlan, type PreparedPlan } from "./prepared-plan.ts";
import { withRuleObjections } from "./rules-in-force.ts";
import { guardRules, namedAsPlanned, scopeOf } from "./scope.ts";
import { movesAgain } from "./storage-moves.ts";

/**
 * Reads a plan saved by `plan --out`.
 * @throws UserError as {@link readReport}, and for the report of an apply, which cannot be applied.
 */
export async function readPlan(path: string): Promise<Plan> {
  return parsePlan(await readPlanFile(path), path);
}

/**
 * Reads a plan, or the report of an apply or a dry run.
 * @throws UserError for another format, an edited file, and a violation of the schema.
 */
export async function readReport(path: string): Promise<Plan> {
  return parseReport(await readPlanFile(path), path);
}

function parsePlan(text: string, path: string): Plan {
  const plan = parseReport(text, path);
  const { summary, resource_changes: changes } = plan;
  const isApplied = changes.some(({ outcome, wave }) => outcome !== undefined || wave !== undefined);
  if (!summary.outcomes && !summary.waves && !("requests" in plan) && !isApplied) return plan;
  throw new UserError(`${path} is the report of an apply, not a plan; evenkeel plan --out FILE writes one`);
}

const checkPlan = compile(planSchema);

function parseReport(text: string, path: string): Plan {
  const plan = parsedJson(text);
  if (plan === undefined)
    throw new UserError(`cannot read the plan ${path}: it is not JSON; evenkeel plan --out FILE writes one`);
  if (!isObject(plan) || typeof plan.format_version !== "string" || typeof plan.digest !== "string") {
    throw new UserError(`${path} is not a saved plan; evenkeel plan --out FILE writes one`);
  }
  if (plan.format_version !== formatVersion) {
    const { format_version: other } = plan;
    throw new UserError(`${path} has format ${other}, and this version reads ${formatVersion}; plan again`);
  }
  const saved = plan as unknown as Plan;
  if (planDigest(saved) !== saved.digest) {
    throw new UserError(`${path} was edited since it was saved: its digest does not match; plan again`);
  }
  const [fault] = checkPlan(saved).map(({ path, message }) => `${path.join(".")} ${message}`);
  if (fault) throw new UserError(`${path} is not a complete plan: ${fault}; plan again`);
  return saved;
}

export function planPath(folder: string, name: string): string {
  return name === "-" ? stdin : resolve(folder, name);
}

const stdin = "/dev/stdin";

/** Reads stdin as a stream, because a socket cannot be opened by its path, and a pipe may still be empty. */
async function readPlanFile(path: string): Promise<string> {
  try {
    return path === stdin ? await text(process.stdin) : readFileSync(path, "utf8");
  } catch (error) {
    throw new UserError(`cannot read the plan ${path}: ${describeSystemError(error)}`);
  }
}

/** Reads the plan of a run from the state. @throws UserError as {@link readPlan}, and if there is none. */
export async function planOfRun(state: Pick<WorkspaceState, "get" | "list">, run: string): Promise<Plan> {
  const text = await getText(state, "plans", run);
  if (text !== undefined) return parsePlan(text, `the plan of run ${run}`);
  const suggestion = didYouMean(run, await state.list("plans"));
  throw new UserError(`the state keeps no plan of run ${run}${suggestion || "; evenkeel plan --save keeps one"}`);
}

/** A saved plan that is stale as a whole because manifests changed. */
export class StalePlan extends UserError {
  readonly plan: Plan;

  constructor(plan: Plan) {
    super("the manifests changed since the plan was made, so it is stale; plan again", exit.stale);
    this.name = "StalePlan";
    this.plan = plan;
  }
}

/** The saved plan to apply, if any. @throws UserError as {@link readPlan}, and if it was not made for this workspace. */
export async function requestedPlan({ request, state, heading }: Context): Promise<Plan | undefined> {
  const { saved, savedRun } = request;
  if (saved === undefined && savedRun === undefined) return undefined;
  const plan = await (savedRun === undefined ? readPlan(saved ?? "") : planOfRun(state, savedRun));
  if (plan.manifests.digest !== heading.manifests.digest) throw new StalePlan(plan);
  if (plan.server.url === heading.url) return plan;
  throw new UserError(`the plan was made for a server other than ${heading.url}; plan again`);
}

/**
 * Prepares a saved plan: guards and rules judge it again, and each project is read right before its writes, from which
 * its requests follow anew (docs/safety.md). @throws CallFailed if it ends the run.
 */
export async function savedPlan(reader: Reader, context: Context, read: Plan): Promise<PreparedPlan> {
  const { request, loaded } = context;
  const { catalogue, guards } = loaded.workspace;
  const moves = await movesAgain(reader, context, read.resource_changes.filter(isMove));
  const changed = new Set(read.resource_changes.filter((each) => !isMove(each)).map(({ project }) => project));
  const only = read.scope?.since === undefined ? {} : { only: [...changed] };
  const selection = await select(reader, { ...scopeOf(context), includes: () => true, ...only });
  const fleet = await namedAsPlanned(reader, context, read, selection.fleet);
  const desired = desiredAmong(fleet, changed);
  const references = plannedSecrets(desired.values(), read);
  await secretsToCompare(context, references);
  const changes = read.resource_changes.map(visibleOf);
  const shares = read.objections.filter(({ guard }) => guard === "delete-percent");
  const whole = checkRemovalShare({ scope: theFleet, removals: removalsOf(read), live: read.summary.live }, guards);
  const objections = [
    ...shares,
    // Shards of few removals each can merge into a plan of many.
    ...(shares.length > 0 ? [] : whole),
    ...checkProtected(changes, guardRules(context, fleet.projects)),
    ...moves.objections,
    ...(request.failOnLoosening ? checkLoosening(changes) : []),
  ];
  const plan = withRuleObjections({ ...read, objections }, context, fleet.projects);
  return {
    ...judgePlan(context, { plan, catalogue, differences: [], compared: true, missing: [] }, fleet),
    targets: recheckTargets(read, desired, deselected(selection, context)),
    references,
    saved: read,
  };
}

/** Explains why policies no longer select a project; undefined if the server may have lost it. */
function deselected({ archived, listing = [] }: Selection, { policies }: Context) {
  const [archivedNames, listed] = [archived, listing].map((projects) => new Set(projects.map(({ name }) => name)));
  return (name: string): string | undefined => {
    if (archivedNames?.has(name)) return `${name} is archived now`;
    const project = projectNamed(name);
    const isListed = listed?.has(name) || conditionalPolicies(policies, project).length > 0;
    return isListed || !isCovered(policies, project) ? `no policy selects ${name} any more` : undefined;
  };
}

export function plannedSecrets(
  desired: Iterable<DesiredProject>,
  { resource_changes }: Pick<Plan, "resource_changes">,
): readonly NeededSecret[] {
  const addresses = new Set(resource_changes.map(({ address }) => address));
  return [...desired].flatMap(({ project, resources }) =>
    resources.flatMap(({ kind, key, fields, origin }) => {
      const address = addressOf(project.name, kind, key);
      return addresses.has(address) ? referencesIn(fields).map((each) => ({ ...each, address, origin })) : [];
    }),
  );
}
