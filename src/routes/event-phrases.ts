import { groupedAs } from "../base/grouped.ts";
import { joinedByAnd } from "../base/text-format.ts";
import type { BranchKind } from "../model/branch-kinds.ts";
import type { EventKind, PipelineStatus } from "../model/events.ts";
import { branchWords, type EventDetails } from "./conditions.ts";

/** A combination of event, branch and status. */
export interface EventSituation extends EventDetails {
  readonly kind: EventKind;
  readonly key: string;
}

/** Events grouped by branches: `issues, and pushes and jobs on protected branches`. */
export function phrases(
  moved: readonly EventSituation[],
  received: readonly EventSituation[],
  elsewhere: readonly EventSituation[],
): string {
  const all = [...new Set(moved.map((each) => each.event))].flatMap((event) => {
    const of = (list: readonly EventSituation[]) => list.filter((each) => each.event === event);
    return parts(of(moved), of(received), of(elsewhere));
  });
  const groups = groupedAs(
    all,
    ({ where }) => where,
    ({ what }) => what,
  );
  const whole = ([where]: readonly [string, unknown]) => Number(where !== "");
  const sorted = [...groups].sort((a, b) => whole(a) - whole(b));
  return sorted.map(([where, words]) => `${joinedByAnd(words)}${where}`).join(", and ");
}

interface Part {
  readonly what: string;
  readonly where: string;
}

/** One part if all statuses changed on the same branches, else one for each status. */
function parts(
  moved: readonly EventSituation[],
  received: readonly EventSituation[],
  elsewhere: readonly EventSituation[],
): Part[] {
  const { many = "", statuses = [] } = moved[0]?.kind ?? {};
  const branchesOf = (list: readonly EventSituation[], status: PipelineStatus | undefined) =>
    list.flatMap((each) => (each.pipelineStatus === status ? (each.branchKind ?? []) : []));
  const found = [...new Set(moved.map(({ pipelineStatus }) => pipelineStatus))].map((status) => {
    const what = status ? `${statusWords[status]} ${many}` : many;
    return {
      what,
      where: whereOf(branchesOf(moved, status), branchesOf(received, status), branchesOf(elsewhere, status)),
    };
  });
  const [first] = found;
  const isWhole = found.length >= statuses.length && found.every(({ where }) => where === first?.where);
  return first && isWhole ? [{ what: many, where: first.where }] : found;
}

const statusWords: Readonly<Record<PipelineStatus, string>> = { failed: "failed", success: "successful" };

/** Empty if all branches are affected and the other side does not receive the event on others. */
function whereOf(
  moved: readonly BranchKind[],
  received: readonly BranchKind[],
  elsewhere: readonly BranchKind[],
): string {
  const isAll = moved.length === received.length;
  const sameThere = elsewhere.length === 0 || branchWords(elsewhere) === branchWords(received);
  return isAll && sameThere ? "" : ` on ${branchWords(moved)}`;
}
