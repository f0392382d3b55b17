import { isUtf8 } from "node:buffer";
import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import { resolve, sep } from "node:path";
import { describeSystemError } from "../base/system-errors.ts";
import { entriesBelow, type Located } from "./walk.ts";

/** A text file: its absolute path, and its name for the user. */
export interface TextFile {
  readonly path: string;
  readonly name: string;
}

/** A file or folder that cannot be read, with the reason in the message. */
export interface Unreadable {
  readonly unreadable: string;
}

/** Maximum size in bytes; larger files are skipped. */
const mostBytes = 4 * 1024 * 1024;

const left = new Set(["node_modules", ".git"]);

/**
 * All files at or below a path, sorted by name, including dot files. Skips node_modules, .git, and symbolic links except
 * the path itself.
 */
export function filesBelow(cwd: string, given: string): readonly (TextFile | Unreadable)[] {
  const path = resolve(cwd, given);
  const name = given
    .split(sep)
    .join("/")
    .replace(/^(?:\.\/+)+(?=.)/, "")
    .replace(/(?<=.)\/+$/, "");
  try {
    return statSync(path).isDirectory() ? filesIn({ path: name === "." ? "" : name, real: path }) : [{ path, name }];
  } catch (error) {
    return [{ unreadable: `${given}: ${describeSystemError(error)}` }];
  }
}

function filesIn(folder: Located): readonly (TextFile | Unreadable)[] {
  const unreadable: Unreadable[] = [];
  const list = ({ path, real }: Located): readonly Dirent[] => {
    try {
      return readdirSync(real, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      unreadable.push({ unreadable: `${path || "."}: ${describeSystemError(error)}` });
      return [];
    }
  };
  const found = entriesBelow(folder, { list, counts: (_, { name }) => !left.has(name) });
  const files = found.filter(({ entry }) => entry.isFile()).map(({ path: name, real: path }) => ({ path, name }));
  return [...files, ...unreadable];
}

/** The text of a file; undefined if it is too large, or not text in UTF-8. */
export function textIn({ path, name }: TextFile, most = mostBytes): string | Unreadable | undefined {
  try {
    if (statSync(path).size > most) return undefined;
    const bytes = readFileSync(path);
    return bytes.includes(0) || !isUtf8(bytes) ? undefined : bytes.toString("utf8");
  } catch (error) {
    return { unreadable: `${name}: ${describeSystemError(error)}` };
  }
}
