import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { kindsToImport, ownersIn } from "../author/import/chosen-projects.ts";
import type { ForeignChoice, ForeignFile, ForeignImport } from "../author/import/from/foreign.ts";
import { importGitlabform } from "../author/import/from/gitlabform/import.ts";
import { type ImportResult, importProjects } from "../author/import/import-projects.ts";
import { exit, exitCode, UserError } from "../base/exit.ts";
import { globFault } from "../base/glob.ts";
import { compareTexts, shellWord } from "../base/text-format.ts";
import { connectReader } from "../client/client.ts";
import { explainCallFailure } from "../client/explain-failure.ts";
import { CallFailed } from "../client/failure.ts";
import { selectorOf } from "../manifest/selector.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { instanceName } from "../model/owner.ts";
import { labelledErrors, problemLine } from "../model/problem-line.ts";
import type { Problem } from "../model/types.ts";
import { importJson, importText } from "../report/import.ts";
import { connectionFrom } from "../run/connection.ts";
import { platformAt } from "../run/live/find-dialect.ts";
import { catalogueAround, loadSettings } from "../workspace/load.ts";
import { textIn } from "../workspace/walk.ts";
import type { Options } from "./command.ts";
import { checkImported, takenVariables, writeDrafts } from "./import-files.ts";
import { stepsAfterImport } from "./next-steps.ts";
import { showing } from "./outputs.ts";
import { globsOf, requestOf } from "./run-request.ts";
import type { Terminal } from "./terminal.ts";

type Choice = Options<"import">;

interface Found extends ImportResult {
  readonly catalogue: Catalogue;
  readonly release?: string;
  readonly notImported?: readonly Problem[];
}

/** Policies from live state or from another tool's files. Existing files are not overwritten. */
export const run = showing<Options<"import">>(async (terminal, options, names) => {
  const isLive = options.from === undefined;
  const { catalogue, release, notImported, ...result } = isLive
    ? await importLive(terminal, options, names)
    : await importForeign(terminal, options, names);
  const drafts = writeDrafts(terminal, result, options.out, catalogue);
  const imported = { ...drafts, ...(notImported && { notImported }) };
  for (const problem of imported.problems) terminal.warn(labelledErrors(problemLine(problem)));
  const isValid = checkImported(terminal, imported.written, release);
  return {
    text: (palette) => importText(imported, palette, stepsAfterImport(options, isLive, isValid)),
    json: () => importJson(imported),
    code: exitCode({ interrupted: terminal.interrupted.aborted, problem: imported.problems.length > 0 }),
  };
});

function checkUsage({ all, group = [], instance }: Options<"import">, names: readonly string[]): void {
  if (!all && !instance && group.length === 0 && names.length === 0) {
    throw new UserError(
      "name projects by path or ID, groups with a slash behind, or use --group GLOB, --all or --instance",
      exit.usage,
    );
  }
  globsOf("--group", group, globFault);
  const glob = names.find((name) => selectorOf(name).form === "glob");
  if (glob !== undefined) throw new UserError(`${glob} is a glob: use --group ${shellWord(glob)}`, exit.usage);
}

async function importLive(terminal: Terminal, options: Choice, names: readonly string[]): Promise<Found> {
  checkUsage(options, names);
  const { all = false, group = [], instance, factor = false, secrets, values, kinds: sections } = options;
  const request = requestOf(terminal, options);
  const catalogue = catalogueAround(request.folder);
  const { server, concurrency, archived } = loadSettings(request.folder);
  await using reader = await connectReader({ ...connectionFrom(request), catalogue });
  const bar = terminal.progress("Reading");
  try {
    const platform = await platformAt(reader, server);
    const choice = {
      ...{ all, groups: group, archived: archived === "include", factor, secrets, values },
      names: instance ? [...names, instanceName] : names,
      taken: takenVariables(request.folder),
    };
    const kinds = kindsToImport(sections, ownersIn(choice), catalogue, platform);
    const scope = { platform, workers: request.concurrency ?? concurrency, progress: bar.update, kinds };
    return { ...(await importProjects(reader, choice, scope)), catalogue, release: platform.release };
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    const problem: Problem = { severity: "error", rule: error.kind, message: explainCallFailure(error) };
    return { drafts: [], idle: [], problems: [problem], catalogue };
  } finally {
    bar.stop();
  }
}

interface Source {
  readonly most: number;
  readonly read: (files: readonly ForeignFile[], choice: ForeignChoice) => ForeignImport | Promise<ForeignImport>;
}

const megabyte = 1024 * 1024;

const sources: Readonly<Record<NonNullable<Choice["from"]>, Source>> = {
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
    read: async (files, choice) =>
      (await import("../author/import/from/terraform/import.ts")).importTerraform(files, choice),
  },
};

/** Reads another tool's files; nothing is sent. */
async function importForeign(terminal: Terminal, options: Choice, names: readonly string[]): Promise<Found> {
  const { from: tool = "gitlabform", secrets } = options;
  if (names.length === 0) throw new UserError(`name the files of ${tool}`, exit.usage);
  const { folder } = terminal;
  const { server } = loadSettings(folder);
  const { most, read } = sources[tool];
  const beside = tool === "terraform" ? variablesBeside(terminal, names) : [];
  const files = [...beside, ...names].map((name) => readForeignFile(terminal, name, most));
  const catalogue = catalogueAround(folder, server.dialect);
  const choice = { catalogue, platform: server, secrets, taken: takenVariables(folder) };
  const { drafts, problems } = await read(files, choice);
  const errors = problems.filter(({ severity }) => severity === "error");
  const notImported = problems.filter(({ severity }) => severity === "warning").toSorted(byPlace);
  return { drafts: errors.length > 0 ? [] : drafts, idle: [], problems: errors, notImported, catalogue };
}

function byPlace({ place: a }: Problem, { place: b }: Problem): number {
  if (!a || !b) return Number(!a) - Number(!b);
  return compareTexts(a.file, b.file) || a.line - b.line || a.column - b.column;
}

/** The files of variables that Terraform itself reads, in the folders of its sources; no links, which may lead elsewhere. */
function variablesBeside({ cwd }: Terminal, names: readonly string[]): readonly string[] {
  const folders = new Set(names.filter((name) => /\.(?:tf|tofu)$/.test(name)).map(dirname));
  const found = [...folders].flatMap((folder) => {
    const path = resolve(cwd, folder);
    const entries = existsSync(path) ? readdirSync(path, { withFileTypes: true }) : [];
    const all = entries.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).toSorted();
    const read = [/^terraform\.tfvars$/, /^terraform\.tfvars\.json$/, /\.auto\.tfvars(?:\.json)?$/];
    return read.flatMap((pattern) => all.filter((name) => pattern.test(name)).map((name) => join(folder, name)));
  });
  const named = new Set(names.map((name) => resolve(cwd, name)));
  return found.filter((name) => !named.has(resolve(cwd, name)));
}

/** Reads a text file. @throws UserError if it is not text or too large. */
function readForeignFile({ cwd }: Terminal, name: string, most: number): ForeignFile {
  if (statSync(resolve(cwd, name), { throwIfNoEntry: false })?.isCharacterDevice())
    throw new UserError(`${name}: it is a device, not a file`);
  const text = textIn({ path: resolve(cwd, name), name }, most);
  if (typeof text === "string") return { name, text: text.replace(/^\uFEFF/, "") };
  throw new UserError(text?.unreadable ?? `${name}: expected text in UTF-8, of ${most / megabyte} MiB at most`);
}
