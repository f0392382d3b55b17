import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../base/exit.ts";
import { describeSystemError } from "../../base/system-errors.ts";
import { isFolder, isThere, makeFolder, readRegular, replaceFile } from "../../workspace/durable-file.ts";
import { isRunName } from "../claim.ts";
import type { Texts } from "../state.ts";
import { stateFile } from "./file-name.ts";

/** Files of a folder with the same extension, by name. */
export interface Files extends Texts {
  readonly remove: (name: string) => void;
}

/** Texts as files in a folder below `.evenkeel`, written atomically. */
export function folderTexts(root: string, name: string, ending: string, ready: () => void): Files {
  const folder = join(root, ".evenkeel", name);
  const shown = (each: string) => join(".evenkeel", name, `${each}.${ending}`);
  const fileOf = (each: string) => join(folder, stateFile(each, ending));
  return {
    read: async (each) => {
      if (!isRunName(each) || !isThere(fileOf(each))) return undefined;
      return tried(`cannot read ${shown(each)}`, () => readRegular(fileOf(each)));
    },
    write: async (each, text) => {
      const file = fileOf(each);
      ready();
      tried(`cannot write ${shown(each)}`, () => {
        makeFolder(folder);
        replaceFile(file, text);
      });
    },
    list: async () => tried(`cannot read .evenkeel/${name}`, () => namesIn(folder, `.${ending}`)),
    marks: async (names) => new Map(names.filter(isRunName).flatMap((each) => markOf(each, fileOf(each)))),
    remove: (each) => tried(`cannot remove ${shown(each)}`, () => rmSync(fileOf(each), { force: true })),
  };
}

/** Files are replaced, never edited, so a new text has a new inode. */
function markOf(name: string, file: string): [string, string][] {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found ? [[name, [found.ino, found.size, found.mtimeNs].join(" ")]] : [];
}

function namesIn(folder: string, ending: string): string[] {
  if (!isFolder(folder)) return [];
  const files = readdirSync(folder).filter((name) => name.endsWith(ending));
  return files
    .map((name) => name.slice(0, -ending.length))
    .filter(isRunName)
    .sort();
}

function tried<Result>(sentence: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new UserError(`${sentence}: ${describeSystemError(error)}`);
  }
}
