import { resolve } from "node:path";
import { exit, exitCode, UserError } from "../base/exit.ts";
import { compareTexts } from "../base/text-format.ts";
import type { ForeignChoice, ForeignFile, ForeignImport } from "../import/from/foreign.ts";
import { importGitlabform } from "../import/from/gitlabform/import.ts";
import { labelledErrors, problemLine } from "../model/problem-line.ts";
import type { Problem } from "../model/types.ts";
import { importJson, importText } from "../report/import.ts";
import { catalogueAround, loadSettings } from "../workspace/load.ts";
import { textIn } from "../workspace/text-files.ts";
import { checkImported, writeDrafts } from "./import-files.ts";
import { stepsAfterImport } from "./next-steps.ts";
import { openReports } from "./outputs.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { folderOf } from "./workspace-options.ts";

type Choice = Options<"import">;
type Tool = NonNullable<Choice["from"]>;

/** The reader of a tool's files, and their size limit. */
interface Source {
  readonly most: number;
  readonly read: (files: readonly ForeignFile[], choice: ForeignChoice) => ForeignImport | Promise<ForeignImport>;
}

const megabyte = 1024 * 1024;

const sources: Readonly<Record<Tool, Source>> = {
  gitlabform: {
    most: 4 * megabyte,
    read: ([file, ...others], choice) => {
      if (!file || others.length > 0)
        throw new UserError("gitlabform has one configuration: name one file", exit.usage);
      return importGitlabform(file, choice);
    },
  },
  terraform: {
    most: 64 * megabyte,
    read: async (files, choice) => (await import("../import/from/terraform/import.ts")).importTerraform(files, choice),
  },
};

/** `evenkeel import --from TOOL FILE...`: policies from another tool's files; nothing is sent. */
export async function importFrom(terminal: Terminal, options: Choice, names: readonly string[]) {
  const { from: tool = "gitlabform", secrets, out } = options;
  const report = openReports(terminal, options.report);
  checkUsage(options, tool, names);
  const folder = folderOf(terminal, options);
  const { server } = loadSettings(folder);
  const { most, read } = sources[tool];
  const files = names.map((name) => fileAt(terminal, name, most));
  const catalogue = catalogueAround(folder, server.dialect);
  const { drafts, problems } = await read(files, { catalogue, platform: server, secrets });
  const errors = problems.filter(({ severity }) => severity === "error");
  const notImported = problems.filter(({ severity }) => severity === "warning").toSorted(byPlace);
  const found = { drafts: errors.length > 0 ? [] : drafts, idle: [], problems: errors };
  const imported = { ...writeDrafts(terminal, found, { folder, out, catalogue }), notImported };
  for (const problem of imported.problems) terminal.warn(labelledErrors(problemLine(problem)));
  const isValid = checkImported(terminal, imported.written, folder);
  report({
    text: () => importText(imported, terminal.palette, stepsAfterImport(options, { isLive: false, isValid })),
    json: () => importJson(imported),
  });
  return exitCode({ interrupted: terminal.interrupted.aborted, problem: imported.problems.length > 0 });
}

function byPlace({ place: a }: Problem, { place: b }: Problem): number {
  if (!a || !b) return Number(!a) - Number(!b);
  return compareTexts(a.file, b.file) || a.line - b.line || a.column - b.column;
}

function checkUsage({ all, group = [], factor, kinds }: Choice, tool: Tool, names: readonly string[]): void {
  const given = [all && "--all", group.length > 0 && "--group", factor && "--factor", kinds && "--kinds"].find(Boolean);
  if (given)
    throw new UserError(`${given} asks the server, and --from ${tool} reads files: leave one of them out`, exit.usage);
  if (names.length === 0) throw new UserError(`name the files of ${tool}`, exit.usage);
}

/** @throws UserError if it is not a text within the size limit. */
function fileAt({ cwd }: Terminal, name: string, most: number): ForeignFile {
  const text = textIn({ path: resolve(cwd, name), name }, most);
  if (typeof text === "string") return { name, text: text.replace(/^\uFEFF/, "") };
  throw new UserError(text?.unreadable ?? `${name}: expected text in UTF-8, of ${most / megabyte} MiB at most`);
}
