import { counted } from "../base/text-format.ts";
import type { ReportedProblem } from "../model/problem-line.ts";
import type { Outcome } from "../model/types.ts";
import type { RunEnd } from "./run-end.ts";

interface UnsuccessfulRun extends Pick<RunEnd, "outcomes"> {
  readonly problems: readonly ReportedProblem[];
  readonly refused?: readonly { readonly message: string }[] | undefined;
}

/** Why a run was refused, failed, or left something stale: a sentence for each cause, the one of most projects first. */
export function runReasons({ refused = [], problems, outcomes = new Map() }: UnsuccessfulRun): readonly string[] {
  const causes = new Map<string, string[]>();
  const add = (message: string, where: string | undefined) => {
    const known = causes.get(message);
    if (known) known.push(where ?? "");
    else causes.set(message, [where ?? ""]);
  };
  for (const problem of problems) add(problem.message, locationOf(problem));
  for (const [address, outcome] of outcomes) if (isUnsuccessful(outcome)) add(outcome.error ?? outcome.status, address);
  const found = [...causes].sort(([, a], [, b]) => b.length - a.length);
  return [...refused.map(({ message }) => message), ...found.map(([message, places]) => reasonText(message, places))];
}

function isUnsuccessful({ status }: Outcome): boolean {
  return status !== "applied" && status !== "skipped";
}

function locationOf({ file, line, project }: ReportedProblem): string | undefined {
  return file === undefined ? project : `${file}:${line}`;
}

function reasonText(message: string, [first = "", ...others]: readonly string[]): string {
  if (first === "") return message;
  return others.length === 0 ? `${first}: ${message}` : `${message} (${first} and ${counted(others.length, "other")})`;
}
