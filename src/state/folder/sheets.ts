import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { Refusal } from "../../base/exit.ts";
import { systemTrouble } from "../../base/system-errors.ts";
import { isFolder, isThere, makeFolder, replaceFile } from "../../workspace/durable-file.ts";
import type { Sheets } from "../state.ts";

const home = ".evenkeel/sightings";
const ending = ".json.gz";

/**
 * Sheets as compressed files below `.evenkeel`. Of two processes that change one in the same moment, one may win; the
 * next look makes it good.
 */
export function folderSheets(root: string, ready: () => void): Sheets {
  const folder = join(root, home);
  const read = async (names: readonly string[]) => new Map(names.flatMap((name) => sheetIn(folder, name)));
  return {
    read,
    change: async (names, edit) => {
      const edited = edit(await read(names));
      if (edited.size === 0) return;
      ready();
      for (const [name, text] of edited) store(folder, name, text);
    },
    list: async () => namesIn(folder),
  };
}

function sheetIn(folder: string, name: string): (readonly [string, string])[] {
  const file = join(folder, `${name}${ending}`);
  try {
    return isThere(file) ? [[name, unzipped(readFileSync(file))]] : [];
  } catch (error) {
    throw new Refusal(`cannot read ${home}/${name}${ending}: ${systemTrouble(error)}`);
  }
}

/** What was broken off is as good as nothing: the next look writes it anew. */
function unzipped(bytes: Buffer): string {
  try {
    return gunzipSync(bytes).toString();
  } catch {
    return "";
  }
}

function store(folder: string, name: string, text: string): void {
  try {
    makeFolder(folder);
    replaceFile(join(folder, `${name}${ending}`), gzipSync(text, { level: 3 }));
  } catch (error) {
    throw new Refusal(`cannot write ${home}/${name}${ending}: ${systemTrouble(error)}`);
  }
}

function namesIn(folder: string): string[] {
  if (!isFolder(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .sort();
}
