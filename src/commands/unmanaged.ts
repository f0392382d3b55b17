import { exitCode } from "../base/exit.ts";
import { paragraphs } from "../base/text-format.ts";
import { revisionKinds } from "../report/report.ts";
import { type NextStep, nextStepsText } from "../report/terminal.ts";
import { unmanagedJson, unmanagedMarkdown, unmanagedText } from "../report/unmanaged.ts";
import type { Request } from "../run/request.ts";
import { type Unmanaged, unmanagedResources } from "../run/unmanaged.ts";
import type { Run } from "./command.ts";
import { otherFolder } from "./import-files.ts";
import { stepsAfterUnmanaged } from "./next-steps.ts";
import { asksForHtml, openReports, printProblems } from "./outputs.ts";
import { requestOf } from "./run-request.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** `evenkeel unmanaged`: live resources that no policy declares. */
export const run: Run<Options<"unmanaged">> = async (terminal, options) => {
  const report = openReports(terminal, options.report, revisionKinds);
  const html = asksForHtml(options.report) ? (await import("../report/html/report-page.ts")).unmanagedHtml : () => "";
  const bar = terminal.progress("Reading");
  const request = requestOf(terminal, options);
  const unmanaged = await unmanagedResources({ ...request, progress: bar.update }).finally(bar.stop);
  printProblems(terminal, unmanaged);
  report({
    text: () => formatText(unmanaged, terminal, nextSteps(unmanaged, terminal, request, options)),
    json: () => unmanagedJson(unmanaged),
    markdown: () => unmanagedMarkdown(unmanaged),
    html: () => html(unmanaged),
  });
  return exitCode({ interrupted: terminal.interrupted.aborted, problem: unmanaged.problems.length > 0 });
};

function formatText(found: Unmanaged, { palette }: Terminal, next: readonly NextStep[]): string {
  if (found.projects === 0 && found.problems.length > 0) return "";
  return paragraphs([unmanagedText(found, palette), nextStepsText(next, palette)]);
}

function nextSteps(
  { resources: [first] }: Unmanaged,
  { cwd }: Terminal,
  { folder }: Request,
  options: Options<"unmanaged">,
): readonly NextStep[] {
  return first ? stepsAfterUnmanaged(first.project, options, otherFolder(cwd, folder, first.project)) : [];
}
