import {
  type Dirent,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";

/** An entry of a folder. */
export type Entry = Pick<Dirent, "name" | "isDirectory" | "isFile" | "isSymbolicLink">;

/** The files that a workspace is read from: on disk, or of a revision. Paths are absolute. */
export interface FileTree {
  /** Resolves the links in a path. @throws a system error. */
  readonly real: (path: string) => string;
  /** @throws what the system says. */
  readonly list: (folder: string) => readonly Entry[];
  /** Follows links. @throws a system error. */
  readonly stat: (path: string) => Pick<Stats, "isFile" | "isDirectory" | "size">;
  /** Follows no link at the end of the path. @throws a system error. */
  readonly lstat: (path: string) => Pick<Stats, "isFile" | "isSymbolicLink" | "size">;
  /** @throws what the system says. */
  readonly read: (path: string) => Buffer;
  readonly has: (path: string) => boolean;
}

/** The files on disk. */
export const disk: FileTree = {
  real: (path) => realpathSync.native(path),
  list: (folder) => readdirSync(folder, { withFileTypes: true }),
  stat: (path) => statSync(path),
  lstat: (path) => lstatSync(path),
  read: (path) => readFileSync(path),
  has: existsSync,
};
