import { exit, UserError } from "../base/exit.ts";
import { groupedAs } from "../base/grouped.ts";
import { didYouMean } from "../base/nearest.ts";
import { printable } from "../base/printable.ts";
import { type ClientOptions, connectReader } from "../client/client.ts";
import { CallFailed } from "../client/failure.ts";
import { type Backoff, defaultBackoff } from "../client/retry.ts";
import { blameLines } from "../git/blame.ts";
import { type DecidingLine, decidingLines, exclusiveLine } from "../manifest/deciding-lines.ts";
import { desiredOf } from "../manifest/layers.ts";
import { namedProjects, needsLookup } from "../manifest/projects.ts";
import { conditionalPolicies, isSelected, matchingLayers } from "../manifest/selection.ts";
import { hasErrors } from "../manifest/validate.ts";
import { type AddressParts, addressOf, partsOfAddress } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { projectFinder, projectNamed } from "../model/identity.ts";
import { identityOf } from "../model/kinds.ts";
import { bareName, describeOwner, idFault, kindWord, ownerOfName } from "../model/owner.ts";
import { bySeverity } from "../model/problem-line.ts";
import { isSingleton, keyTextOf, keyValuesOf } from "../model/resource-kind.ts";
import type { DesiredProject, Project } from "../model/types.ts";
import { type BlamedLine, type Blaming, blameJson, blameText, showJson, showText } from "../report/show.ts";
import { connectionOf } from "../run/connection.ts";
import { type Checked, validateWorkspace } from "../run/context.ts";
import { readOwners } from "../run/live/owner-list.ts";
import type { Request } from "../run/request.ts";
import { lastOutcomes } from "../state/journal.ts";
import { openState } from "../state/open-state.ts";
import { loadWorkspace } from "../workspace/load.ts";
import type { Options } from "./command.ts";
import { printProblems, showing } from "./outputs.ts";
import { requestOf } from "./run-request.ts";
import type { Terminal } from "./terminal.ts";

/** `evenkeel show PROJECT`: offline, unless the ID or path of the project has to be looked up, or only globs match it. */
export const run = showing<Options<"show">>(async (terminal, options, [name = ""]) => {
  const effective = await effectiveProject(terminal, requestOf(terminal, options), name);
  if (!effective) return exit.problem;
  const { desired, context } = effective;
  const { catalogue } = context.loaded.workspace;
  return { text: () => showText(desired, catalogue).trimEnd(), json: () => showJson(desired) };
});

/**
 * The desired state of a project named by ID or full path; undefined if the manifests have errors, which are printed.
 * `check` runs first, and may throw. @throws UserError if no policy selects it; CallFailed if it cannot be looked up.
 */
export async function effectiveProject(
  terminal: Terminal,
  request: Request,
  name: string,
  check: (context: Checked) => void = () => {},
): Promise<{ readonly context: Checked; readonly desired: DesiredProject } | undefined> {
  const context = validateWorkspace(loadWorkspace(request.folder, request.env), request);
  check(context);
  const project = hasErrors(context.problems) ? namedProject(name) : await identify(terminal, name, context);
  const { policies, expired } = context;
  const { desired, problems } = desiredOf(policies, project, expired);
  const all = [...context.problems, ...problems];
  printProblems(terminal, bySeverity(all));
  if (hasErrors(all)) return undefined;
  if (desired.kinds.size === 0) throw new UserError(explainUnselected(name, project, context));
  return { context, desired };
}

function explainUnselected(name: string, project: Project, context: Checked): string {
  if (isSelected(context.policies, project)) return `no policy declares anything for ${name}`;
  if (isSelected(context.policies, { ...project, archived: false }))
    return `no policy selects ${name}: it is archived, and policies leave archived projects alone without archived: include`;
  const [last] = matchingLayers(context.expired, project);
  if (last) return `no policy selects ${name} any more: the last day of ${last.policy.name} was ${last.policy.until}`;
  const selectors = context.policies.flatMap(({ projects }) => projects);
  const paths = selectors.flatMap(({ form, written }) => (form === "path" ? [written] : []));
  return `no policy selects ${name}${otherOwner(name, context) || didYouMean(name, paths)}`;
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
  if (!isMeantByGlobs(project, context)) return project;
  // Globs also match projects that do not exist.
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
  const listed = projectFinder(listing)(project.name);
  if (listed) return listed;
  const names = listing.map((each) => each.name);
  throw new NotListed(
    `the server lists no ${describeOwner(name)}${existingOwner(name, names, context) || didYouMean(name, names)}`,
  );
}

function isMeantByGlobs(project: Project, { policies }: Checked): boolean {
  const names = new Set(namedProjects(policies).map(({ name }) => name.toLowerCase()));
  return !names.has(project.name.toLowerCase()) && desiredOf(policies, project).desired.kinds.size > 0;
}

/** True if policies could select the project by its other name: the path of an ID, or the ID of a path. */
function isPartlyKnown(project: Project, { policies }: Checked): boolean {
  const forms = policies.flatMap(({ projects, except }) => [...projects, ...except].map(({ form }) => form));
  const others = project.id === undefined ? forms.includes("id") : forms.some((form) => form !== "id");
  if (!project.row && conditionalPolicies(policies, project).length > 0) return true;
  return others || hasErrors(desiredOf(policies, project).problems);
}

