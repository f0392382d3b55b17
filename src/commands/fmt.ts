import { realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { format } from "../author/format/format.ts";
import { exit, exitCode, UserError } from "../base/exit.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { counted, firstFew } from "../base/text-format.ts";
import { workspaceFile } from "../manifest/workspace.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { bySeverity, labelledErrors, problemLine, reportedLine } from "../model/problem-line.ts";
import { isFolder, noRegularFile } from "../workspace/durable-file.ts";
import { catalogueAround, findWorkspace, loadWorkspace, workspaceAbove } from "../workspace/load.ts";
import { filesBelow, type TextFile, textIn } from "../workspace/walk.ts";
import type { Options, Run } from "./command.ts";
import { save } from "./outputs.ts";
import type { Terminal } from "./terminal.ts";

type Fared = "kept" | "changed" | "skipped" | { readonly mistakes: readonly string[] };

export const run: Run<Options<"fmt">> = (terminal, options, paths) => {
  const home = terminal.folder;
  const chosen =
    paths.length > 0
      ? paths.map((path) => manifestsAt(terminal, home, path))
      : [{ ...listManifests(dirname(findWorkspace(home))), skipped: [] }];
  const catalogue = catalogueAround(home);
  const files = new Map(chosen.flatMap((each) => each.files.map((file) => [file.path, file])));
  const fared = Array.from(files.values(), (file): readonly [name: string, how: Fared] => {
    return [relative(terminal.cwd, file.path), formatFile(terminal, file, options, catalogue)];
  });
  const named = (wanted: Fared) => fared.flatMap(([name, how]) => (how === wanted ? [name] : []));
  const mistakes = [
    ...chosen.flatMap(({ mistakes }) => mistakes),
    ...fared.flatMap(([, how]) => (typeof how === "object" ? how.mistakes : [])),
  ];
  terminal.warn(labelledErrors(mistakes.join("\n")));
  terminal.note(skippedText(terminal, [...named("skipped"), ...chosen.flatMap(({ skipped }) => skipped)]));
  terminal.print(named("changed").join("\n"));
  const unformatted = options.check === true ? named("changed").length : 0;
  if (unformatted > 0) {
    const them = unformatted === 1 ? "it" : "them";
    terminal.note(`${counted(unformatted, "file is", "files are")} not formatted; evenkeel fmt formats ${them}`);
  }
  return exitCode({ problem: mistakes.length > 0 || unformatted > 0 });
};

function skippedText({ cwd }: Terminal, names: readonly string[]): string {
  const empty = names.filter((name) => hasNoDocument(cwd, name));
  const others = names.filter((name) => !empty.includes(name));
  const skipped = (files: readonly string[], why: string) =>
    files.length === 0 ? [] : `note: skipped ${counted(files.length, "file")}, ${why}: ${firstFew(files, 5)}`;
  return [skipped(empty, "without a document"), skipped(others, "not manifests of this workspace")].flat().join("\n");
}

/** True for a file with only comments, such as the example that `init` writes. */
function hasNoDocument(cwd: string, name: string): boolean {
  const text = textIn({ path: resolve(cwd, name), name });
  return typeof text === "string" && text.split("\n").every((line) => /^\s*(?:#|$)/.test(line));
}

function formatFile(terminal: Terminal, file: TextFile, { check }: Options<"fmt">, catalogue: Catalogue): Fared {
  const read = textIn(file);
  const name = relative(terminal.cwd, file.path);
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

interface FormatTargets {
  readonly files: readonly TextFile[];
  readonly mistakes: readonly string[];
  readonly skipped: readonly string[];
}

/** @throws UserError for a folder of no workspace, or of another one than that of `home`, where the command runs. */
function manifestsAt({ cwd }: Terminal, home: string, path: string): FormatTargets {
  const named = resolve(cwd, path);
  const error = errorAt(named);
  if (error) return { files: [], mistakes: [`${path}: ${error}`], skipped: [] };
  if (isFolder(named)) return manifestsBelow(cwd, findRoot(home, named, path), named);
  return { files: [{ path: named, name: relative(cwd, named) }], mistakes: [], skipped: [] };
}

function errorAt(path: string): string | undefined {
  try {
    const stat = statSync(path);
    return stat.isDirectory() || stat.isFile() ? undefined : describeSystemError(noRegularFile());
  } catch (error) {
    return describeSystemError(error);
  }
}

function findRoot(home: string, folder: string, path: string): string {
  const root = dirname(workspaceAbove(home) ?? findWorkspace(folder));
  const own = workspaceAbove(folder);
  if (own !== undefined && realpathSync(dirname(own)) === realpathSync(root)) return root;
  const other = own === undefined ? "" : `; evenkeel fmt -C ${path} formats the one that it is in`;
  throw new UserError(`${path} is not in the workspace ${root}${other}`, exit.usage);
}

function manifestsBelow(cwd: string, root: string, folder: string): FormatTargets {
  const { files, mistakes } = listManifests(root, realpathSync(folder));
  const known = new Set(files.map(({ path }) => realpathSync(path)));
  const below = filesBelow(cwd, folder).flatMap((file) => ("path" in file ? [file.path] : []));
  const others = below.filter((path) => /\.ya?ml$/i.test(path) && !known.has(realpathSync(path)));
  return { files, mistakes, skipped: others.map((path) => relative(cwd, path)) };
}

/** The rules about unreadable files. Invalid YAML is reported when the file is formatted. */
const unread = new Set(["binary", "too-large", "symlink", "unreadable", "outside"]);

function listManifests(root: string, below = realpathSync(root)): Omit<FormatTargets, "skipped"> {
  const { documents, problems } = loadWorkspace(root);
  const isBelow = (name: string) => `${join(realpathSync(root), name)}${sep}`.startsWith(`${below}${sep}`);
  const errors = bySeverity(problems).problems.filter(({ file }) => file !== undefined && isBelow(file));
  const broken = errors.filter(({ rule }) => rule === "yaml").flatMap(({ file }) => file ?? []);
  const named = [workspaceFile, ...documents.map(({ file }) => file), ...broken].filter(isBelow);
  return {
    files: [...new Set(named)].map((name) => ({ name, path: join(root, name) })),
    mistakes: errors.filter(({ rule }) => unread.has(rule)).map(reportedLine),
  };
}
