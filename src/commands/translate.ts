import { realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { exit, exitCode, UserError } from "../base/exit.ts";
import { translate, undeclaredIn } from "../format/translate.ts";
import { validate } from "../manifest/validate.ts";
import { workspaceFile } from "../manifest/workspace.ts";
import { dialectNames } from "../model/dialect-names.ts";
import { dialectNamed } from "../model/dialects.ts";
import { labelledErrors, problemLine } from "../model/problem-line.ts";
import { schemasIn } from "../model/schemas.ts";
import type { Problem } from "../model/types.ts";
import { isThere } from "../workspace/durable-file.ts";
import { linkFault } from "../workspace/links.ts";
import { dialectAround, findWorkspace, loadWorkspace } from "../workspace/load.ts";
import { type TextFile, textIn } from "../workspace/text-files.ts";
import type { Run } from "./command.ts";
import { manifestsAround } from "./fmt-files.ts";
import { save } from "./outputs.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { folderOf } from "./workspace-options.ts";

/**
 * `evenkeel translate --to DIALECT`: lists the files that it changes; with `--check`, those that it would change. Nothing
 * is written if a file cannot be read. What cannot be translated is reported with its location.
 */
export const run: Run<Options<"translate">> = (terminal, options) => {
  const { to, check } = options;
  if (to === undefined) throw new UserError(`--to is missing; it takes ${dialectNames.join(" or ")}`, exit.usage);
  const root = dirname(findWorkspace(folderOf(terminal, options)));
  const from = dialectAround(root);
  const { files, mistakes } = manifestsAround(root);
  const outside = files
    .filter(({ path }) => !isBelow(root, path))
    .map(({ name }) => `${name} leads out of the workspace`);
  const read = files.toSorted(settingsLast).map((file) => translatedFile(file, from, to));
  const problems = [...mistakes, ...outside, ...read.flatMap((each) => ("mistakes" in each ? each.mistakes : []))];
  if (problems.length > 0) throw new UserError([...problems, "nothing was written"].join("\n"));
  const changed = [...read.flatMap((each) => ("text" in each && each.isOther ? [each] : [])), ...schemaFiles(root, to)];
  if (!check) for (const { file, text } of changed) save(terminal, file.path, text);
  const left = read.flatMap((each) => ("text" in each ? [...each.left, ...(check ? each.undeclared : [])] : []));
  const others = check ? [] : stillForeign(root).filter((each) => !left.some((known) => isSameLine(known, each)));
  return told(terminal, changed, [...left, ...others], options);
};

function isBelow(root: string, path: string): boolean {
  return realpathSync(path).startsWith(`${realpathSync(root)}${sep}`);
}

/** Writes `evenkeel.yaml` last, so that a run that was interrupted can be repeated. */
function settingsLast(a: TextFile, b: TextFile): number {
  return Number(a.name === workspaceFile) - Number(b.name === workspaceFile);
}

type FileIn = { readonly file: TextFile; readonly text: string };

type TranslatedFile = TranslatedText | Untouched;

interface TranslatedText extends FileIn {
  readonly isOther: boolean;
  readonly left: readonly Problem[];
  /** Problems of the translated manifests. */
  readonly undeclared: readonly Problem[];
}

interface Untouched {
  readonly mistakes: readonly string[];
}

function translatedFile(file: TextFile, from: string, to: string): TranslatedFile {
  const read = textIn(file);
  const { name } = file;
  if (typeof read !== "string")
    return { mistakes: [read?.unreadable ?? `${name}: expected text in UTF-8, of 4 MiB at most`] };
  const mark = read.startsWith("\uFEFF") ? "\uFEFF" : "";
  const translated = translate(name, read.slice(mark.length), from, to);
  if ("problems" in translated) return { mistakes: translated.problems.map(problemLine) };
  const text = mark + translated.text;
  const undeclared = undeclaredIn(name, translated.text, to);
  return { file, text, isOther: text !== read, left: translated.left, undeclared };
}

const schemaFolder = ".evenkeel/schemas";

/** Updates the schemas that `init` wrote for editors. */
function schemaFiles(root: string, dialect: string): readonly FileIn[] {
  return [...schemasIn(dialectNamed(dialect))].flatMap(([name, schema]) => {
    const file = { name: join(schemaFolder, name), path: join(root, schemaFolder, name) };
    const text = `${JSON.stringify(schema, null, 2)}\n`;
    if (!isThere(file.path) || String(textIn(file)).trimEnd() === text.trimEnd()) return [];
    const fault = linkFault(root, file.name);
    if (fault !== undefined) throw new UserError(`cannot write ${file.name}: ${fault}; nothing was written`);
    return [{ file, text }];
  });
}

/** Names of the other dialect that only a second validation finds, such as those in variables and aliases. */
function stillForeign(root: string): readonly Problem[] {
  const rules = new Set(["unknown-integration", "unknown-parameter"]);
  return validate(loadWorkspace(root)).problems.filter(({ rule }) => rules.has(rule));
}

function isSameLine({ place: one }: Problem, { place: other }: Problem): boolean {
  return one?.file === other?.file && one?.line === other?.line;
}

function told(
  terminal: Terminal,
  changed: readonly FileIn[],
  left: readonly Problem[],
  { check }: Options<"translate">,
) {
  terminal.warn(left.map(lineOf).join("\n"));
  terminal.print(changed.map(({ file }) => file.name).join("\n"));
  const isLeft = left.some(({ severity }) => severity === "error");
  return exitCode({ problem: isLeft || (check === true && changed.length > 0) });
}

function lineOf(problem: Problem): string {
  const line = problemLine(problem);
  return problem.severity === "error" ? labelledErrors(line) : `${problem.severity}: ${line}`;
}
