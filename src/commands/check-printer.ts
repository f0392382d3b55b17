import { printable } from "../base/printable.ts";
import { counted } from "../base/text-format.ts";
import { labelledErrors, reportedLine, withoutRepeats } from "../model/problem-line.ts";
import { ownersCounted } from "../plan/owner-counts.ts";
import { prometheus } from "../report/prometheus.ts";
import type { CheckEnd } from "../watch/check.ts";
import type { Terminal } from "./terminal.ts";

/** Prints a line for each check, and keeps metrics. */
export interface CheckPrinter {
  readonly checked: (end: CheckEnd) => void;
  readonly metrics: () => CheckFigures;
}

export interface CheckFigures {
  /** The last full check in the format of `--report prometheus`; empty before the first one. */
  readonly seen: string;
  readonly server: string;
  /** The number of checks by outcome. */
  readonly checks: Readonly<Record<string, number>>;
  /** When the last check ended, in seconds since 1970. */
  readonly last: number | undefined;
}

export function checkPrinter(terminal: Terminal): CheckPrinter {
  let figures: CheckFigures = { seen: "", server: "", checks: {}, last: undefined };
  const told = { problems: "" };
  return {
    metrics: () => figures,
    checked: (end) => {
      const { outcome } = end;
      terminal.print(lineOf(end));
      const problems = problemLines(end);
      if (problems !== told.problems) terminal.warn(problems);
      told.problems = problems;
      figures = {
        seen: end.whole ? metricsOf(end, figures.seen) : figures.seen,
        server: end.plan.server.url,
        checks: { ...figures.checks, [outcome]: (figures.checks[outcome] ?? 0) + 1 },
        last: end.finishedAt.getTime() / 1000,
      };
    },
  };
}

/** `2026-11-22T02:00:00Z  different: 3 changes in 2 of 214 projects, 430 requests, 1.2 s (run R)` */
function lineOf({ plan, whole, applied, run, outcome, seconds, finishedAt }: CheckEnd): string {
  const { changed_projects: changed, reads } = plan.summary;
  const { length } = plan.resource_changes;
  const done = [...(applied?.outcomes?.values() ?? [])].filter(({ status }) => status === "applied").length;
  const parts = [
    length === 0
      ? ownersCounted(plan.summary)
      : `${counted(length, "change")} in ${changed} of ${ownersCounted(plan.summary)}`,
    ...(whole ? [] : [`since ${plan.scope?.since?.slice(0, 12)}`]),
    ...(done > 0 ? [`${done} applied`] : []),
    counted(reads, "read"),
    `${seconds.toFixed(1)} s`,
  ];
  return printable(
    `${finishedAt.toISOString()}  ${outcome}: ${parts.join(", ")}${run === null ? "" : `  (run ${run})`}`,
  );
}

function problemLines({ plan, errors, applied }: CheckEnd): string {
  const refused = (applied?.refused ?? []).map(({ message }) => printable(`refused: ${message}`));
  const lines = withoutRepeats([...plan.problems, ...errors]).map((problem) => labelledErrors(reportedLine(problem)));
  return [...lines, ...refused].join("\n");
}

function metricsOf({ plan, catalogue, compared, seconds, finishedAt, exitCode }: CheckEnd, before: string): string {
  const report = { plan, catalogue, compared, seconds, finishedAt, exitCode, command: "watch", folder: "" };
  return prometheus(report, () => before);
}
