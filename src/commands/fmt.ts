import { dirname, join, relative, resolve } from "node:path";
import { exitCode } from "../base/exit.ts";
import { format } from "../format/format.ts";
import { workspaceFile } from "../manifest/workspace.ts";
import { problemLine } from "../model/problem-line.ts";
import { findWorkspace, loadWorkspace } from "../workspace/load.ts";
import { filesBelow, type TextFile, textIn } from "../workspace/texts.ts";
import { save } from "./emit.ts";
import type { Options } from "./flags.ts";
import { folderOf } from "./run.ts";
import type { Terminal } from "./terminal.ts";
import type { Run } from "./verb.ts";

/** How one file fared; the mistakes are lines for a person. */
type Fared = "kept" | "changed" | { readonly mistakes: readonly string[] };

/** `evenkeel fmt`: names the files that it changes; with `--check`, those that it would change, and changes none. */
export const run: Run<Options<"fmt">> = (terminal, options, paths) => {
  const files = paths.length > 0 ? manifestsBelow(terminal, paths) : manifestsAround(folderOf(terminal, options));
  const fared = files.map((file): readonly [name: string, Fared] => {
    const name = nameOf(terminal, file);
    return [name, "unreadable" in file ? { mistakes: [file.unreadable] } : formatFile(terminal, file, options)];
  });
  const changed = fared.flatMap(([name, how]) => (how === "changed" ? [name] : []));
  const mistakes = fared.flatMap(([, how]) => (typeof how === "object" ? how.mistakes : []));
  terminal.warn(mistakes.join("\n"));
  terminal.print(changed.join("\n"));
  return exitCode({ problem: mistakes.length > 0 || (options.check === true && changed.length > 0) });
};

type Found = TextFile | { readonly unreadable: string };

function nameOf({ cwd }: Terminal, file: Found): string {
  return "path" in file ? relative(cwd, file.path) : "";
}

/** A path that names a file is taken as it is; below folders, what is called a manifest. */
function manifestsBelow({ cwd }: Terminal, paths: readonly string[]): readonly Found[] {
  const found = paths.flatMap((path) =>
    filesBelow(cwd, path).filter(
      (file) => "unreadable" in file || file.path === resolve(cwd, path) || /\.ya?ml$/i.test(file.path),
    ),
  );
  return [...new Map(found.map((file) => ["path" in file ? file.path : file.unreadable, file])).values()];
}

/** The workspace itself and its manifests, also those that cannot be parsed. */
function manifestsAround(folder: string): readonly Found[] {
  const root = dirname(findWorkspace(folder));
  const { documents, problems } = loadWorkspace(root);
  const broken = problems.filter(({ rule }) => rule === "yaml").flatMap(({ place }) => place?.file ?? []);
  const named = [...documents.map(({ file }) => file), ...broken];
  return [...new Set([workspaceFile, ...named])].map((name) => ({ name, path: join(root, name) }));
}

function formatFile(terminal: Terminal, file: TextFile, { check }: Options<"fmt">): Fared {
  const read = textIn(file);
  const name = nameOf(terminal, file);
  if (typeof read !== "string")
    return { mistakes: [read?.unreadable ?? `${name}: expected text in UTF-8, of 4 MiB at most`] };
  const mark = read.startsWith("\uFEFF") ? "\uFEFF" : "";
  const text = read.slice(mark.length);
  const formatted = format(name, text);
  if ("problems" in formatted) return { mistakes: formatted.problems.map(problemLine) };
  if (formatted.text === text) return "kept";
  if (!check) save(terminal, file.path, mark + formatted.text);
  return "changed";
}
