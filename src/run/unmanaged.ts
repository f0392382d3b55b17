import { hasErrors } from "../manifest/validate.ts";
import { addressParts } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { projectTest } from "../model/identity.ts";
import { inventoriedKinds } from "../model/kinds.ts";
import { type Owner, ownerOfName, owners } from "../model/owner.ts";
import { bySeverity } from "../model/problem-line.ts";
import type { DesiredProject, Problem, Project } from "../model/types.ts";
import { countOwners } from "../plan/heading.ts";
import type { Plan, Summary } from "../plan/plan.ts";
import { refresh } from "./live/refresh.ts";
import { select } from "./live/select-projects.ts";
import { type ConnectedRun, inRun } from "./open-run.ts";
import type { Request } from "./request.ts";
import { scopeOf } from "./scope.ts";

/** Live resources that no policy declares, in the projects and groups that policies select. */
export interface Unmanaged
  extends Pick<Summary, "projects" | "groups" | "instance">,
    Pick<Plan, "problems" | "warnings"> {
  readonly resources: readonly {
    readonly address: string;
    readonly project: string;
    /** The rest of the address, such as `webhook/https://hooks.example.com`. */
    readonly resource: string;
  }[];
  readonly unread: readonly UnreadSection[];
}

/** A section that no policy of some projects or groups has, so that it is not read there. */
interface UnreadSection {
  readonly section: string;
  readonly of: Owner;
  /** Number of resources listed. */
  readonly projects: number;
  readonly total: number;
}

/** Compares like a plan; sends GET requests only, and records nothing. */
export async function unmanagedResources(request: Request): Promise<Unmanaged> {
  const result = await inRun("plan", request, listUnmanaged);
  return "plan" in result ? createEmpty(result.plan) : result;
}

async function listUnmanaged({ reader, context }: ConnectedRun): Promise<Unmanaged> {
  const { targets, excludes } = context.request;
  const desired: DesiredProject[] = [];
  // Undeclared resources are wanted, so `--target` need not match a declared one.
  const own = scopeOf(context);
  const excluded: Project[] = [];
  const includes = (project: Project) => own.includes(project) || excluded.push(project) === 0;
  const selected = (each: DesiredProject) => void desired.push(each);
  const compareOptions = (project: Project) => ({ ...own.diff(project), listUnmanaged: true });
  const scope = { ...own, globs: [], includes, selected, diff: compareOptions };
  const selection = await select(reader, scope);
  const read = desired.map(({ project }) => project);
  const reported = [
    ...context.problems,
    ...selection.problems,
    ...idleGlobs("--target", targets, read),
    ...idleGlobs("--exclude", excludes, [...read, ...excluded]),
  ];
  if (hasErrors(reported)) return createEmpty(bySeverity(reported));
  const { differences, problems } = await refresh(reader, selection, scope);
  const addresses = differences.flatMap(({ project, unmanagedAddresses = [] }) => {
    const { target = () => true } = scope.diff({ name: project });
    return unmanagedAddresses.filter(target);
  });
  return {
    ...countOwners(differences.map(({ project }) => project)),
    resources: addresses.map((address) => {
      const [project, resource] = addressParts(address);
      return { address, project, resource };
    }),
    unread: unreadSections(reader.catalogue, desired),
    ...bySeverity([...reported, ...problems]),
  };
}

function idleGlobs(option: string, globs: readonly string[] = [], projects: readonly Project[]): readonly Problem[] {
  const idle = globs.filter((glob) => !projects.some(projectTest(glob)));
  return idle.map((glob) => ({
    severity: "error",
    rule: "no-match",
    path: option,
    message: `no project that policies select matches ${glob}`,
  }));
}

function createEmpty({ problems, warnings }: Pick<Unmanaged, "problems" | "warnings">): Unmanaged {
  return { projects: 0, resources: [], unread: [], problems, warnings };
}

function unreadSections(catalogue: Catalogue, desired: readonly DesiredProject[]): readonly UnreadSection[] {
  return owners.flatMap((of) => {
    const all = desired.filter(({ project }) => ownerOfName(project.name) === of);
    return inventoriedKinds(catalogue, of).flatMap(({ kind, section }) => {
      const projects = all.filter(({ kinds }) => !kinds.has(kind)).length;
      return projects > 0 ? [{ section, of, projects, total: all.length }] : [];
    });
  });
}
