import { commonForm } from "../base/common-form.ts";
import { grouped } from "../base/grouped.ts";
import { counted } from "../base/text-format.ts";
import { addressParts } from "../model/address.ts";
import type { ReportedProblem } from "../model/problem-line.ts";
import type { Outcome } from "../model/types.ts";
import type { RunEnd } from "./run-end.ts";

interface UnsuccessfulRun extends Pick<RunEnd, "outcomes"> {
  readonly problems: readonly ReportedProblem[];
  readonly refused?: readonly { readonly message: string }[] | undefined;
}

/** Why a run was refused, failed, or left something stale: a sentence for each cause, the one of most projects first. */
export function runReasons({ refused = [], problems, outcomes = new Map() }: UnsuccessfulRun): readonly string[] {
  const told = [...problems.map(problemCause), ...[...outcomes].flatMap(outcomeCause)];
  const causes = [...grouped(told, ({ message, project }) => commonForm(message, project)).values()];
  return [...refused.map(({ message }) => message), ...causes.sort((a, b) => b.length - a.length).map(reasonText)];
}

interface Cause {
  readonly message: string;
  readonly where: string | undefined;
  readonly project: string | undefined;
}

function problemCause(problem: ReportedProblem): Cause {
  return { message: problem.message, where: locationOf(problem), project: problem.project };
}

function outcomeCause([address, outcome]: readonly [string, Outcome]): readonly Cause[] {
  if (!isUnsuccessful(outcome)) return [];
  return [{ message: outcome.error ?? outcome.status, where: address, project: addressParts(address)[0] }];
}

function isUnsuccessful({ status }: Outcome): boolean {
  return status !== "applied" && status !== "skipped";
}

function locationOf({ file, line, project }: ReportedProblem): string | undefined {
  return file === undefined ? project : `${file}:${line}`;
}

function reasonText([first, ...others]: readonly Cause[]): string {
  if (!first) return "";
  const { message, where } = first;
  if (!where) return message;
  return others.length === 0 ? `${where}: ${message}` : `${message} (${where} and ${counted(others.length, "other")})`;
}
