import { Refusal } from "../base/exit.ts";
import { nearest } from "../base/nearest.ts";
import { connectReader } from "../client/client.ts";
import { readProjects } from "../live/read-live.ts";
import { desiredOf, needsLookup } from "../manifest/layers.ts";
import { hasErrors } from "../manifest/validate.ts";
import { bySeverity } from "../model/problem-line.ts";
import type { DesiredProject, Project } from "../model/types.ts";
import { clientOptions, type Opened, open } from "../reconcile/context.ts";
import type { Request } from "../reconcile/request.ts";
import { closing } from "../reconcile/told.ts";
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
  const opened = open(request);
  const project = hasErrors(opened.problems) ? namedProject(name) : await identify(name, opened, request);
  const { desired, problems } = desiredOf(opened.policies, project, opened.loaded.workspace.server);
  const all = [...opened.problems, ...problems];
  tellProblems(terminal, bySeverity(all));
  if (hasErrors(all)) return undefined;
  if (desired.kinds.size === 0) throw new Refusal(`no policy speaks of ${name}${suggestion(name, opened)}`);
  return desired;
}

function namedProject(name: string): Project {
  return /^\d+$/.test(name) ? { name, id: Number(name) } : { name, path: name };
}

/** Looks the project up only where policies could know it by something that was not given. */
async function identify(name: string, opened: Opened, request: Request): Promise<Project> {
  const project = namedProject(name);
  if (!needsLookup(opened.policies) || !isPartlyKnown(project, opened)) return project;
  const reader = await connectReader(clientOptions(opened, request));
  const listing = await closing(reader, () => readProjects(reader));
  const found = listing.find(({ id, path }) => id === project.id || path?.toLowerCase() === name.toLowerCase());
  if (found) return found;
  const meant = nearest(
    name,
    listing.map((each) => each.name),
  );
  throw new Refusal(`the server lists no project ${name}${meant ? `; did you mean ${meant}?` : ""}`);
}

/** Whether policies could match the project by what was not given of it: the path of an ID, or the ID of a path. */
function isPartlyKnown(project: Project, { policies, loaded }: Opened): boolean {
  const given = project.id === undefined ? "path" : "id";
  const forms = policies.flatMap(({ projects, except }) => [...projects, ...except].map(({ form }) => form));
  const others = given === "id" ? forms.some((form) => form !== "id") : forms.includes("id");
  return others || hasErrors(desiredOf(policies, project, loaded.workspace.server).problems);
}

function suggestion(name: string, { policies }: Opened): string {
  const named = policies.flatMap(({ projects }) =>
    projects.flatMap(({ form, written }) => (form === "path" ? [written] : [])),
  );
  const meant = nearest(name, named);
  return meant ? `; did you mean ${meant}?` : "";
}
