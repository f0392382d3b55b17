import { version } from "../base/version.ts";
import type { Reader } from "../client/client.ts";
import { inSpan } from "../client/spans.ts";
import { refresh } from "../live/refresh.ts";
import type { RefreshScope } from "../live/refresh-scope.ts";
import { type Selection, select } from "../live/select-projects.ts";
import { hasErrors } from "../manifest/validate.ts";
import type { DesiredProject, Problem, Project, SecretReference } from "../model/types.ts";
import { referencesIn } from "../model/values.ts";
import { checkGuards, checkLoosening } from "../plan/guards.ts";
import { type PlanInput, planOf } from "../plan/make-plan.ts";
import type { Plan, PlanScope } from "../plan/plan.ts";
import { keepProjects } from "../state/project-list.ts";
import type { Dispatcher } from "../workers/dispatcher.ts";
import type { Context } from "./context.ts";
import { recordDesiredState } from "./desired-state.ts";
import { type PreparedPlan, preparePlan } from "./prepared-plan.ts";
import { namesForPlan } from "./project-names.ts";
import { readBy } from "./read-by-workers.ts";
import type { Planned } from "./request.ts";
import { withRuleObjections } from "./rules-in-force.ts";
import { neededBy, secretsToCompare } from "./run-secrets.ts";
import { guardRules, idleCanaries, idleProtection, scopeOf } from "./scope.ts";
import { settingLineFinder } from "./setting-line.ts";
import { movesOf } from "./storage-moves.ts";

/** Who reads for a plan, and what is told on the way. */
interface Reading extends Pick<RefreshScope, "remember"> {
  readonly dispatcher: Dispatcher | undefined;
}

/** select, read, diff, check, plan. @throws CallFailed where it ends the run. */
export async function newPlan(
  reader: Reader,
  context: Context,
  { dispatcher, remember }: Reading,
): Promise<PreparedPlan> {
  const recorded = context.request.command ? recordDesiredState() : undefined;
  const secrets = new Map<string, SecretReference>();
  const selected = (desired: DesiredProject) => {
    recorded?.add(desired);
    for (const { fields } of desired.resources)
      for (const reference of referencesIn(fields)) secrets.set(reference.secret, reference);
  };
  const scope = readBy(dispatcher, { ...scopeOf(context), selected, ...(remember && { remember }) });
  const selection = await inSpan("select", {}, () => select(reader, scope));
  const { fleet, problems } = selection;
  const { projects } = fleet;
  await keepListing(context, selection.listing);
  const since = sinceOf(context, selection);
  if (hasErrors(problems))
    return preparePlan(context, unreadPlan(context, since, problems, reader.counts.reads), fleet);
  const uncompared = await secretsToCompare(context, [...secrets.values()]);
  context.meter.begin("reading", projects.length, performance.now());
  const { differences, lookUps, delegatedReads, ...read } = await inSpan(
    "read",
    { "evenkeel.run": context.claim.run },
    () => refresh(reader, selection, scope),
  );
  const named = await namesForPlan(reader, context, projects, differences);
  const { moves, ...storage } = await movesOf(reader, context);
  const changes = differences.flatMap((difference) => difference.changes);
  const loosening = context.request.failOnLoosening ? checkLoosening(changes) : [];
  const objections = [...checkGuards(differences, guardRules(context, projects)), ...storage.objections, ...loosening];
  const unchecked = documentOf(context, since, {
    differences,
    projects: named.projects,
    settingLine: settingLineFinder(context, projects),
    moves: moves.map(({ change }) => change),
    objections,
    problems: [
      ...idleProtection(context, projects),
      ...idleCanaries(context, projects),
      ...problems,
      ...uncompared,
      ...read.problems,
      ...storage.problems,
    ],
    reads: reader.counts.reads - lookUps - named.lookUps + delegatedReads,
  });
  const document = withRuleObjections(unchecked, context, projects);
  const missing = context.secrets.missing(neededBy(differences, context.loaded.workspace.catalogue));
  const { catalogue } = context.loaded.workspace;
  const found = { plan: document, catalogue, differences, ...(recorded && { desired: recorded.of(fleet) }) };
  return preparePlan(context, { ...found, moves, compared: true, missing }, fleet);
}

/** For runs that have no server to ask. */
async function keepListing({ state, heading }: Context, projects: readonly Project[] | undefined): Promise<void> {
  if (projects) await keepProjects(state.notes, { server: heading.url, at: new Date(), projects });
}

type Contents = Pick<
  PlanInput,
  "differences" | "projects" | "settingLine" | "moves" | "objections" | "problems" | "reads"
>;

/** A new plan as a document. */
function documentOf({ heading, problems, request }: Context, since: SinceScope | undefined, contents: Contents): Plan {
  const { targets = [], part } = request;
  const scope = {
    ...since,
    ...(targets.length > 0 && { targets: [...new Set(targets)].sort() }),
    ...(part !== undefined && { shards: [part] }),
  };
  return planOf({
    ...heading,
    ...(Object.keys(scope).length > 0 && { scope }),
    version,
    createdAt: new Date().toISOString(),
    ...contents,
    problems: [...problems, ...contents.problems],
  });
}

/** The scope of a run with `--since`; undefined for any other run. */
function sinceOf({ since }: Context, { fleet, of }: Pick<Selection, "fleet" | "of">): SinceScope | undefined {
  return since && { since: since.commit, projects: fleet.projects.length, ...(of !== undefined && { of }) };
}

type SinceScope = Pick<PlanScope, "since" | "projects" | "of">;

/** The plan where manifests turned out to be wrong once projects were known, so that nothing was read. */
function unreadPlan(
  context: Context,
  since: SinceScope | undefined,
  problems: readonly Problem[],
  reads: number,
): Planned {
  const plan = documentOf(context, since, { differences: [], objections: [], problems, reads });
  return {
    plan,
    catalogue: context.loaded.workspace.catalogue,
    differences: [],
    moves: [],
    compared: false,
    missing: [],
  };
}
