import { inParallel } from "../base/concurrency.ts";
import { onError } from "../base/exit.ts";
import { grouped } from "../base/grouped.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import { version } from "../base/version.ts";
import type { Reader } from "../client/client.ts";
import { CallFailed } from "../client/failure.ts";
import { linesOfFields } from "../manifest/deciding-lines.ts";
import { hasErrors } from "../manifest/validate.ts";
import { call } from "../model/call.ts";
import { ownerCalls } from "../model/endpoints.ts";
import { projectNamed } from "../model/identity.ts";
import { ownerOfName } from "../model/owner.ts";
import { isRemoval } from "../model/removal-changes.ts";
import type { Change, DesiredProject, Place, Project, SecretReference } from "../model/types.ts";
import { inlineText, isReference, referencesIn } from "../model/values.ts";
import { checkGuards, checkLoosening } from "../plan/guards.ts";
import { type PlanInput, planOf } from "../plan/make-plan.ts";
import { type ChangedBy, type Plan, type PlannedChange, planDigest } from "../plan/plan.ts";
import { keepProjects } from "../state/notes.ts";
import { neededBy, secretsToCompare } from "./connection.ts";
import type { Checked, Context } from "./context.ts";
import { refresh } from "./live/refresh.ts";
import type { RefreshScope } from "./live/refresh-scope.ts";
import { type Selection, select } from "./live/select-projects.ts";
import { type ConnectedRun, inRun } from "./open-run.ts";
import { type PreparedPlan, preparePlan, withApprovalObjections } from "./prepared-plan.ts";
import type { Planned, Request } from "./request.ts";
import { withRuleObjections } from "./rules-in-force.ts";
import { guardRules, idleSettings, namesForPlan, scopeOf } from "./scope.ts";
import { movesOf } from "./storage-moves.ts";
import { refreshedBy } from "./workers/dispatcher.ts";

/**
 * Opens, validates, selects, reads, compares, checks and plans. Sends GET requests only: its client cannot write.
 * Errors that users can correct are reported in `plan.problems`.
 */
export function plan(request: Request): Promise<Planned> {
  return inRun("plan", request, async (run) => {
    const { reader, context } = run;
    const { planned } = await withApprovalObjections(await newPlan(reader, context, run), context);
    return run.end(await withAuthors(reader, context, planned));
  });
}

/** Selects, reads, compares, checks and plans. @throws CallFailed if it ends the run. */
export async function newPlan(
  reader: Reader,
  context: Context,
  { dispatcher, remember }: Pick<ConnectedRun, "dispatcher"> & Pick<RefreshScope, "remember">,
): Promise<PreparedPlan> {
  const { request, loaded, secrets } = context;
  const { catalogue } = loaded.workspace;
  const declared = new Map<string, SecretReference>();
  const selected = ({ resources }: DesiredProject) => {
    for (const { fields } of resources) for (const each of referencesIn(fields)) declared.set(each.secret, each);
  };
  const scope = refreshedBy(dispatcher, reader, { ...scopeOf(context), selected, ...(remember && { remember }) });
  const selection = await select(reader, scope);
  const { fleet, problems, listing } = selection;
  const { projects } = fleet;
  // For offline commands, if the run is recorded.
  if (listing && request.command) {
    const withRows = context.policies.some(({ where }) => where);
    await keepProjects(context.state, { server: context.heading.url, at: new Date(), projects: listing }, withRows);
  }
  if (hasErrors(problems)) {
    const contents = { differences: [], objections: [], problems, reads: reader.counts.reads };
    const plan = createPlan(context, selection, contents);
    return preparePlan(context, { plan, catalogue, differences: [], compared: false, missing: [] }, fleet);
  }
  const uncompared = await secretsToCompare(context, [...declared.values()]);
  context.meter.begin("reading", projects.length, performance.now());
  const read = await refresh(reader, selection, scope);
  const { differences } = read;
  const named = await namesForPlan(reader, context, projects, differences);
  const storage = await movesOf(reader, context);
  const plan = createPlan(context, selection, {
    differences,
    projects: named.projects,
    archived: selection.archived.length + read.archived,
    settingLine: settingLineFinder(context, projects),
    moves: storage.moves.map(({ change }) => change),
    objections: [
      ...checkGuards(differences, guardRules(context, projects)),
      ...storage.objections,
      ...(request.failOnLoosening ? checkLoosening(differences.flatMap(({ changes }) => changes)) : []),
    ],
    problems: [...idleSettings(context, projects), ...problems, ...uncompared, ...read.problems, ...storage.problems],
    reads: reader.counts.reads - read.lookUps - named.lookUps + read.delegatedReads,
  });
  const planned: Planned = {
    plan: withRuleObjections(plan, context, projects),
    catalogue,
    differences,
    compared: true,
    missing: secrets.missing(neededBy(differences, catalogue)),
    // Only a recorded run needs it.
    ...(request.command && { desired: fleet }),
  };
  return preparePlan(context, planned, fleet);
}

