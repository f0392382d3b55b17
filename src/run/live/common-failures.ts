import { explainCallFailure } from "../../client/explain-failure.ts";
import type { CallFailed } from "../../client/failure.ts";
import type { DesiredFleet } from "../../manifest/desired-fleet.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { sectionNameOf } from "../../model/kinds.ts";
import { ownerOfKind } from "../../model/owner.ts";
import type { DesiredProject, Kind, Problem } from "../../model/types.ts";
import { type Unread, unreadProblem } from "./partly-read.ts";

/** A list that the token may not read in any project. The problem replaces those with the messages in `instead`. */
export interface RefusedList {
  readonly problem: Problem;
  readonly instead: ReadonlySet<string>;
}

/** The result of reading a project. */
interface Read {
  readonly unread?: readonly Unread[];
  readonly failure?: CallFailed;
  readonly missing?: object;
}

/** Lists for which all of several projects returned 403: the token lacks a role everywhere, which is reported once. */
export function refusedLists(catalogue: Catalogue, fleet: DesiredFleet, read: readonly Read[]): readonly RefusedList[] {
  // Only if anything was refused: desired state is computed on access.
  if (!read.some(isRefused)) return [];
  return [...catalogue.kinds.keys()].flatMap((kind) => {
    const [first, ...others] = collectRefusals(catalogue, fleet, read, kind);
    if (!first || others.length === 0) return [];
    const what = `${sectionNameOf(catalogue, kind)} of ${others.length + 1} ${ownerOfKind(kind)}s could not be read and are left out of the plan`;
    const message = `${what}: ${first.why}; the same error for all of them`;
    const instead = new Set([first, ...others].map(({ message }) => message));
    return [{ problem: { severity: "error", rule: "unreadable", message }, instead }];
  });
}

function isRefused({ unread = [], failure }: Read): boolean {
  return [failure, ...unread.map((each) => each.failure)].some((each) => each?.status === 403);
}

/** Refusals of a kind's list by project; empty if any project returned it. */
function collectRefusals(catalogue: Catalogue, { at }: DesiredFleet, read: readonly Read[], kind: Kind) {
  const refused: { readonly why: string; readonly message: string }[] = [];
  for (const [index, each] of read.entries()) {
    const project = at(index);
    if (each.missing || !project.kinds.has(kind)) continue;
    const why = describeRefusal(catalogue, project, kind, each);
    if (!why) return [];
    refused.push(why);
  }
  return refused;
}

/** The reason of a refused list, and the message of the project's problem. */
function describeRefusal(catalogue: Catalogue, project: DesiredProject, kind: Kind, { unread = [], failure }: Read) {
  if (failure?.status === 403) return { why: explainCallFailure(failure), message: explainCallFailure(failure) };
  const part = unread.find((each) => each.kind === kind && each.key === undefined);
  if (part?.failure.status !== 403) return undefined;
  return { why: explainCallFailure(part.failure), message: unreadProblem(catalogue, project, part).message };
}

/** If this many projects fail with the same error, the others would too. */
const enough = 20;

/** True if the failure affects every project: a web page because of a wrong URL, or a 403 for the token. */
function isCommon({ kind, status }: CallFailed): boolean {
  return kind === "html" || status === 403;
}

/** Detects a failure common to all projects, which is reported once and ends the run. */
export interface CommonFailure {
  /**
   * Call for each project; `failure` if nothing of it could be read. @throws CallFailed once the first 20 all failed
   * with the same error.
   */
  add(failure: CallFailed | undefined): void;
  /** One problem for all projects, if there are several and all failed with the same error. */
  problem(): Problem | undefined;
}

/** `total`: number of projects to read. */
export function failFastOnCommonError(total: number): CommonFailure {
  let first: CallFailed | undefined;
  let alike = 0;
  let isOther = false;
  return {
    add(failure) {
      if (isOther) return;
      first ??= failure;
      if (!failure || !first || !isCommon(failure) || failure.kind !== first.kind) isOther = true;
      else if (++alike === enough && total > enough)
        throw first.endingRun(`the first ${enough} of ${total} projects failed with the same error, so the run ended`);
    },
    problem() {
      if (isOther || !first || total < 2) return undefined;
      const message = `${explainCallFailure(first)}; all ${total} projects failed with the same error`;
      return { severity: "error", rule: "unreadable", message };
    },
  };
}
