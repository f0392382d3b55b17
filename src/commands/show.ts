import { connectReader } from "../client/client.ts";
import { exitCode, Refusal } from "../exit.ts";
import { readProjects } from "../live.ts";
import { desiredOf, needsLookup } from "../manifest/layers.ts";
import { hasErrors } from "../manifest/validate.ts";
import type { Project } from "../model.ts";
import { nearest } from "../nearest.ts";
import { clientOptions, type Opened, open } from "../open.ts";
import { reportedProblem } from "../plan.ts";
import { showJson, showText } from "../report/show.ts";
import type { Request } from "../request.ts";
import { closing } from "../told.ts";
import { reporter } from "./emit.ts";
import { type OnlineOptions, requestOf } from "./run.ts";
import { tellProblems } from "./tell.ts";
import type { Run } from "./verbs.ts";

/** `evenkeel show PROJECT`: offline, unless only the server can tell which IDs and paths are one project. */
export const run: Run<OnlineOptions> = async (terminal, options, [name = ""]) => {
  const report = reporter(terminal, options.report);
  const request = requestOf(terminal, options);
  const opened = open(request);
  const project = hasErrors(opened.problems) ? namedProject(name) : await identify(name, opened, request);
  const { desired, problems: found } = desiredOf(opened.policies, project, opened.loaded.workspace.server);
  const all = [...opened.problems, ...found];
  const [problems, warnings] = ["error", "warning"].map((severity) =>
    all.filter((problem) => problem.severity === severity).map(reportedProblem),
  );
  tellProblems(terminal, { problems: problems ?? [], warnings: warnings ?? [] });
  if (hasErrors(all)) return exitCode({ problem: true });
  if (desired.kinds.size === 0) throw new Refusal(`no policy speaks of ${name}${suggestion(name, opened)}`);
  report({ text: () => showText(desired).trimEnd(), json: () => showJson(desired) });
  return exitCode({});
};

function namedProject(name: string): Project {
  return /^\d+$/.test(name) ? { name, id: Number(name) } : { name, path: name };
}

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
