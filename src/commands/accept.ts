import { dirname, join } from "node:path";
import { type Acceptance, type AcceptRequest, accept } from "../author/accept/accept.ts";
import type { NewPolicyFile } from "../author/accept/manifests.ts";
import { fileOf } from "../author/import/names.ts";
import { exitCode, UserError } from "../base/exit.ts";
import { withoutSecrets } from "../base/known-secrets.ts";
import { bySeverity } from "../model/problem-line.ts";
import type { Project } from "../model/types.ts";
import { type AcceptReport, acceptJson, acceptText } from "../report/accept.ts";
import { isManifestPlace } from "../workspace/discover.ts";
import { isThere } from "../workspace/durable-file.ts";
import { loadSettings } from "../workspace/load.ts";
import type { Run } from "./command.ts";
import { schemaFrom } from "./import-files.ts";
import { openReports, printProblems, save } from "./outputs.ts";
import { folderOf, globsOf, requestOf, targetFaultIn } from "./run-request.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** `evenkeel accept ADDRESS...`: writes manifests as `fmt` does, without a prompt, since their changes are reviewed. */
export const run: Run<Options<"accept">> = async (terminal, options, addresses) => {
  const report = openReports(terminal, options.report);
  globsOf("address", addresses, targetFaultIn(folderOf(terminal, options)));
  const { dryRun = false } = options;
  const write = (found: AcceptReport) =>
    report({ text: () => acceptText(found, terminal.palette), json: () => acceptJson(found) });
  const acceptance = await accepting(terminal, { ...requestOf(terminal, options), addresses, dryRun }).catch(
    (error) => {
      if (error instanceof UserError) write(refusedReport(error, dryRun));
      throw error;
    },
  );
  printProblems(terminal, bySeverity(acceptance.problems));
  write({ ...acceptance, dryRun });
  const problem = acceptance.problems.some(({ severity }) => severity === "error");
  return exitCode({ interrupted: terminal.interrupted.aborted, problem });
};

function accepting(
  terminal: Terminal,
  request: Omit<AcceptRequest, "newFileFor" | "write" | "progress">,
): Promise<Acceptance> {
  const bar = terminal.progress("Reading");
  const write: AcceptRequest["write"] = (root, texts) => {
    for (const [name, text] of texts) save(terminal, join(root, name), text);
  };
  return accept({ ...request, newFileFor, write, progress: bar.update }).finally(bar.stop);
}

/** The result in the reports of a failed run; the reason is on stderr. */
function refusedReport(error: UserError, dryRun: boolean): AcceptReport {
  const { message } = withoutSecrets(error);
  return { accepted: [], inSync: [], problems: [{ severity: "error", rule: "setup", message }], dryRun };
}

/** The file in which `import` would write the project's policy, if the workspace includes it and it does not exist yet. */
function newFileFor(project: Project, root: string): NewPolicyFile | undefined {
  const file = `policies/${fileOf(project)}`;
  if (isThere(join(root, file)) || !isManifestPlace(root, loadSettings(root).manifests, file)) return undefined;
  return { file, schema: schemaFrom(dirname(join(root, file)), root) };
}