function createPlan(
  { heading, problems, request, since }: Context,
  { fleet, of }: Selection,
  contents: Omit<PlanInput, keyof Context["heading"] | "scope" | "version" | "createdAt">,
): Plan {
  const { targets = [], excludes = [], part } = request;
  const scope = {
    ...(since && { since: since.commit, projects: fleet.projects.length, ...(of !== undefined && { of }) }),
    ...(targets.length > 0 && { targets: [...new Set(targets)].sort() }),
    ...(excludes.length > 0 && { excludes: [...new Set(excludes)].sort() }),
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

/**
 * Finds the line that sets the value of a change, if that is not the line of its resource. A change whose values all come from variables is located at the line of a variable; a singleton whose changed fields
 * are all set in policies of outer groups, at the line of a field. With `--since`, variables in changed manifests take
 * precedence, because reviewers read those.
 */
function settingLineFinder(
  { policies, since, loaded: { workspace } }: Pick<Checked, "policies" | "since" | "loaded">,
  projects: readonly Project[],
): (change: Change) => Place | undefined {
  // Both sides share the documents of equal files.
  const unchanged = since && new Set(since.before.policies.map(({ document }) => document));
  const byName = new Map(projects.map((project) => [project.name, project]));
  const mayBeElsewhere = policies.some(
    ({ vars, entries }) => vars.length > 0 || entries.some(({ written }) => written?.inherits),
  );
  return (change) => {
    if (isRemoval(change) || (!mayBeElsewhere && change.key !== "")) return undefined;
    const fields = Object.keys(change.after ?? {});
    const project = byName.get(change.project) ?? projectNamed(change.project);
    const lines = linesOfFields(workspace.catalogue, policies, project, { ...change, fields });
    const variables = lines.flatMap((line) => line.variables);
    const changed = unchanged && variables.find(({ document }) => !unchanged.has(document));
    if (changed) return changed.place();
    if (lines.every((line) => line.variables.length > 0)) return variables[0]?.place();
    return lines.every(({ elsewhere }) => elsewhere) ? lines[0]?.elsewhere?.place() : undefined;
  };
}

/**
 * Adds to each change that is drift who made it, if requested, and as far as the server's audit events name it. Reads one
 * page of events for each project with drift; plans do not count them.
 */
async function withAuthors(
  reader: Reader,
  { request, loaded, concurrency }: Context,
  result: Planned,
): Promise<Planned> {
  if (!request.authors || !result.compared || loaded.workspace.server.tier === "free") return result;
  const drifted = result.plan.resource_changes.filter(({ cause }) => cause !== "pending");
  const found = new Map<string, ChangedBy>();
  let refused: CallFailed | undefined;
  await inParallel([...grouped(drifted, ({ project }) => project)], concurrency, async ([project, changes]) => {
    if (refused) return;
    const events = await readEvents(reader, project);
    if (events instanceof CallFailed) refused = events;
    else
      for (const change of changes) {
        const { author_name: author, created_at: at } = events.find((each) => isOf(change, each)) ?? {};
        if (typeof author === "string" && author !== "" && typeof at === "string")
          found.set(change.address, { author, at });
      }
  });
  if (refused && request.command !== "watch") request.warn?.(explainRefused(refused));
  if (found.size === 0) return result;
  const changes = result.plan.resource_changes.map((change) => {
    const changed_by = found.get(change.address);
    return changed_by ? { ...change, changed_by } : change;
  });
  const plan = { ...result.plan, resource_changes: changes };
  return { ...result, plan: { ...plan, digest: planDigest(plan) } };
}

async function readEvents(reader: Reader, project: string): Promise<readonly JsonObject[] | CallFailed> {
  const endpoint = ownerCalls[ownerOfName(project)]?.auditEvents;
  if (!endpoint) return [];
  const eventsCall = call(endpoint, { id: project }, { per_page: "100" });
  const answer = await reader.get(eventsCall).catch(onError(CallFailed, (error) => error));
  if (answer instanceof CallFailed) return answer;
  return Array.isArray(answer.body) ? answer.body.filter(isObject) : [];
}

function explainRefused({ status, message }: CallFailed): string {
  const isUnavailable = status === 403 || status === 404;
  const why = isUnavailable
    ? "the server lists no audit events for this token; it needs the premium tier, and the role Maintainer or Owner"
    : message;
  return `who changed the drifted settings is not known: ${why}; --no-authors does not ask`;
}

/**
 * True if an event is certainly the one that made a change: it names the resource, or for settings of a project the field;
 * and if it states the new value, that is the live one.
 */
function isOf({ key, change: { before, after } }: PlannedChange, event: JsonObject): boolean {
  const details = isObject(event.details) ? event.details : {};
  const { change, to, target_details, custom_message = "" } = details;
  const words = String(custom_message);
  const fields = Object.keys({ ...before, ...after });
  const field = fields.find((name) => isSameName(name, change) || hasWord(words, name));
  const isNamed = key === "" ? field !== undefined : isSameName(key, target_details) || hasWord(words, key);
  if (!isNamed || field === undefined || to === undefined || to === null) return isNamed;
  const live = before?.[field];
  return live === undefined || isReference(live) || inlineText(live) === String(to);
}

function isSameName(name: string, text: unknown): boolean {
  return typeof text === "string" && plainName(text) === plainName(name);
}

function hasWord(text: string, name: string): boolean {
  return ` ${plainName(text)} `.includes(` ${plainName(name)} `);
}

/** `merge_method`, `Merge method` and `merge method` are the same name. */
function plainName(text: string): string {
  return text
    .toLowerCase()
    .replace(/[_\s,;:"'`]+/g, " ")
    .trim();
}
