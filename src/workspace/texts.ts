import { isUtf8 } from "node:buffer";
import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve, sep } from "node:path";

/** A text file: its absolute path, and its name as the user would write it. */
export interface TextFile {
  readonly path: string;
  readonly name: string;
}

/** A file or folder that cannot be read; the message says why. */
export interface Unreadable {
  readonly unreadable: string;
}

/** Larger files are left out. */
const mostBytes = 4 * 1024 * 1024;

const left = new Set(["node_modules", ".git"]);

/**
 * Every file at or below a path, sorted by name: dot files too, without node_modules and .git, and without symbolic
 * links but for the path itself.
 */
export function filesBelow(cwd: string, given: string): readonly (TextFile | Unreadable)[] {
  const path = resolve(cwd, given);
  const name = given
    .split(sep)
    .join("/")
    .replace(/^(?:\.\/+)+(?=.)/, "")
    .replace(/(?<=.)\/+$/, "");
  try {
    return statSync(path).isDirectory() ? walk(path, name === "." ? "" : name) : [{ path, name }];
  } catch (error) {
    return [{ unreadable: `${given}: ${reasonOf(error)}` }];
  }
}

function walk(folder: string, name: string): readonly (TextFile | Unreadable)[] {
  return list(folder, name).flatMap((entry) => {
    if ("unreadable" in entry) return [entry];
    if (left.has(entry.name)) return [];
    const below = { path: join(folder, entry.name), name: name === "" ? entry.name : join(name, entry.name) };
    if (entry.isDirectory()) return walk(below.path, below.name);
    return entry.isFile() ? [{ ...below, name: below.name.split(sep).join("/") }] : [];
  });
}

function list(folder: string, name: string): readonly (Dirent | Unreadable)[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    return [{ unreadable: `${name || "."}: ${reasonOf(error)}` }];
  }
}

/** The text of a file; undefined where it is too large, or not text in UTF-8. */
export function textIn({ path, name }: TextFile): string | Unreadable | undefined {
  try {
    if (statSync(path).size > mostBytes) return undefined;
    const bytes = readFileSync(path);
    return bytes.includes(0) || !isUtf8(bytes) ? undefined : bytes.toString("utf8");
  } catch (error) {
    return { unreadable: `${name}: ${reasonOf(error)}` };
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  EACCES: "cannot be read: permission denied",
  EPERM: "cannot be read: permission denied",
};

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
  return reasons[code] ?? `cannot be read (${code})`;
}
