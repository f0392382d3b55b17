import { exitCode } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { describeServerUrl } from "../client/server-url.ts";
import { hasErrors } from "../manifest/validate.ts";
import { labelledErrors, reportedLine, reportedProblem } from "../model/problem-line.ts";
import type { Problem } from "../model/types.ts";
import { compareRevisions } from "../plan/revision/revision.ts";
import { revisionKinds } from "../report/report.ts";
import {
  isDifferent,
  type RevisionDocument,
  type RevisionProblem,
  revisionDocument,
  revisionMarkdown,
  revisionText,
} from "../report/revision.ts";
import { type OpenedRevisions, openRevisions } from "../run/revisions.ts";
import type { Run } from "./command.ts";
import { type KnownFleet, keptFleet, projectFile } from "./known-fleet.ts";
import { asksForHtml, openReports } from "./outputs.ts";
import { folderOf } from "./run-request.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";

export const run: Run<Options<"diff">> = async (terminal, options, [from]) => {
  const report = openReports(terminal, options.report, revisionKinds);
  const html = asksForHtml(options.report) ? (await import("../report/html/report-page.ts")).revisionHtml : () => "";
  const fleetFile = options.projects === undefined ? undefined : projectFile(terminal, options.projects);
  const folder = folderOf(terminal, options);
  const opened = await openRevisions({ folder, from, to: options.to, branch: terminal.env.CI_DEFAULT_BRANCH });
  const { catalogue } = opened.after.side.workspace;
  const { name } = opened.after.side.workspace;
  const fleet = fleetFile ?? (await keptFleet(terminal, { root: opened.root, name }, listServers(terminal, opened)));
  const document = createDocument(opened, fleet);
  printRevisionProblems(terminal, document);
  report({
    text: () => (document.problems.length > 0 ? "" : revisionText(document, catalogue, terminal.palette)),
    json: () => JSON.stringify(document, null, 2),
    markdown: () => revisionMarkdown(document, catalogue),
    html: () => html(document, catalogue),
  });
  return exitCode({
    problem: document.problems.length > 0,
    pending: options.detailedExitcode === true && isDifferent(document),
  });
};

function listServers({ env }: Terminal, { before, after }: OpenedRevisions): readonly string[] {
  return [before, after].map(({ side }) => describeServerUrl(env, side.workspace.server));
}

function createDocument({ before, after }: OpenedRevisions, fleet: KnownFleet | undefined): RevisionDocument {
  const wrong = [before.problems, after.problems, fleet?.problems ?? []].some(hasErrors);
  const diff = wrong ? undefined : compareRevisions(before.side, after.side, fleet?.projects);
  const absent = before.isThere ? [] : [absentWorkspace];
  const problems = [
    ...at(before.commit, [...before.problems, ...(diff?.problems.before ?? [])].filter(isShown)),
    ...at(before.commit, absent),
    ...at(after.commit, [...after.problems, ...(diff?.problems.after ?? [])]),
    ...at(null, fleet?.problems ?? []),
  ];
  const heading = {
    base: { revision: before.commit ?? "" },
    head: { revision: after.commit },
    listing: fleet?.listing ?? null,
    problems: problems.filter(({ problem }) => isError(problem)).map(toReported),
    warnings: problems.filter(({ problem }) => !isError(problem)).map(toReported),
  };
  return revisionDocument(heading, diff);
}

const absentWorkspace: Problem = {
  severity: "warning",
  rule: "new-workspace",
  message: "this folder had no evenkeel.yaml, so everything counts as new",
};

/** Errors, and warnings about files of the older revision that the comparison lacks. Its other warnings are omitted. */
function isShown(problem: Problem): boolean {
  return isError(problem) || problem.rule === "submodule";
}

function isError({ severity }: Problem): boolean {
  return severity === "error";
}

interface ProblemAt {
  readonly revision: string | null;
  readonly problem: Problem;
}

function at(revision: string | null, problems: readonly Problem[]): readonly ProblemAt[] {
  return problems.map((problem) => ({ revision, problem }));
}

function toReported({ revision, problem }: ProblemAt): RevisionProblem {
  return { ...reportedProblem(problem), revision };
}

function printRevisionProblems(terminal: Terminal, { problems, warnings }: RevisionDocument): void {
  for (const warning of warnings) terminal.note(printable(`warning: ${locate(warning)}`));
  for (const problem of problems) {
    terminal.warn(problem.revision === null ? labelledErrors(locate(problem)) : printable(`error: ${locate(problem)}`));
  }
}

function locate({ revision, ...problem }: RevisionProblem): string {
  const line = reportedLine(problem);
  return revision === null ? line : `at ${revision.slice(0, 12)}: ${line}`;
}
