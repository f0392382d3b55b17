import { grouped } from "../../base/grouped.ts";
import { compareTexts } from "../../base/text-format.ts";
import type { Project } from "../../model/types.ts";
import type { ImportedEntry } from "./policy.ts";

/** An entry of one project, with facts of the project as interpolations; equal forms can be shared. */
export interface Occurrence {
  readonly project: Project;
  readonly form: string;
  readonly entry: ImportedEntry;
  /** The entry without interpolations. */
  readonly original: ImportedEntry;
  readonly lines: number;
}

export interface FolderStats {
  /** The folders above each project, the outermost first. */
  readonly above: (project: Project) => readonly Folder[];
  /** The number of imported projects below a folder. */
  readonly imported: (folder: Folder) => number;
}

/**
 * Places the declarations of one resource of many projects, from the outermost folder on: a form is declared for a
 * folder if it is that of two projects and of half of those below it, and no deeper folder has all of these. The others
 * are the projects' own.
 */
export function choosePlacement(occurrences: readonly Occurrence[], { above, imported }: FolderStats) {
  const below = grouped(
    occurrences.flatMap((occurrence) => above(occurrence.project).map((folder) => ({ folder, occurrence }))),
    ({ folder }) => folder,
  );
  const placed = new Map<Folder, string>();
  const nearest = (folders: readonly Folder[]) => folders.findLast((folder) => placed.has(folder));
  for (const [folder, all] of [...below].toSorted(([a], [b]) => a.depth - b.depth)) {
    const forms = grouped(all, ({ occurrence }) => occurrence.form);
    const [[form, equal] = ["", []]] = [...forms].toSorted(
      ([a, some], [b, others]) => others.length - some.length || compareTexts(a, b),
    );
    const [first] = equal;
    const around = first && nearest(above(first.occurrence.project).slice(0, folder.depth));
    const isInherited = around !== undefined && placed.get(around) === form;
    const children = new Set(equal.map(({ occurrence }) => above(occurrence.project)[folder.depth + 1]));
    const isWidest = children.size > 1 || children.has(undefined);
    if (equal.length >= Math.max(2, imported(folder) / 2) && isWidest && !isInherited) placed.set(folder, form);
  }
  const isShared = ({ project, form }: Occurrence) => placed.get(nearest(above(project)) as Folder) === form;
  const shared = grouped(occurrences.filter(isShared), ({ project }) => nearest(above(project)) as Folder);
  return {
    shared: Array.from(shared, ([folder, equal]) => ({ folder, occurrences: equal })),
    own: occurrences.filter((occurrence) => !isShared(occurrence)),
  };
}

export interface Selected {
  /** Globs of whole folders. */
  readonly globs: readonly string[];
  readonly listed: readonly Project[];
  /** Projects that are excluded from the globs. */
  readonly except: readonly Project[];
}

export function countNamed({ listed, except }: Selected): number {
  return listed.length + except.length;
}

export function isSelectedBy(
  project: Project,
  { globs, listed, except }: Selected,
  above: FolderStats["above"],
): boolean {
  if (except.includes(project)) return false;
  return listed.includes(project) || above(project).some((folder) => globs.includes(globBelow(folder) ?? ""));
}

/**
 * The shortest selection of members below a folder: its glob with exceptions, or the selections of what is in it.
 * `isUnaffected`: true for projects that no declaration of the resource may select.
 */
export function selectMembers(
  folder: Folder,
  members: readonly Project[],
  isUnaffected: (project: Project) => boolean,
  above: FolderStats["above"],
): Selected {
  const glob = globBelow(folder);
  const except = folder.projects.filter(isUnaffected);
  const whole = glob === undefined ? undefined : { globs: [glob], listed: [], except };
  if (whole && except.length === 0) return whole;
  const childOf = (project: Project) => above(project)[folder.depth + 1];
  const listed = members.filter((project) => !childOf(project));
  const parts = Array.from(grouped(members, childOf), ([child, inside]) =>
    selectMembers(child, inside, isUnaffected, above),
  );
  const apart: Selected = {
    globs: parts.flatMap(({ globs }) => globs),
    listed: [...listed, ...parts.flatMap((part) => part.listed)],
    except: parts.flatMap((part) => part.except),
  };
  return whole && 1 + except.length <= apart.globs.length + countNamed(apart) ? whole : apart;
}

/** A folder with all projects of the server below it. */
export interface Folder {
  /** As first written; `""` for the root. */
  readonly path: string;
  readonly depth: number;
  readonly projects: Project[];
}

/** The folders above each project, the outermost first. Paths are compared without case. */
export function foldersOf(listing: readonly Project[]): ReadonlyMap<Project, readonly Folder[]> {
  const known = new Map<string, Folder>();
  const chains = listing.map((project) => {
    const segments = project.name.split("/").slice(0, -1);
    // `""`, `a` and `a/b` for `a/b/c`.
    const paths = ["", ...segments.map((_, index) => segments.slice(0, index + 1).join("/"))];
    const chain = paths.map((path, depth) => {
      const key = path.toLowerCase();
      const folder = known.get(key) ?? { path, depth, projects: [] };
      known.set(key, folder);
      folder.projects.push(project);
      return folder;
    });
    return [project, chain] as const;
  });
  return new Map(chains);
}

/** The glob for everything below a folder; undefined if its path contains wildcards. */
function globBelow({ path }: Folder): string | undefined {
  if (path === "") return "**";
  return /[*?[\]{}\\]/.test(path) ? undefined : `${path}/**`;
}
