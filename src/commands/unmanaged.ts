import { join } from "node:path";
import { exitCode } from "../base/exit.ts";
import { paragraphs, shellWord } from "../base/text-format.ts";
import { unmanagedJson, unmanagedText } from "../report/policy-texts.ts";
import { type NextStep, nextStepsText } from "../report/terminal.ts";
import { type Unmanaged, unmanagedResources } from "../run/unmanaged.ts";
import type { Options, Run } from "./command.ts";
import { formatCommand } from "./next-steps.ts";
import { openReports, printProblems } from "./outputs.ts";
import { requestOf } from "./run-request.ts";
import type { Terminal } from "./terminal.ts";

export const run: Run<Options<"unmanaged">> = async (terminal, options) => {
  const report = openReports(terminal, options.report);
  const bar = terminal.progress("Reading");
  const request = requestOf(terminal, options);
  const unmanaged = await unmanagedResources({ ...request, progress: bar.update }).finally(bar.stop);
  printProblems(terminal, unmanaged);
  report({
    text: () => formatText(unmanaged, terminal, options),
    json: () => unmanagedJson(unmanaged),
  });
  return exitCode({ interrupted: terminal.interrupted.aborted, problem: unmanaged.problems.length > 0 });
};

function formatText(found: Unmanaged, { palette }: Terminal, options: Options<"unmanaged">): string {
  if (found.projects === 0 && found.problems.length > 0) return "";
  const [first] = found.resources;
  const out = shellWord(join(options.C ?? "", "policies/unmanaged"));
  const command = `${formatCommand("import", options)} ${shellWord(first?.project ?? "")} --kinds all --out ${out}`;
  const next: readonly NextStep[] = first ? [[command, "writes policies for this project"]] : [];
  return paragraphs([unmanagedText(found, palette), nextStepsText(next, palette)]);
}
