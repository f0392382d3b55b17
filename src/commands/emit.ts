import { mkdirSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import writeFileAtomic from "write-file-atomic";
import { Refusal } from "../base/exit.ts";
import { systemTrouble } from "../base/system-errors.ts";
import { type Renderers, reportTargets } from "../report/reports.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Checks `--report` before anything else happens, and returns what writes the reports when the run is over: files
 * where paths were given, and on stdout either the text or what was asked for in its place.
 */
export function reporter(
  terminal: Terminal,
  asked: readonly string[] = [],
  kinds: readonly string[] = ["json", "text"],
) {
  const targets = reportTargets(asked, kinds);
  return (renderers: Renderers): void => {
    const failures = targets.flatMap(({ kind, path }) => {
      return path
        ? failureOf(() => save(terminal, path, `${renderers[kind]?.(() => textAt(terminal, path)) ?? ""}\n`))
        : [];
    });
    const inPlace = targets.filter(({ path }) => !path).map(({ kind }) => kind);
    for (const kind of inPlace.length > 0 ? inPlace : ["text"])
      terminal.print(renderers[kind]?.(() => undefined) ?? "");
    if (failures.length > 0) throw failures[0];
  };
}

/** One report that cannot be written keeps no other from being written. */
function failureOf(write: () => void): readonly unknown[] {
  try {
    write();
    return [];
  } catch (error) {
    return [error];
  }
}

function textAt({ cwd }: Terminal, path: string): string | undefined {
  try {
    return readFileSync(resolve(cwd, path), "utf8");
  } catch {
    return undefined;
  }
}

/** Writes a file whole or not at all. Throws {@link Refusal} where it cannot be written. */
export function save(terminal: Terminal, path: string, text: string): void {
  const file = resolve(terminal.cwd, path);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileAtomic.sync(file, text);
  } catch (error) {
    throw new Refusal(`cannot write ${path}: ${systemTrouble(error)}`);
  }
}
