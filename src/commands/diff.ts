import { exitCode } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { hasErrors } from "../manifest/validate.ts";
import { bySeverity, labelledErrors, type ReportedProblem, reportedLine } from "../model/problem-line.ts";
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
import type { Options } from "./command.ts";
import { type KnownFleet, knownFleet } from "./known-fleet.ts";
import { showing } from "./outputs.ts";
import type { Terminal } from "./terminal.ts";

export const run = showing<Options<"diff">>(async (terminal, options, [from]) => {
  const asksForHtml = options.report?.some((each) => each.split("=")[0] === "html");
  const html = asksForHtml ? (await import("../report/html/report-page.ts")).revisionHtml : () => "";
  const folder = terminal.folder;
  const opened = await openRevisions({ folder, from, to: options.to, branch: terminal.env.CI_DEFAULT_BRANCH });
  const { catalogue } = opened.after.side.workspace;
  const workspaces = [opened.after.side.workspace, opened.before.side.workspace] as const;
  const fleet = await knownFleet(terminal, options.projects, opened.root, ...workspaces);
  const document = createDocument(opened, fleet);
  printRevisionProblems(terminal, document);
  const problem = document.problems.length > 0;
  return {
    text: (palette) => (problem ? "" : revisionText(document, catalogue, palette)),
    json: () => document,
    more: { markdown: () => revisionMarkdown(document, catalogue), html: () => html(document, catalogue) },
    code: exitCode({ problem, pending: options.detailedExitcode === true && isDifferent(document) }),
  };
}, revisionKinds);

function createDocument({ before, after }: OpenedRevisions, fleet: KnownFleet | undefined): RevisionDocument {
  const wrong = [before.problems, after.problems, fleet?.problems ?? []].some(hasErrors);
  const diff = wrong ? undefined : compareRevisions(before.side, after.side, fleet?.projects);
  // Errors, and warnings about files of the older revision that the comparison lacks. Its other warnings are omitted.
  const olderProblems = [...before.problems, ...(diff?.problems.before ?? [])].filter(
    ({ severity, rule }) => severity === "error" || rule === "submodule",
  );
  const sides = [
    reportSide(before.commit, before.isThere ? olderProblems : [...olderProblems, absentWorkspace]),
    reportSide(after.commit, [...after.problems, ...(diff?.problems.after ?? [])]),
    reportSide(null, fleet?.problems ?? []),
  ];
  const heading = {
    base: { revision: before.commit ?? "" },
    head: { revision: after.commit },
    listing: fleet?.listing ?? null,
    problems: sides.flatMap(({ problems }) => problems),
    warnings: sides.flatMap(({ warnings }) => warnings),
  };
  return revisionDocument(heading, diff);
}

function reportSide(revision: string | null, all: readonly Problem[]) {
  const { problems, warnings } = bySeverity(all);
  const at = (problem: ReportedProblem): RevisionProblem => ({ ...problem, revision });
  return { problems: problems.map(at), warnings: warnings.map(at) };
}

const absentWorkspace: Problem = {
  severity: "warning",
  rule: "new-workspace",
  message: "this folder had no evenkeel.yaml, so everything counts as new",
};

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