/** Like {@link otherOwner}, but a group only if one of the listed projects is in it: globs match any path. */
function existingOwner(name: string, known: readonly string[], context: Checked): string {
  const folder = `${name}/`.toLowerCase();
  const isGroup = known.some((each) => each.toLowerCase().startsWith(folder));
  return ownerOfName(name) === "group" || isGroup ? otherOwner(name, context) : "";
}

function otherOwner(name: string, { policies }: Checked): string {
  const other = ownerOfName(name) === "group" ? bareName(name) : `${name}/`;
  const { kinds } = desiredOf(policies, projectNamed(other)).desired;
  return kinds.size > 0 ? `; did you mean the ${ownerOfName(other)} ${other}?` : "";
}

export const blame = showing<Options<"blame">>(async (terminal, options, [address = ""]) => {
  const written = partsOfAddress(address);
  if (!written) throw notAnAddress(address);
  const check = ({ loaded: { workspace } }: Checked) => {
    const kind = workspace.catalogue.kinds.get(written.kind);
    if (!kind || (written.key === "") !== isSingleton(kind.file)) throw notAnAddress(address);
  };
  const effective = await effectiveProject(terminal, requestOf(terminal, options), written.project, check);
  if (!effective) return exit.problem;
  const { context, desired } = effective;
  const parts = withKeyText(context.loaded.workspace.catalogue, written);
  const blaming = await collectBlaming(context, desired, parts);
  if (blaming.git !== null) terminal.warn(`error: blame names no commits: ${blaming.git}`);
  const code = blaming.git === null ? exit.done : exit.usage;
  return { text: (palette) => blameText(blaming, palette), json: () => blameJson(blaming), code };
});

function notAnAddress(text: string): UserError {
  return new UserError(`${text}: expected an address such as payments/api:license/MIT`, exit.usage);
}

/** Normalizes a key, which may contain parts that policies omit because they are the default. */
function withKeyText({ kinds }: Catalogue, { kind, key, ...rest }: AddressParts): AddressParts {
  const file = kinds.get(kind)?.file;
  return { ...rest, kind, key: file ? keyTextOf(file, keyValuesOf(file, key)) : key };
}

interface ShownLine extends DecidingLine {
  readonly what: string;
  readonly role: BlamedLine["role"];
}

async function collectBlaming(context: Checked, desired: DesiredProject, parts: AddressParts): Promise<Blaming> {
  const { project } = desired;
  const shown = shownLines(context, desired, parts);
  const { root, workspace } = context.loaded;
  await using state = await openState({ root, name: workspace.name, env: context.request.env });
  const { lines, git } = blameLinesOf(root, shown);
  const key =
    desired.resources.find((each) => each.identity === identityOf(workspace.catalogue, parts))?.key ?? parts.key;
  const { name, id, path = name } = project;
  const names = [...new Set([name, path, String(id ?? name)])].map((each) => addressOf(each, parts.kind, key));
  return {
    address: addressOf(project.name, parts.kind, key),
    project: project.name,
    kind: kindWord(parts.kind),
    key,
    lines,
    git,
    outcomes: await lastOutcomes(state, names),
  };
}

function shownLines({ policies, loaded }: Checked, desired: DesiredProject, parts: AddressParts): readonly ShownLine[] {
  const { catalogue } = loaded.workspace;
  if (!catalogue.kinds.has(parts.kind)) throw unknownAddress(desired, parts);
  const deciding = decidingLines(catalogue, policies, desired.project, parts);
  const exclusive = exclusiveLine(policies, desired.project, parts.kind);
  if (!deciding && exclusive)
    return [{ ...exclusive, what: "exclusive: off, since no policy lists it", role: "entry" }];
  if (!deciding) throw unknownAddress(desired, parts);
  const { entry, parameters, variables, beaten } = deciding;
  const off = entry.line.desired.presence === "absent" ? `${entry.line.path[0]}: ` : "";
  return [
    { ...entry, what: `${off}${entry.line.desired.key || kindWord(parts.kind)}`, role: "entry" },
    ...parameters.map((each): ShownLine => ({ ...each, what: each.name, role: "parameter" })),
    ...variables.map((each): ShownLine => ({ ...each, what: `vars.${each.line.name}`, role: "variable" })),
    ...beaten.map((each): ShownLine => ({ ...each, what: "overridden", role: "overridden" })),
  ];
}

function unknownAddress({ project, resources }: DesiredProject, { kind, key }: AddressParts): UserError {
  const wanted = addressOf(project.name, kind, key);
  const addresses = resources.map((each) => addressOf(project.name, each.kind, each.key));
  return new UserError(`no policy declares or disables ${wanted}${didYouMean(wanted, addresses)}`);
}

/** Runs `git blame` once for each file. */
function blameLinesOf(root: string, shown: readonly ShownLine[]): Pick<Blaming, "lines" | "git"> {
  const places = shown.map(({ line }) => line.place());
  const byFile = groupedAs(places, ({ file, line }) => [file, line]);
  const files = new Map([...byFile].map(([file, lines]) => [file, blameLines(root, file, lines)]));
  const whys = [...files.values()].flatMap((blame) => ("why" in blame ? [blame.why] : []));
  const lines = shown.map(({ what, role, line, selector }, index): BlamedLine => {
    const place = places[index] ?? line.place();
    const blame = files.get(place.file);
    const commit = blame && !("why" in blame) ? blame.get(place.line) : undefined;
    return { what, role, place, policy: line.policy, selector, commit };
  });
  return { lines, git: whys[0] ?? null };
}
