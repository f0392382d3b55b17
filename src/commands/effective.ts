import { Refusal } from "../base/exit.ts";
import { didYouMean } from "../base/nearest.ts";
import { connectReader } from "../client/client.ts";
import { readProjects } from "../live/read-live.ts";
import { desiredOf, needsLookup } from "../manifest/layers.ts";
import { hasErrors } from "../manifest/validate.ts";
import { bySeverity } from "../model/problem-line.ts";
import type { DesiredProject, Project } from "../model/types.ts";
import { type Context, connectionOf, validated } from "../reconcile/context.ts";
import type { Request } from "../reconcile/request.ts";
import { loadWorkspace } from "../workspace/load.ts";
import { tellProblems } from "./tell.ts";
import type { Terminal } from "./terminal.ts";

/**
 * What manifests want of the project that a person named by ID or by full path; undefined where they have mistakes,
 * which are told.
 * @throws Refusal where nothing speaks of it; CallFailed where it has to be looked up and cannot be.
 */
export async function effective(
  terminal: Terminal,
  request: Request,
  name: string,
): Promise<DesiredProject | undefined> {
  const context = validated(loadWorkspace(request.folder), request);
  const project = hasErrors(context.problems) ? namedProject(name) : await identify(name, context);
  const { desired, problems } = desiredOf(context.policies, project, context.loaded.workspace.server);
  const all = [...context.problems, ...problems];
  tellProblems(terminal, bySeverity(all));
  if (hasErrors(all)) return undefined;
  if (desired.kinds.size === 0) throw new Refusal(`no policy speaks of ${name}${suggestion(name, context)}`);
  return desired;
}

function namedProject(name: string): Project {
  return /^\d+$/.test(name) ? { name, id: Number(name) } : { name, path: name };
}

/** Looks the project up only where policies could know it by something that was not given. */
async function identify(name: string, context: Context): Promise<Project> {
  const project = namedProject(name);
  if (!needsLookup(context.policies) || !isPartlyKnown(project, context)) return project;
  await using reader = await connectReader(connectionOf(context));
  const listing = await readProjects(reader);
  const found = listing.find(({ id, path }) => id === project.id || path?.toLowerCase() === name.toLowerCase());
  if (found) return found;
  const known = listing.map((each) => each.name);
  throw new Refusal(`the server lists no project ${name}${didYouMean(name, known)}`);
}

/** Whether policies could match the project by what was not given of it: the path of an ID, or the ID of a path. */
function isPartlyKnown(project: Project, { policies, loaded }: Context): boolean {
  const given = project.id === undefined ? "path" : "id";
  const forms = policies.flatMap(({ projects, except }) => [...projects, ...except].map(({ form }) => form));
  const others = given === "id" ? forms.some((form) => form !== "id") : forms.includes("id");
  return others || hasErrors(desiredOf(policies, project, loaded.workspace.server).problems);
}

function suggestion(name: string, { policies }: Context): string {
  const named = policies.flatMap(({ projects }) =>
    projects.flatMap(({ form, written }) => (form === "path" ? [written] : [])),
  );
  return didYouMean(name, named);
}
