import { exit, exitCode, UserError } from "../base/exit.ts";
import { globFault } from "../base/glob.ts";
import { shellWord } from "../base/shell-word.ts";
import { connectReader } from "../client/client.ts";
import { explained } from "../client/explain-failure.ts";
import { CallFailed } from "../client/failure.ts";
import { ownersIn } from "../import/chosen-projects.ts";
import { type ImportResult, importProjects } from "../import/import-projects.ts";
import { kindsToImport } from "../import/kinds-to-import.ts";
import { platformAt } from "../live/read-release.ts";
import { selectorOf } from "../manifest/selector.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { labelledErrors, problemLine } from "../model/problem-line.ts";
import { connectionFrom } from "../reconcile/connection.ts";
import type { Request } from "../reconcile/request.ts";
import { importJson, importText } from "../report/import.ts";
import { catalogueAround, loadSettings } from "../workspace/load.ts";
import type { Run } from "./command.ts";
import { checkImported, writeDrafts } from "./import-files.ts";
import { stepsAfterImport } from "./next-steps.ts";
import { openReports } from "./outputs.ts";
import { requestOf } from "./run-request.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { globsOf } from "./workspace-options.ts";

/** `evenkeel import`: policies from live state. Existing files are not overwritten. */
export const run: Run<Options<"import">> = async (terminal, options, names) => {
  if (options.from !== undefined) return (await import("./import-from.ts")).importFrom(terminal, options, names);
  const report = openReports(terminal, options.report);
  checkUsage(options, names);
  const request = requestOf(terminal, options);
  const { folder } = request;
  const catalogue = catalogueAround(folder);
  const { release, ...adoption } = await adopted(terminal, options, request, names, catalogue);
  const imported = writeDrafts(terminal, adoption, { folder, out: options.out, catalogue });
  for (const problem of imported.problems) terminal.warn(labelledErrors(problemLine(problem)));
  const isValid = checkImported(terminal, imported.written, folder, release);
  report({
    text: () => importText(imported, terminal.palette, stepsAfterImport(options, { isLive: true, isValid })),
    json: () => importJson(imported),
  });
  return exitCode({ interrupted: terminal.interrupted.aborted, problem: imported.problems.length > 0 });
};

function checkUsage({ all, group = [] }: Options<"import">, names: readonly string[]): void {
  if (!all && group.length === 0 && names.length === 0) {
    throw new UserError(
      "name projects by path or ID, groups with a slash behind, or use --group GLOB or --all",
      exit.usage,
    );
  }
  globsOf("--group", group, globFault);
  const glob = names.find((name) => selectorOf(name).form === "glob");
  if (glob !== undefined) throw new UserError(`${glob} is a glob: use --group ${shellWord(glob)}`, exit.usage);
}

/** What the server has, and its release. */
async function adopted(
  terminal: Terminal,
  { all = false, group = [], factor = false, secrets, kinds: sections }: Options<"import">,
  request: Request,
  names: readonly string[],
  catalogue: Catalogue,
): Promise<ImportResult & { readonly release?: string }> {
  const { server, concurrency } = loadSettings(request.folder);
  await using reader = await connectReader({ ...connectionFrom(request), catalogue });
  const bar = terminal.progress("Reading");
  try {
    const platform = await platformAt(reader, server);
    const choice = { names, all, groups: group, factor, secrets };
    const kinds = kindsToImport(sections, ownersIn(choice), catalogue, platform);
    const scope = { platform, workers: request.concurrency ?? concurrency, progress: bar.update, kinds };
    const imported = await importProjects(reader, choice, scope);
    return { ...imported, release: platform.release };
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    return { drafts: [], idle: [], problems: [{ severity: "error", rule: error.kind, message: explained(error) }] };
  } finally {
    bar.stop();
  }
}
