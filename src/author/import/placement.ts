import type { Project } from "../../model/types.ts";

/** A resource of one project; equal forms can be shared. */
export interface Occurrence<T> {
  readonly project: Project;
  readonly form: string;
  readonly content: T;
  /** Its number of lines in a policy. */
  readonly lines: number;
}

/** Occurrences declared for a folder, and for each project. */
export interface Placement<T> {
  readonly shared: ReadonlyMap<Folder, readonly Occurrence<T>[]>;
  readonly own: readonly Occurrence<T>[];
}

/** The folders of a project, and the number of imported projects by folder. */
export interface FolderStats {
  readonly above: (project: Project) => readonly Folder[];
  readonly imported: (folder: Folder) => number;
}

/** Lines of a new document apart from its entries, divided among the entries. */
const around = 2;
/** Lines of an exception, or of a project in a list. */
const exception = 2;

/**
 * Places the declarations of one resource of many projects so that they take the fewest lines. A form is declared for a folder
 * only if it is that of two projects and of half of those below it. Takes time linear in the occurrences and the folders above them.
 */
export function choosePlacement<T>(occurrences: readonly Occurrence<T>[], stats: FolderStats): Placement<T> {
  const root = createBranch(occurrences, stats);
  if (!root) return { shared: new Map(), own: [] };
  const choose = chooser(stats);
  const shared = new Map<Folder, Occurrence<T>[]>();
  const own: Occurrence<T>[] = [];
  const walk = (branch: Branch<T>, inherited: string | undefined, inheritedFolder: Folder | undefined) => {
    const { isPlaced } = choose(branch, inherited);
    const form = isPlaced ? branch.common.form : inherited;
    const at = isPlaced ? branch.folder : inheritedFolder;
    if (isPlaced) shared.set(branch.folder, []);
    for (const occurrence of branch.direct) {
      if (occurrence.form !== form || !at) own.push(occurrence);
      else shared.get(at)?.push(occurrence);
    }
    for (const child of branch.children.values()) walk(child, form, at);
  };
  walk(root, undefined, undefined);
  return { shared, own };
}

interface Branch<T> {
  readonly folder: Folder;
  readonly children: Map<Folder, Branch<T>>;
  readonly direct: Occurrence<T>[];
  readonly counts: Map<string, number>;
  readonly common: { form: string; count: number; lines: number };
  declaring: number;
}

function createBranch<T>(occurrences: readonly Occurrence<T>[], stats: FolderStats): Branch<T> | undefined {
  let root: Branch<T> | undefined;
  for (const occurrence of occurrences) {
    let above: Branch<T> | undefined;
    for (const folder of stats.above(occurrence.project)) {
      const branch: Branch<T> = (above ? above.children.get(folder) : root) ?? newBranch(folder);
      if (above) above.children.set(folder, branch);
      else root = branch;
      count(branch, occurrence);
      above = branch;
    }
    above?.direct.push(occurrence);
  }
  return root;
}

function newBranch<T>(folder: Folder): Branch<T> {
  const common = { form: "", count: 0, lines: 0 };
  return { folder, children: new Map(), direct: [], counts: new Map(), common, declaring: 0 };
}

function count<T>(branch: Branch<T>, { form, lines }: Occurrence<T>): void {
  const times = (branch.counts.get(form) ?? 0) + 1;
  branch.counts.set(form, times);
  branch.declaring++;
  const { common } = branch;
  if (times > common.count || (times === common.count && form < common.form)) {
    Object.assign(common, { form, count: times, lines });
  }
}

interface Choice {
  readonly lines: number;
  readonly isPlaced: boolean;
}

/** Caches the choice for each branch and inherited form. */
function chooser(stats: FolderStats) {
  const known = new Map<unknown, Map<string | undefined, Choice>>();
  const choose = <T>(branch: Branch<T>, inherited: string | undefined): Choice => {
    const choices = known.get(branch) ?? new Map<string | undefined, Choice>();
    known.set(branch, choices);
    const choice = choices.get(inherited) ?? chosen(branch, inherited);
    choices.set(inherited, choice);
    return choice;
  };
  const linesWith = <T>({ direct, children }: Branch<T>, form: string | undefined): number => {
    const own = direct.reduce((sum, occurrence) => sum + (occurrence.form === form ? 0 : occurrence.lines + around), 0);
    return [...children.values()].reduce((sum, child) => sum + choose(child, form).lines, own);
  };
  const chosen = <T>(branch: Branch<T>, inherited: string | undefined): Choice => {
    const lines = linesWith(branch, inherited);
    const { folder, common, declaring } = branch;
    const isCommon = common.count >= Math.max(2, stats.imported(folder) / 2);
    if (!isCommon || common.form === inherited) return { lines: lines, isPlaced: false };
    const unaffected = Math.min(folder.projects.length - declaring, common.count);
    const placed = common.lines + around + exception * unaffected + linesWith(branch, common.form);
    return placed < lines ? { lines: placed, isPlaced: true } : { lines: lines, isPlaced: false };
  };
  return choose;
}

/** A folder with all projects of the server below it. */
export interface Folder {
  /** As first written; `""` for the root. */
  readonly path: string;
  readonly depth: number;
  readonly projects: Project[];
}

/** The folders above each project, the outermost first. */
export type Folders = ReadonlyMap<Project, readonly Folder[]>;

/** Paths are compared without case. */
export function foldersOf(listing: readonly Project[]): Folders {
  const known = new Map<string, Folder>();
  const chains = new Map<Project, readonly Folder[]>();
  for (const project of listing) {
    const chain = pathsAbove(project.name).map((path, depth) => {
      const key = path.toLowerCase();
      const folder = known.get(key) ?? { path, depth, projects: [] };
      known.set(key, folder);
      folder.projects.push(project);
      return folder;
    });
    chains.set(project, chain);
  }
  return chains;
}

/** `""`, `a` and `a/b` for `a/b/c`. */
function pathsAbove(name: string): readonly string[] {
  const segments = name.split("/").slice(0, -1);
  return ["", ...segments.map((_, index) => segments.slice(0, index + 1).join("/"))];
}

/** The glob for everything below a folder; undefined if its path contains wildcards. */
export function globBelow({ path }: Folder): string | undefined {
  if (path === "") return "**";
  return /[*?[\]{}\\]/.test(path) ? undefined : `${path}/**`;
}
