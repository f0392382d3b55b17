import { relative } from "node:path";
import { exitCode } from "../base/exit.ts";
import { counted, firstFew } from "../base/text-format.ts";
import { format } from "../format/format.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { labelledErrors, problemLine } from "../model/problem-line.ts";
import { catalogueAround } from "../workspace/load.ts";
import { type TextFile, textIn } from "../workspace/text-files.ts";
import type { Run } from "./command.ts";
import { manifestsAround, manifestsAt } from "./fmt-files.ts";
import { save } from "./outputs.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { folderOf } from "./workspace-options.ts";

/** The result for one file; `mistakes` are messages. */
type Fared = "kept" | "changed" | "skipped" | { readonly mistakes: readonly string[] };

/**
 * `evenkeel fmt`: formats manifests of the workspace and named files, and lists those that it changed or skipped; with
 * `--check`, lists those that it would change.
 */
export const run: Run<Options<"fmt">> = (terminal, options, paths) => {
  const home = folderOf(terminal, options);
  const chosen = paths.length > 0 ? paths.map((path) => manifestsAt(terminal, home, path)) : [manifestsAround(home)];
  const catalogue = catalogueAround(home);
  const fared = distinct(chosen.flatMap(({ files }) => files)).map((file): readonly [name: string, how: Fared] => {
    return [nameOf(terminal, file), formatFile(terminal, file, options, catalogue)];
  });
  const named = (wanted: Fared) => fared.flatMap(([name, how]) => (how === wanted ? [name] : []));
  const mistakes = [
    ...chosen.flatMap(({ mistakes }) => mistakes),
    ...fared.flatMap(([, how]) => (typeof how === "object" ? how.mistakes : [])),
  ];
  terminal.warn(labelledErrors(mistakes.join("\n")));
  terminal.note(skippedText([...named("skipped"), ...chosen.flatMap(({ skipped }) => skipped)]));
  terminal.print(named("changed").join("\n"));
  return exitCode({ problem: mistakes.length > 0 || (options.check === true && named("changed").length > 0) });
};

/** Formats each file once, even if several paths lead to it. */
function distinct(files: readonly TextFile[]): readonly TextFile[] {
  return [...new Map(files.map((file) => [file.path, file])).values()];
}

function nameOf({ cwd }: Terminal, { path }: TextFile): string {
  return relative(cwd, path);
}

const mostNamed = 5;

function skippedText(names: readonly string[]): string {
  if (names.length === 0) return "";
  return `note: skipped ${counted(names.length, "file")}, not manifests of this workspace: ${firstFew(names, mostNamed)}`;
}

function formatFile(terminal: Terminal, file: TextFile, { check }: Options<"fmt">, catalogue: Catalogue): Fared {
  const read = textIn(file);
  const name = nameOf(terminal, file);
  if (typeof read !== "string")
    return { mistakes: [read?.unreadable ?? `${name}: expected text in UTF-8, of 4 MiB at most`] };
  const mark = read.startsWith("\uFEFF") ? "\uFEFF" : "";
  const text = read.slice(mark.length);
  const formatted = format(name, text, catalogue);
  if ("foreign" in formatted) return "skipped";
  if ("problems" in formatted) return { mistakes: formatted.problems.map(problemLine) };
  if (formatted.text === text) return "kept";
  if (!check) save(terminal, file.path, mark + formatted.text);
  return "changed";
}
