import { dirname, join } from "node:path";
import { accept } from "../accept/accept.ts";
import type { NewEditTarget } from "../accept/edit-targets.ts";
import { exitCode } from "../base/exit.ts";
import { fileOf } from "../import/names.ts";
import { targetFault } from "../model/address.ts";
import { bySeverity } from "../model/problem-line.ts";
import type { Project } from "../model/types.ts";
import { acceptJson, acceptText } from "../report/accept.ts";
import { isManifestPlace } from "../workspace/discover.ts";
import { isThere } from "../workspace/durable-file.ts";
import { loadSettings } from "../workspace/load.ts";
import type { Run } from "./command.ts";
import { schemaFrom } from "./import-files.ts";
import { openReports, save } from "./outputs.ts";
import { printProblems } from "./print-problems.ts";
import type { Options } from "./table.ts";
import { globsOf, requestOf } from "./workspace-options.ts";

/** `evenkeel accept ADDRESS...`: writes manifests as `fmt` does, without asking: they are under review anyway. */
export const run: Run<Options<"accept">> = async (terminal, options, addresses) => {
  const report = openReports(terminal, options.report);
  globsOf("address", addresses, targetFault);
  const { dryRun = false } = options;
  const bar = terminal.progress("Reading");
  const acceptance = await accept({
    ...requestOf(terminal, options),
    addresses,
    dryRun,
    newHome,
    progress: bar.update,
    write: (root, texts) => {
      for (const [name, text] of texts) save(terminal, join(root, name), text);
    },
  }).finally(bar.stop);
  const found = { ...acceptance, dryRun };
  printProblems(terminal, bySeverity(found.problems));
  report({ text: () => acceptText(found, terminal.palette), json: () => acceptJson(found) });
  const problem = found.problems.some(({ severity }) => severity === "error");
  return exitCode({ interrupted: terminal.interrupted.aborted, problem });
};

/** Where `import` would put the project's policy, if the workspace looks there and nothing is there yet. */
function newHome(project: Project, root: string): NewEditTarget | undefined {
  const file = `policies/${fileOf(project)}`;
  if (isThere(join(root, file)) || !isManifestPlace(root, loadSettings(root).manifests, file)) return undefined;
  return { file, schema: schemaFrom(dirname(join(root, file)), root) };
}
