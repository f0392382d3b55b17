import { dirname, join } from "node:path";
import { type Acceptance, type AcceptRequest, accept } from "../author/accept/accept.ts";
import type { NewPolicyFile } from "../author/accept/manifests.ts";
import { proposalPlace, propose } from "../author/accept/propose.ts";
import { fileOf } from "../author/import/names.ts";
import { exitCode, UserError } from "../base/exit.ts";
import { withoutSecrets } from "../base/known-secrets.ts";
import { counted } from "../base/text-format.ts";
import { connectWriter } from "../client/client.ts";
import { bySeverity, reportedLine } from "../model/problem-line.ts";
import type { Project } from "../model/types.ts";
import { type AcceptReport, acceptJson, acceptText } from "../report/policy-texts.ts";
import type { Palette } from "../report/terminal.ts";
import { connectionFrom } from "../run/connection.ts";
import { closeMergeRequest } from "../run/merge-requests.ts";
import type { Request } from "../run/request.ts";
import type { DriftProposals } from "../watch/options.ts";
import { isManifestPlace } from "../workspace/discover.ts";
import { isThere } from "../workspace/durable-file.ts";
import { loadSettings } from "../workspace/load.ts";
import type { Options } from "./command.ts";
import { schemaFrom } from "./import-files.ts";
import { printProblems, save, showing } from "./outputs.ts";
import { checkedTargets, requestOf } from "./run-request.ts";
import type { Terminal } from "./terminal.ts";

/** `evenkeel accept ADDRESS...`: writes manifests as `fmt` does, without a prompt, since their changes are reviewed. */
export const run = showing<Options<"accept">>(async (terminal, options, addresses) => {
  checkedTargets("address", addresses, terminal);
  const { dryRun = false, mergeRequest = false } = options;
  const toResult = (accepted: Omit<AcceptReport, "dryRun">) => {
    const found = { ...accepted, dryRun };
    return { text: (palette: Palette) => acceptText(found, palette), json: () => acceptJson(found) };
  };
  const request = { ...requestOf(terminal, options), addresses, dryRun, isProposal: mergeRequest };
  try {
    const acceptance = await accepting(terminal, options, request);
    const { problems, warnings } = bySeverity(acceptance.problems);
    printProblems(terminal, { problems, warnings });
    const code = exitCode({ interrupted: terminal.interrupted.aborted, problem: problems.length > 0 });
    return { ...toResult(acceptance), code };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { message } = withoutSecrets(error);
    const problems = [{ severity: "error", rule: "setup", message } as const];
    return { ...toResult({ accepted: [], inSync: [], problems }), refusal: error };
  }
});

async function accepting(
  terminal: Terminal,
  { mergeRequest, branch }: Options<"accept">,
  request: Omit<AcceptRequest, "newFileFor" | "write" | "progress">,
): Promise<Acceptance & Pick<AcceptReport, "request">> {
  const bar = terminal.progress("Reading");
  const place = mergeRequest ? proposalPlace(request) : undefined;
  const proposed = new Map<string, string>();
  const write: AcceptRequest["write"] = (root, texts) => {
    for (const [name, text] of texts) {
      if (place) proposed.set(name, text);
      else save(terminal, join(root, name), text);
    }
  };
  const asked = { ...request, newFileFor: findNewFile, write, progress: bar.update };
  const acceptance = await accept(asked).finally(bar.stop);
  if (!place || proposed.size === 0) return acceptance;
  return { ...acceptance, request: await propose(place, request, acceptance, proposed, branch) };
}

/** Merge requests for the drift that a watcher finds. @throws UserError (64) if the workspace's remote is on another server. */
export function driftProposals(request: Request): DriftProposals {
  const { project } = proposalPlace(request);
  return {
    propose: async (addresses, branch) => {
      const texts = new Map<string, string>();
      const write: AcceptRequest["write"] = (_, changed) => {
        for (const [name, text] of changed) texts.set(name, text);
      };
      const asked = { ...request, addresses, dryRun: false, isProposal: true, newFileFor: findNewFile, write };
      const acceptance = await accept(asked);
      const [problem] = bySeverity(acceptance.problems).problems;
      if (texts.size === 0) throw new UserError(problem ? reportedLine(problem) : "the drift is gone already");
      const { url, updated } = await propose(proposalPlace(request), request, acceptance, texts, branch);
      return `${updated ? "updated" : "opened"} ${url} for ${counted(addresses.length, "resource")}`;
    },
    close: async (branch) => {
      await using writer = await connectWriter(connectionFrom(request));
      await closeMergeRequest(writer, project, branch);
    },
  };
}

/** The file in which `import` would write the project's policy, if the workspace includes it and it does not exist yet. */
function findNewFile(project: Project, root: string): NewPolicyFile | undefined {
  const file = `policies/${fileOf(project)}`;
  if (isThere(join(root, file)) || !isManifestPlace(root, loadSettings(root).manifests, file)) return undefined;
  return { file, schema: schemaFrom(dirname(join(root, file)), root) };
}
