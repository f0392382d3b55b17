import { grouped } from "../base/grouped.ts";
import type { Project } from "../model/types.ts";
import { type Folder, globBelow } from "./folders.ts";
import type { Occurrence, Placement } from "./placement.ts";

/** What is said once for several projects. */
interface SharedOccurrence<Said> {
  readonly first: Occurrence<Said>;
  readonly sayings: readonly Occurrence<Said>[];
}

/** What one policy can say: all of it for exactly the same projects. */
export interface Group<Said> {
  /** The same for the same projects. */
  readonly key: string;
  readonly folder: Folder;
  readonly glob: string | undefined;
  /** Projects that are listed, or left out of what the glob matches. */
  readonly named: readonly Project[];
  readonly shared: SharedOccurrence<Said>[];
}

/**
 * Placements as policies. Each is a glob without those below it of which this must not be said, or else a list of those
 * that say it, if that is shorter; what is said nearer wins over a glob, and a list is exact.
 */
export function sharedGroups<Said>(
  placements: readonly Grouping<Said>[],
  isForeign: (project: Project) => boolean,
): readonly Group<Said>[] {
  const groups = new Map<string, Group<Said>>();
  for (const { placement, isStranger } of placements) {
    for (const [folder, sayings] of placement.shared) {
      const [first] = sayings;
      if (!first) continue;
      const { glob, named } = selected(folder, sayings, { isStranger, isForeign });
      const key = JSON.stringify([glob, named.map(({ name }) => name)]);
      const group = groups.get(key) ?? { key, folder, glob, named, shared: [] };
      group.shared.push({ first, sayings });
      groups.set(key, group);
    }
  }
  return [...groups.values()];
}

/** What is said of one thing, and to which projects it must not be said. */
export interface Grouping<Said> {
  readonly placement: Placement<Said>;
  readonly isStranger: (project: Project) => boolean;
}

/** A glob that has to leave out several projects that nobody asked for is not what was asked for. */
const foreignWeight = 4;

function selected<Said>(
  folder: Folder,
  sayings: readonly Occurrence<Said>[],
  { isStranger, isForeign }: Record<"isStranger" | "isForeign", (project: Project) => boolean>,
): Pick<Group<Said>, "glob" | "named"> {
  const glob = globBelow(folder);
  const unaffected = folder.projects.filter(isStranger);
  const weight = unaffected.reduce((sum, project) => sum + (isForeign(project) ? foreignWeight : 1), 0);
  if (glob !== undefined && weight < sayings.length) return { glob, named: unaffected };
  return { glob: undefined, named: sayings.map(({ project }) => project) };
}

/** The longest list of projects that somebody would keep by hand where a folder does not say it. */
const longestList = 20;

/** What a few projects say in the same way, wherever they are. */
export function listsOf<Said>(
  sayings: readonly Occurrence<Said>[],
  thingOf: (saying: Occurrence<Said>) => string,
  folderOf: (projects: readonly Project[]) => Folder,
): readonly Group<Said>[] {
  const groups = new Map<string, Group<Said>>();
  for (const alike of grouped(sayings, (saying) => JSON.stringify([thingOf(saying), saying.form])).values()) {
    const [first] = alike;
    if (!first || alike.length < 2 || alike.length > longestList) continue;
    const named = alike.map(({ project }) => project);
    const key = JSON.stringify([undefined, named.map(({ name }) => name)]);
    const group = groups.get(key) ?? { key, folder: folderOf(named), glob: undefined, named, shared: [] };
    group.shared.push({ first, sayings: alike });
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Lines of a policy around what it says. */
const frame = 6;

/**
 * Groups that save lines, and what their projects rather say themselves. Only exceptions and lists are weighed:
 * a policy for a whole folder is also for projects to come. A policy of a project's own counts as far as nothing else needs it.
 */
export function worthwhile<Said>(
  groups: readonly Group<Said>[],
  alone: readonly Occurrence<Said>[],
): { readonly groups: readonly Group<Said>[]; readonly own: readonly Occurrence<Said>[] } {
  const weighed = groups.filter(({ named }) => named.length > 0);
  const grouping = new Set(weighed.flatMap(sayingsOf));
  const speakers = new Set(alone.filter((saying) => !grouping.has(saying)).map(({ project }) => project));
  const counts = new Map<Project, number>();
  for (const { project } of grouping) counts.set(project, (counts.get(project) ?? 0) + 1);
  const own = new Set(alone);
  const refused = new Set(
    weighed.filter((group) => {
      const sayings = sayingsOf(group);
      const frames = sayings.map(({ project }) => (speakers.has(project) ? 0 : frame / (counts.get(project) ?? 1)));
      const apart = sayings.reduce((sum, { lines }, index) => sum + lines + (frames[index] ?? 0), 0);
      const together = group.shared.reduce((sum, { first }) => sum + first.lines, frame + group.named.length);
      const isRefused = together >= apart;
      for (const saying of sayings) {
        if (isRefused) own.add(saying);
        else own.delete(saying);
        if (isRefused) speakers.add(saying.project);
      }
      return isRefused;
    }),
  );
  return { groups: groups.filter((group) => !refused.has(group)), own: [...own] };
}

function sayingsOf<Said>({ shared }: Group<Said>): readonly Occurrence<Said>[] {
  return shared.flatMap(({ sayings }) => sayings);
}
