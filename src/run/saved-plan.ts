import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import planSchema from "../../schemas/plan.schema.json" with { type: "json" };
import { exit, UserError } from "../base/exit.ts";
import { isObject, jsonIn } from "../base/json.ts";
import { didYouMean } from "../base/nearest.ts";
import { compile } from "../base/schema.ts";
import { describeSystemError } from "../base/system-errors.ts";
import type { Reader } from "../client/client.ts";
import { desiredAmong } from "../manifest/desired-fleet.ts";
import { conditionalPolicies } from "../manifest/selection.ts";
import { addressOf } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { projectNamed } from "../model/identity.ts";
import { isMove } from "../model/repository-kinds.ts";
import type { DesiredProject, Project } from "../model/types.ts";
import { referencesIn } from "../model/values.ts";
import type { Contradictions } from "../plan/contradictions.ts";
import { checkLoosening, isMany } from "../plan/guards.ts";
import {
  formatVersion,
  type Plan,
  type PlannedChange,
  planDigest,
  recounted,
  removalsOf,
  visibleOf,
} from "../plan/plan.ts";
import type { WorkspaceState } from "../state/state.ts";
import { recheckTargets } from "./apply/apply.ts";
import { type NeededSecret, secretsToCompare } from "./connection.ts";
import type { Context, Heading } from "./context.ts";
import type { RefreshScope } from "./live/refresh-scope.ts";
import { type Selection, select } from "./live/select-projects.ts";
import { type PreparedPlan, withWaivers } from "./prepared-plan.ts";
import { withReasons, withRuleObjections } from "./rules-in-force.ts";
import { checkGuardsAgain, contradictionsOf, withContradictions, withLiveCounts } from "./saved-plan-checks.ts";
import { canaryTest, guardRules, namedAsPlanned, refusedBy, scopeOf } from "./scope.ts";
import { movesAgain } from "./storage-moves.ts";

/**
 * Reads a plan saved by `plan --out`, and counts its changes again.
 * @throws UserError as {@link readReport}, and for the report of an apply, which cannot be applied.
 */
export async function readPlan(path: string, catalogue: Catalogue): Promise<Plan> {
  return parsePlan(await readPlanFile(path), path, catalogue);
}

/**
 * Reads a plan, or the report of an apply or a dry run.
 * @throws UserError for another format, an edited file, and a violation of the schema.
 */
export async function readReport(path: string, catalogue: Catalogue): Promise<Plan> {
  return parseReport(await readPlanFile(path), path, catalogue);
}

async function parsePlan(text: string, path: string, catalogue: Catalogue): Promise<Plan> {
  const plan = await parseReport(text, path, catalogue);
  if (!isReport(plan)) return plan;
  throw new UserError(`${path} is the report of an apply, not a plan; evenkeel plan --out FILE writes one`);
}

function isReport({ summary, resource_changes: changes, ...rest }: Plan): boolean {
  if (summary.outcomes || summary.waves || "requests" in rest) return true;
  return changes.some(({ outcome, wave }) => outcome !== undefined || wave !== undefined);
}

async function parseReport(text: string, path: string, catalogue: Catalogue): Promise<Plan> {
  const plan = parse(text, path);
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
  const fault = shapeFault(saved) ?? findDuplicate(saved);
  if (fault) throw new UserError(`${path} is not a complete plan: ${fault}; plan again`);
  return recounted(saved, catalogue);
}

const checkPlan = compile(planSchema);

/** All missing properties of a plan, or else the first violation of its schema. */
function shapeFault(plan: Plan): string | undefined {
  const faults = checkPlan(plan);
  const missing = faults.filter(({ rule }) => rule === "missing-key").map(({ path }) => path.join("."));
  if (missing.length > 0) return `missing ${missing.slice(0, 5).join(", ")}`;
  return faults.map(({ path, message }) => `${path.join(".")} ${message}`)[0];
}

/** An address that occurs twice would be sent twice. */
function findDuplicate({ resource_changes: changes }: Plan): string | undefined {
  const seen = new Set<string>();
  const twice = changes.find(({ address }) => seen.size === seen.add(address).size);
  return twice && `${twice.address} is listed twice`;
}

/** Resolves the path of a plan; `-` is stdin. */
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

function parse(text: string, path: string): unknown {
  try {
    return jsonIn(text);
  } catch {
    throw new UserError(`cannot read the plan ${path}: it is not JSON; evenkeel plan --out FILE writes one`);
  }
}

/** Reads the requested plan from its file or the state. @throws UserError as {@link readPlan}. */
async function readRequested({ request: { saved = "", savedRun }, state, loaded }: Context): Promise<Plan> {
  const { catalogue } = loaded.workspace;
  return savedRun === undefined ? readPlan(saved, catalogue) : planOfRun(state, savedRun, catalogue);
}

