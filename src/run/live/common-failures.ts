import { explainCallFailure } from "../../client/explain-failure.ts";
import type { CallFailed } from "../../client/failure.ts";
import type { DesiredFleet } from "../../manifest/desired-fleet.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { sectionNameOf } from "../../model/kinds.ts";
import { ownerOfKind } from "../../model/owner.ts";
import type { DesiredProject, Kind, Problem } from "../../model/types.ts";
import { type Unread, unreadProblem } from "./partly-read.ts";

/** One problem for a list that the token may read in no project. It replaces the problems with these messages. */
export interface RefusedList {
  readonly problem: Problem;
  readonly instead: ReadonlySet<string>;
}

/** What came of reading a project. */
interface Read {
  readonly unread?: readonly Unread[];
  readonly failure?: CallFailed;
  readonly missing?: object;
}

/** Lists that each of several projects answered 403: the token lacks a role everywhere, which is reported once. */
export function refusedLists(catalogue: Catalogue, fleet: DesiredFleet, read: readonly Read[]): readonly RefusedList[] {
  // Desired state is computed on access, so that it is asked for only where something was refused.
  if (!read.some(isRefused)) return [];
  return [...catalogue.kinds.keys()].flatMap((kind) => {
    const [first, ...others] = refusals(catalogue, fleet, read, kind);
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

/** Why each list of a kind was refused; none where any was not. */
function refusals(catalogue: Catalogue, { at }: DesiredFleet, read: readonly Read[], kind: Kind) {
  const refused: { readonly why: string; readonly message: string }[] = [];
  for (const [index, each] of read.entries()) {
    const project = at(index);
    if (each.missing || !project.kinds.has(kind)) continue;
    const why = refusal(catalogue, project, kind, each);
    if (!why) return [];
    refused.push(why);
  }
  return refused;
}

/** Why a project's list was refused, and the message that says so of this project. */
function refusal(catalogue: Catalogue, project: DesiredProject, kind: Kind, { unread = [], failure }: Read) {
  if (failure?.status === 403) return { why: explainCallFailure(failure), message: explainCallFailure(failure) };
  const part = unread.find((each) => each.kind === kind && each.key === undefined);
  if (part?.failure.status !== 403) return undefined;
  return { why: explainCallFailure(part.failure), message: unreadProblem(catalogue, project, part).message };
}

/** If so many projects fail with the same error, the others would too. */
const enough = 20;

/** Whether a wrong URL or a token without permissions causes a failure, for every project then: a web page, or a 403. */
function isCommon({ kind, status }: CallFailed): boolean {
  return kind === "html" || status === 403;
}

/** Failures of whole projects that all may have in common: reported once then, and the run ends. */
export interface CommonFailure {
  /** One project was read; `failure` if nothing of it could be. @throws CallFailed once the first 20 all failed with the same error. */
  add(failure: CallFailed | undefined): void;
  /** The one problem of all projects, if there are several and all failed with the same error. */
  problem(): Problem | undefined;
}

/** `total`: projects that are read. */
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
