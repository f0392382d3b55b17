import type { Project } from "../model/types.ts";

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