/** Reads the plan of a run from the state. @throws UserError as {@link readPlan}, and if there is none. */
export async function planOfRun(
  { plans }: Pick<WorkspaceState, "plans">,
  run: string,
  catalogue: Catalogue,
): Promise<Plan> {
  const text = await plans.read(run);
  if (text !== undefined) return parsePlan(text, `the plan of run ${run}`, catalogue);
  const suggestion = didYouMean(run, await plans.list());
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

/** Throws {@link StalePlan} if the manifests differ from those of the plan, {@link UserError} if the server does. */
function checkCurrent(plan: Plan, now: Heading): void {
  if (plan.manifests.digest !== now.manifests.digest) {
    throw new StalePlan(plan);
  }
  if (plan.server.url !== now.url) {
    throw new UserError(`the plan was made for a server other than ${now.url}; plan again`);
  }
}

/** The saved plan to apply, if any. @throws UserError as {@link savedPlan}, before anything is sent. */
export async function requestedPlan(context: Context): Promise<Plan | undefined> {
  const { saved, savedRun } = context.request;
  if (saved === undefined && savedRun === undefined) return undefined;
  const read = await readRequested(context);
  checkCurrent(read, context.heading);
  return read;
}

/**
 * Checks a saved plan against live state. Each project is read again right before its writes, and requests are derived
 * anew (docs/safety.md). Nothing is sent of a plan that does not follow from its manifests.
 * @throws UserError if the plan was edited, is incomplete, or is stale as a whole; CallFailed if it ends the run.
 */
export async function savedPlan(reader: Reader, context: Context, read: Plan): Promise<PreparedPlan> {
  const { request } = context;
  const moves = read.resource_changes.filter(isMove);
  const again = await movesAgain(reader, context, moves);
  const scope = { ...scopeOf(context), includes: () => true, ...narrowScope(read, context) };
  const selection = await select(reader, scope);
  const fleet = await namedAsPlanned(reader, context, read, selection.fleet);
  const { projects } = fleet;
  const desired = desiredAmong(fleet, new Set(read.resource_changes.map(({ project }) => project)));
  const references = plannedSecrets(desired.values(), read);
  await secretsToCompare(context, references);
  const rules = guardRules(context, projects);
  const { objections, unread } = await checkGuardsAgain(reader, { plan: read, fleet, rules, scope });
  const loosening = request.failOnLoosening ? checkLoosening(read.resource_changes.map(visibleOf)) : [];
  const unruled = { ...withReasons(read, desired), objections: [...objections, ...again.objections, ...loosening] };
  const catalogue = context.loaded.workspace.catalogue;
  const counted = await withLiveCounts(reader, unruled, context.rules, { fleet, scope, catalogue });
  const plan = withRuleObjections(counted, context, projects);
  const refused = refusedBy(plan, projects, request);
  const contradictions = contradictionsOf(context, read, desired);
  const reselected = findReselected(read, selection, desired, { policies: context.policies, contradictions });
  const prepared = {
    planned: withWaivers({ plan, catalogue, differences: [], compared: true, missing: [] }, refused),
    targets: recheckTargets(read, desired, unread, reselected),
    moves: { steps: again.steps },
    references,
    refused,
    isProtected: rules.isProtected,
    saved: read,
    isCanary: canaryTest(context, projects),
  };
  const ofManifests = read.resource_changes.flatMap(({ address, project }) => {
    const why = reselected.has(project) ? undefined : contradictions.get(address);
    return why === undefined ? [] : [[address, why] as const];
  });
  return withContradictions(prepared, read, new Map([...ofManifests, ...again.contradictions]));
}

/**
 * Explains by project why policies select it differently since the plan was made: it is archived, or what `where` reads
 * of it changed. Only its own changes are stale then.
 */
function findReselected(
  { resource_changes: changes }: Plan,
  { archived, listing = [] }: Selection,
  desired: ReadonlyMap<string, DesiredProject>,
  { policies, contradictions }: Pick<Context, "policies"> & { readonly contradictions: Contradictions },
): ReadonlyMap<string, string> {
  const [archivedNames, listed] = [archived, listing].map((projects) => new Set(projects.map(({ name }) => name)));
  const isConditional = (project: Project) => conditionalPolicies(policies, project).length > 0;
  const reasonFor = ({ project: name, address }: PlannedChange) => {
    const project = desired.get(name)?.project;
    if (project) {
      const why = contradictions.get(address);
      return why !== undefined && isConditional(project) ? `${why}, as policies select ${name} now` : undefined;
    }
    if (archivedNames?.has(name)) return `${name} is archived now`;
    return listed?.has(name) || isConditional(projectNamed(name)) ? `no policy selects ${name} any more` : undefined;
  };
  return new Map(
    changes.flatMap((change) => {
      const why = reasonFor(change);
      return why === undefined ? [] : [[change.project, why]];
    }),
  );
}

/** A plan with `--since` needs only its own projects, unless a guard depends on the share of the fleet. */
function narrowScope(plan: Plan, { loaded }: Context): Pick<RefreshScope, "only"> {
  const { scope, resource_changes: changes } = plan;
  if (scope?.since === undefined || isMany(removalsOf(plan).length, loaded.workspace.guards)) return {};
  return { only: [...new Set(changes.filter((each) => !isMove(each)).map(({ project }) => project))] };
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
