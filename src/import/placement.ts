import type { Project } from "../model/types.ts";
import type { Folder } from "./folders.ts";

/** What one project says of one thing: equal forms could be said once for both. */
export interface Occurrence<Said> {
  readonly project: Project;
  readonly form: string;
  readonly said: Said;
  /** What it takes to write it down. */
  readonly lines: number;
}

/** Sayings that are said once for all below a folder, and those that each project has to say itself. */
export interface Placement<Said> {
  readonly shared: ReadonlyMap<Folder, readonly Occurrence<Said>[]>;
  readonly own: readonly Occurrence<Said>[];
  /** An estimate of all lines, to compare placements by. */
  readonly lines: number;
}

/** The folders of a project, how many below one must not be given what is said there, and how many are imported. */
export interface FolderStats {
  readonly above: (project: Project) => readonly Folder[];
  readonly unaffected: (folder: Folder, speakers: number) => number;
  readonly imported: (folder: Folder) => number;
}

/** What stands around a line that a document of its own is needed for, shared with others that are in it. */
const around = 2;
/** An exception, or a project in a list. */
const exception = 2;

/**
 * Where to say one thing of many projects in the fewest lines, if what is said nearer wins. A form goes to a folder
 * only where it is that of two projects and of half of those below it. Takes time by the number of sayings and folders above them.
 */
export function place<Said>(sayings: readonly Occurrence<Said>[], census: FolderStats): Placement<Said> {
  const root = branchOf(sayings, census);
  if (!root) return { shared: new Map(), own: [], lines: 0 };
  const choose = chooser(census);
  const shared = new Map<Folder, Occurrence<Said>[]>();
  const own: Occurrence<Said>[] = [];
  const walk = (branch: Branch<Said>, inherited: string | undefined, home: Folder | undefined) => {
    const { isPlaced } = choose(branch, inherited);
    const form = isPlaced ? branch.common.form : inherited;
    const at = isPlaced ? branch.folder : home;
    if (isPlaced) shared.set(branch.folder, []);
    for (const saying of branch.direct) {
      if (saying.form !== form || !at) own.push(saying);
      else shared.get(at)?.push(saying);
    }
    for (const child of branch.children.values()) walk(child, form, at);
  };
  walk(root, undefined, undefined);
  return { shared, own, lines: choose(root, undefined).lines };
}

/** A folder with what is said below it. */
interface Branch<Said> {
  readonly folder: Folder;
  readonly children: Map<Folder, Branch<Said>>;
  readonly direct: Occurrence<Said>[];
  readonly counts: Map<string, number>;
  readonly common: { form: string; count: number; lines: number };
  speakers: number;
}

function branchOf<Said>(sayings: readonly Occurrence<Said>[], census: FolderStats): Branch<Said> | undefined {
  let root: Branch<Said> | undefined;
  for (const saying of sayings) {
    let above: Branch<Said> | undefined;
    for (const folder of census.above(saying.project)) {
      const branch: Branch<Said> = (above ? above.children.get(folder) : root) ?? newBranch(folder);
      if (above) above.children.set(folder, branch);
      else root = branch;
      count(branch, saying);
      above = branch;
    }
    above?.direct.push(saying);
  }
  return root;
}

function newBranch<Said>(folder: Folder): Branch<Said> {
  const common = { form: "", count: 0, lines: 0 };
  return { folder, children: new Map(), direct: [], counts: new Map(), common, speakers: 0 };
}

function count<Said>(branch: Branch<Said>, { form, lines }: Occurrence<Said>): void {
  const times = (branch.counts.get(form) ?? 0) + 1;
  branch.counts.set(form, times);
  branch.speakers++;
  const { common } = branch;
  if (times > common.count || (times === common.count && form < common.form)) {
    Object.assign(common, { form, count: times, lines });
  }
}

interface Choice {
  readonly lines: number;
  readonly isPlaced: boolean;
}

/** Each branch is judged once for each form that may come from above. */
function chooser(census: FolderStats) {
  const known = new Map<unknown, Map<string | undefined, Choice>>();
  const choose = <Said>(branch: Branch<Said>, inherited: string | undefined): Choice => {
    const choices = known.get(branch) ?? new Map<string | undefined, Choice>();
    known.set(branch, choices);
    const choice = choices.get(inherited) ?? chosen(branch, inherited);
    choices.set(inherited, choice);
    return choice;
  };
  const linesWith = <Said>({ direct, children }: Branch<Said>, form: string | undefined): number => {
    const own = direct.reduce((sum, saying) => sum + (saying.form === form ? 0 : saying.lines + around), 0);
    return [...children.values()].reduce((sum, child) => sum + choose(child, form).lines, own);
  };
  const chosen = <Said>(branch: Branch<Said>, inherited: string | undefined): Choice => {
    const kept = linesWith(branch, inherited);
    const { folder, common, speakers } = branch;
    const isCommon = common.count >= Math.max(2, census.imported(folder) / 2);
    if (!isCommon || common.form === inherited) return { lines: kept, isPlaced: false };
    const unaffected = Math.min(census.unaffected(folder, speakers), common.count);
    const placed = common.lines + around + exception * unaffected + linesWith(branch, common.form);
    return placed < kept ? { lines: placed, isPlaced: true } : { lines: kept, isPlaced: false };
  };
  return choose;
}
