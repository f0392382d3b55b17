import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { type Adoption, adopt } from "../adopt.ts";
import { connectReader } from "../client/client.ts";
import { CallFailed } from "../client/failure.ts";
import { exit, exitCode, Refusal } from "../exit.ts";
import { explained } from "../hint.ts";
import { policyText } from "../import/policy.ts";
import { loadSettings, loadWorkspace, workspaceAbove } from "../load.ts";
import { selectorOf } from "../manifest/selector.ts";
import { importJson, importText } from "../report/import.ts";
import { problemLine } from "../report/problems.ts";
import type { Request } from "../request.ts";
import { siteOf } from "../site.ts";
import type { Terminal } from "../terminal.ts";
import { closing } from "../told.ts";
import { reporter, save } from "./emit.ts";
import { type OnlineOptions, requestOf } from "./run.ts";
import type { Run } from "./verbs.ts";

export interface ImportOptions extends OnlineOptions {
  readonly all?: boolean;
  readonly group?: readonly string[];
  readonly factor?: boolean;
  readonly out?: string;
}

/** `evenkeel import`: policies from live state. No file that exists is overwritten. */
export const run: Run<ImportOptions> = async (terminal, options, names) => {
  const report = reporter(terminal, options.report);
  checkUsage(options, names);
  const request = requestOf(terminal, options);
  const folder = folderOf(terminal, options, request);
  const { drafts, idle, problems } = await adopted(terminal, options, request, names);
  const written = drafts.map((draft) => [relative(terminal.cwd, join(folder, draft.file)), draft] as const);
  refuseTaken(
    terminal,
    written.map(([path]) => path),
  );
  for (const [path, draft] of written)
    save(terminal, path, policyText(draft, schemaFrom(dirname(resolve(terminal.cwd, path)), request)));
  for (const problem of problems) terminal.warn(problemLine(problem));
  const imported = { written, idle, problems };
  tellUnlisted(
    terminal,
    written.map(([path]) => resolve(terminal.cwd, path)),
    request,
  );
  report({ text: () => importText(imported, terminal.palette), json: () => importJson(imported) });
  return exitCode({ interrupted: terminal.interrupted.aborted, problem: problems.length > 0 });
};

function checkUsage({ all, group = [] }: ImportOptions, names: readonly string[]): void {
  if (!all && group.length === 0 && names.length === 0) {
    throw new Refusal("name projects by path or ID, or give --group GLOB or --all", exit.usage);
  }
  const glob = names.find((name) => selectorOf(name).form === "glob");
  if (glob !== undefined) throw new Refusal(`${glob} is a glob: give it as --group '${glob}'`, exit.usage);
}

function folderOf({ cwd }: Terminal, { out }: ImportOptions, { folder }: Request): string {
  if (out !== undefined) return resolve(cwd, out);
  const workspace = workspaceAbove(folder);
  return join(workspace ? dirname(workspace) : folder, "policies");
}

async function adopted(
  terminal: Terminal,
  { all = false, group = [], factor = false }: ImportOptions,
  request: Request,
  names: readonly string[],
): Promise<Adoption> {
  const { server, concurrency } = loadSettings(request.folder);
  const reader = await connectReader(siteOf(request));
  const bar = terminal.progress("Reading");
  const scope = { platform: server, workers: request.concurrency ?? concurrency, progress: bar.update };
  try {
    return await closing(reader, () => adopt(reader, { names, all, groups: group, factor }, scope));
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    return { drafts: [], idle: [], problems: [{ severity: "error", rule: error.kind, message: explained(error) }] };
  } finally {
    bar.stop();
  }
}

function refuseTaken({ cwd }: Terminal, paths: readonly string[]): void {
  const taken = paths.filter((path) => existsSync(resolve(cwd, path)));
  if (taken.length === 0) return;
  const more = taken.length > 1 ? ` and ${taken.length - 1} more` : "";
  throw new Refusal(`${taken[0]}${more} exists already; nothing was written. Move it away, or give another --out`);
}

/** Files that the workspace does not look at would be written for nothing. */
function tellUnlisted({ note }: Terminal, files: readonly string[], { folder }: Request): void {
  if (!workspaceAbove(folder) || files.length === 0) return;
  const { root, documents } = loadWorkspace(folder);
  const listed = new Set(documents.map(({ file }) => resolve(root, file)));
  const [first] = files.filter((file) => !listed.has(file));
  if (first) note(`note: ${relative(root, first)} is not among the manifests of evenkeel.yaml`);
}

const modeline = /^# *yaml-language-server: *\$schema=(\S+)/m;

/** Where the manifests' schema lies, as seen from a folder: where evenkeel.yaml says, else where init puts it. */
function schemaFrom(folder: string, request: Request): string {
  const workspace = workspaceAbove(request.folder);
  const told = workspace && modeline.exec(readFileSync(workspace, "utf8"))?.[1];
  const root = workspace ? dirname(workspace) : request.folder;
  if (told && /^\w+:\/\//.test(told)) return told;
  return relative(folder, resolve(root, told ?? ".evenkeel/schemas/manifest.schema.json"));
}
