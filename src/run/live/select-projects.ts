import { didYouMean, nearest } from "../../base/nearest.ts";
import type { Reader } from "../../client/client.ts";
import { type DesiredFleet, desiredFleet } from "../../manifest/desired-fleet.ts";
import { noLongerSelected } from "../../manifest/expiry.ts";
import { desiredOf } from "../../manifest/layers.ts";
import { sortedProblems } from "../../manifest/problem.ts";
import { addressOf } from "../../model/address.ts";
import { addressTest, projectTest, unresolvedReferences } from "../../model/identity.ts";
import { describeOwner } from "../../model/owner.ts";
import type { DesiredProject, Problem, Project } from "../../model/types.ts";
import { type FoundProjects, findProjects } from "./find-projects.ts";
import type { RefreshScope } from "./refresh-scope.ts";

/** The projects of a run with their desired state, before any is read, and its problems. */
export interface Selection extends Pick<FoundProjects, "listing" | "of"> {
  /** All selected projects with their known names, before `--target`, `--exclude` and `--shard`. */
  readonly projects: FoundProjects["projects"];
  readonly fleet: DesiredFleet;
  /** Projects that policies skip because they are archived. */
  readonly archived: readonly Project[];
  readonly problems: readonly Problem[];
}

/** Finds the projects of a run and their desired state. @throws CallFailed if a look-up fails. */
export async function select(reader: Reader, scope: RefreshScope): Promise<Selection> {
  const { policies, expired = [], since } = scope;
  const { listing, of, ...found } = await findProjects(reader, scope);
  const projects = found.projects.filter(scope.includes);
  const archived = (found.archived ?? []).filter(scope.includes);
  const merged = (project: Project) => desiredOf(policies, project, expired);
  const among = since ? " among the projects whose desired state differs" : "";
  const idle = idleGlobs(scope);
  const faults = projects.flatMap((project) => {
    const { desired, problems } = merged(project);
    idle.recordDesired(desired);
    scope.selected?.(desired);
    return problems;
  });
  for (const project of found.projects) if (!scope.includes(project)) idle.recordExcluded(project);
  const problems = [
    ...found.problems,
    ...faults,
    ...warnUnlisted(projects, scope),
    ...(since ? [] : noLongerSelected(policies, expired, listing, scope.includes)),
  ];
  return {
    projects: found.projects,
    fleet: desiredFleet(projects, (project) => merged(project).desired),
    archived,
    listing,
    of,
    problems: [...sortedProblems(problems), ...idle.problems(among, found.projects, archived)],
  };
}

function warnUnlisted(projects: readonly Project[], { referencedGlobs }: RefreshScope): Problem[] {
  return projects.flatMap((project) => {
    const [glob] = unresolvedReferences(referencedGlobs, [project]);
    if (glob === undefined) return [];
    const message = `the server does not list ${describeOwner(project.name)}, so it is unknown whether ${glob} matches it`;
    return [{ severity: "warning", rule: "unlisted-project", message, project: project.name }];
  });
}

/** Detects globs without a match. Otherwise a misspelt one would look like a fleet in sync. */
function idleGlobs({ globs, selecting }: Pick<RefreshScope, "globs" | "selecting">) {
  const tests = new Map(globs.map((glob) => [glob, addressTest(glob)]));
  const declared = new Map<string, string[]>();
  return {
    recordDesired: ({ project, resources, exclusive }: DesiredProject) => {
      for (const [glob, matches] of tests) {
        const isDeclared = resources.some(({ kind, key }) => matches(addressOf(project.name, kind, key), project));
        // With `exclusive`, any live resource may match.
        if (isDeclared || (exclusive.size > 0 && projectTest(glob)(project))) tests.delete(glob);
        else if (isPlainAddress(glob) && projectTest(glob)(project)) {
          declared.set(
            glob,
            resources.map(({ kind, key }) => addressOf(project.name, kind, key)),
          );
        }
      }
    },
    /** Removes the globs of a project that `--exclude` leaves out as a whole. */
    recordExcluded: (project: Project) => {
      for (const glob of tests.keys()) if (!glob.includes(":") && projectTest(glob)(project)) tests.delete(glob);
    },
    problems: (among: string, projects: readonly Project[], archived: readonly Project[]): Problem[] =>
      globs
        .filter((glob) => tests.has(glob))
        .map((glob) => {
          const option = selecting?.get(glob);
          const isArchived = archived.some(projectTest(glob));
          const hint = isArchived
            ? "; archived projects are skipped"
            : suggestTarget(glob, projects, declared.get(glob));
          return {
            severity: option === undefined ? "warning" : "error",
            rule: "no-match",
            ...(option !== undefined && { path: option }),
            message: `no declared resource matches ${glob}${among}${hint}`,
          };
        }),
  };
}

function isPlainAddress(glob: string): boolean {
  return !/[*?{}[\]]/.test(glob);
}

function suggestTarget(glob: string, projects: readonly Project[], declared: readonly string[] | undefined): string {
  if (!isPlainAddress(glob)) return "";
  if (declared) return didYouMean(glob, declared);
  const [name = "", ...rest] = glob.split(":");
  const names = projects.map((project) => project.name);
  const near = nearest(name, names);
  return near === undefined || near === name ? "" : `; did you mean ${[near, ...rest].join(":")}?`;
}
