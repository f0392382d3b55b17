import { exit, exitCode, UserError } from "../base/exit.ts";
import { didYouMean } from "../base/nearest.ts";
import { printable } from "../base/printable.ts";
import { type ClientOptions, connectReader } from "../client/client.ts";
import { CallFailed } from "../client/failure.ts";
import { type Backoff, defaultBackoff } from "../client/retry.ts";
import { desiredOf } from "../manifest/layers.ts";
import { namedProjects, needsLookup } from "../manifest/projects.ts";
import { matchingLayers } from "../manifest/selection.ts";
import { hasErrors } from "../manifest/validate.ts";
import { projectFinder, projectNamed } from "../model/identity.ts";
import { bareName, describeOwner, ownerOfName } from "../model/owner.ts";
import { bySeverity } from "../model/problem-line.ts";
import { idFault } from "../model/project-id.ts";
import type { DesiredProject, Project } from "../model/types.ts";
import { showJson, showText } from "../report/show.ts";
import { connectionOf } from "../run/connection.ts";
import { type Checked, validated } from "../run/context.ts";
import { readOwners } from "../run/live/find-projects.ts";
import type { Request } from "../run/request.ts";
import { loadWorkspace } from "../workspace/load.ts";
import type { Run } from "./command.ts";
import { openReports, printProblems } from "./outputs.ts";
import { requestOf } from "./run-request.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** `evenkeel show PROJECT`: offline, unless the ID or path of the project has to be looked up, or only globs match it. */
export const run: Run<Options<"show">> = async (terminal, options, [name = ""]) => {
  const report = openReports(terminal, options.report);
  const found = await effectiveProject(terminal, requestOf(terminal, options), name);
  if (!found) return exitCode({ problem: true });
  const { desired, context } = found;
  const { catalogue } = context.loaded.workspace;
  report({ text: () => showText(desired, catalogue).trimEnd(), json: () => showJson(desired) });
  return exitCode({});
};

/** The desired state of a project, and its workspace. */
export interface EffectiveProject {
  readonly context: Checked;
  readonly desired: DesiredProject;
}

/** {@link effectiveProject} without the workspace. */
export async function effectiveState(
  terminal: Terminal,
  request: Request,
  name: string,
): Promise<DesiredProject | undefined> {
  return (await effectiveProject(terminal, request, name))?.desired;
}

/**
 * The desired state of a project named by ID or full path; undefined if the manifests have mistakes, which are printed.
 * `check` is asked first, and may throw. @throws UserError if no policy selects it; CallFailed if it cannot be looked up on
 * the server.
 */
export async function effectiveProject(
  terminal: Terminal,
  request: Request,
  name: string,
  check: (context: Checked) => void = () => {},
): Promise<EffectiveProject | undefined> {
  const context = validated(loadWorkspace(request.folder, request.env), request);
  check(context);
  const project = hasErrors(context.problems) ? namedProject(name) : await identify(terminal, name, context);
  const { policies, expired } = context;
  const { desired, problems } = desiredOf(policies, project, expired);
  const all = [...context.problems, ...problems];
  printProblems(terminal, bySeverity(all));
  if (hasErrors(all)) return undefined;
  if (desired.kinds.size === 0) throw new UserError(whyUnselected(name, project, context));
  return { context, desired };
}

function whyUnselected(name: string, project: Project, context: Checked): string {
  const [last] = matchingLayers(context.expired, project);
  if (!last) return `no policy selects ${name}${suggestion(name, context)}`;
  return `no policy selects ${name} any more: the last day of ${last.policy.name} was ${last.policy.until}`;
}

function namedProject(name: string): Project {
  const fault = idFault(bareName(name));
  if (fault) throw new UserError(`expected ${fault}, got ${name}`, exit.usage);
  return projectNamed(name);
}

/** Looks the project up if policies could select it by its other name, or if only a glob matches it. */
async function identify(terminal: Terminal, name: string, context: Checked): Promise<Project> {
  const project = namedProject(name);
  if (needsLookup(context.policies) && isPartlyKnown(project, context)) return lookUp(name, context);
  return isMeantByGlobs(project, context) ? confirmed(terminal, project, context) : project;
}

/** Globs also match projects that do not exist, so the project is looked up; prints a note if the server is unavailable. */
async function confirmed(terminal: Terminal, project: Project, context: Checked): Promise<Project> {
  try {
    return await lookUp(project.name, context, { backoff: once });
  } catch (error) {
    if (error instanceof NotListed || !(error instanceof UserError || error instanceof CallFailed)) throw error;
    const unchecked = `only globs match ${project.name}, and the server could not be asked whether it exists`;
    terminal.note(printable(`warning: ${unchecked}: ${error.message}`));
    return project;
  }
}

const once: Backoff = { ...defaultBackoff, attempts: 1 };

class NotListed extends UserError {}

async function lookUp(name: string, context: Checked, options: Partial<ClientOptions> = {}): Promise<Project> {
  const project = namedProject(name);
  await using reader = await connectReader({ ...connectionOf(context), ...options });
  const listing = await readOwners(reader, ownerOfName(name));
  const found = projectFinder(listing)(project.name);
  if (found) return found;
  const known = listing.map((each) => each.name);
  throw new NotListed(
    `the server lists no ${describeOwner(name)}${existingOwner(name, known, context) || didYouMean(name, known)}`,
  );
}

function isMeantByGlobs(project: Project, { policies }: Checked): boolean {
  const names = new Set(namedProjects(policies).map(({ name }) => name.toLowerCase()));
  if (names.has(project.name.toLowerCase())) return false;
  return desiredOf(policies, project).desired.kinds.size > 0;
}

/** Whether policies could select the project by its other name: the path of an ID, or the ID of a path. */
function isPartlyKnown(project: Project, { policies }: Checked): boolean {
  const given = project.id === undefined ? "path" : "id";
  const forms = policies.flatMap(({ projects, except }) => [...projects, ...except].map(({ form }) => form));
  const others = given === "id" ? forms.some((form) => form !== "id") : forms.includes("id");
  return others || hasErrors(desiredOf(policies, project).problems);
}

function suggestion(name: string, { policies }: Checked): string {
  const named = policies.flatMap(({ projects }) =>
    projects.flatMap(({ form, written }) => (form === "path" ? [written] : [])),
  );
  return otherOwner(name, { policies }) || didYouMean(name, named);
}

/** The same as {@link otherOwner}, but a group only if one of the listed projects is in it: globs match any path. */
function existingOwner(name: string, known: readonly string[], context: Checked): string {
  const folder = `${name}/`.toLowerCase();
  const isGroup = known.some((each) => each.toLowerCase().startsWith(folder));
  return ownerOfName(name) === "group" || isGroup ? otherOwner(name, context) : "";
}

/** The group of the path of a project, or the project of that of a group, if policies select it. */
function otherOwner(name: string, { policies }: Pick<Checked, "policies">): string {
  const other = ownerOfName(name) === "group" ? bareName(name) : `${name}/`;
  const { kinds } = desiredOf(policies, projectNamed(other)).desired;
  return kinds.size > 0 ? `; did you mean the ${ownerOfName(other)} ${other}?` : "";
}
