import { type Dirent, existsSync, readdirSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";

/** What stands in a folder. */
export type Entry = Pick<Dirent, "name" | "isDirectory" | "isFile" | "isSymbolicLink">;

/** The files that a workspace is read from: those on disk, or those of a revision. Paths are absolute. */
export interface FileTree {
  /** The path with its links followed. @throws what the system says. */
  readonly real: (path: string) => string;
  /** @throws what the system says. */
  readonly list: (folder: string) => readonly Entry[];
  /** Of what a link leads to. @throws what the system says. */
  readonly stat: (path: string) => Pick<Stats, "isFile" | "isDirectory" | "size">;
  /** @throws what the system says. */
  readonly read: (path: string) => Buffer;
  readonly has: (path: string) => boolean;
}

/** The files as they are. */
export const disk: FileTree = {
  real: (path) => realpathSync.native(path),
  list: (folder) => readdirSync(folder, { withFileTypes: true }),
  stat: (path) => statSync(path),
  read: (path) => readFileSync(path),
  has: existsSync,
};
