import { grouped, groupedAs } from "../../base/grouped.ts";
import { memoized } from "../../base/memoize.ts";
import { joinedByAnd } from "../../base/text-format.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { type BranchKind, branchKinds, type EventKind, type PipelineStatus } from "../../model/events.ts";
import { branchWords, type EventDetails, findDelivery, type Listener } from "./routes.ts";

export interface Rerouting {
  /** Messages on events that a recipient loses without another one receiving them. */
  readonly lost: readonly string[];
  /** Other events that move from one recipient to another: `#mobile -> #mobile-on-call (chat)`. */
  readonly moved: readonly string[];
}

export const noRerouting: Rerouting = { lost: [], moved: [] };

/** Compares who receives what before and after, for listeners of one catalogue. */
export function reroutingOf(before: Listener, after: Listener): Rerouting {
  const [own, others] = [audiencesOf(before), audiencesOf(after)];
  const gained = without(others, own);
  const elsewhere = [...others.values()].flat();
  const source = (name: string) => (name === before.slug ? "" : ` (${before.slug})`);
  const lost: string[] = [];
  // `what`: `: ` and the events, unless they are all that the receiver had.
  const moves: { from: string; to: string; what: string }[] = [];
  for (const [from, gone] of without(own, others)) {
    const received = own.get(from) ?? [];
    const moved = [...gained].map(([to, news]) => ({ to, situations: gone.filter((each) => news.includes(each)) }));
    for (const { to, situations } of moved.filter((move) => move.situations.length > 0)) {
      const isAll = situations.length === received.length;
      moves.push({ from, to, what: isAll ? "" : `: ${describeSituations(situations, received, elsewhere)}` });
    }
    const left = gone.filter((each) => !moved.some(({ situations }) => situations.includes(each)));
    if (left.length === 0) continue;
    const isWhole = left.length === received.length && !others.has(from);
    const isAny = isWhole && new Set(left.map(({ event }) => event)).size > mostNamed;
    const what = isAny ? "any events" : describeSituations(left, received, elsewhere);
    lost.push(`${from} will no longer receive ${what}${source(from)}`);
  }
  const alike = grouped(moves, ({ from, what }) => JSON.stringify([from, what]));
  const moved = Array.from(alike.values(), (those) => {
    const [{ from, what }] = those;
    return `${from} -> ${joinedByAnd(those.map(({ to }) => to))}${what}${source(from)}`;
  });
  return { lost, moved };
}

/** More kinds of event are reported as "any events". */
const mostNamed = 6;

interface Situation extends EventDetails {
  readonly kind: EventKind;
}

/** The events that each channel, recipient or slug receives. */
type Audiences = ReadonlyMap<string, readonly Situation[]>;

function audiencesOf(listener: Listener): Audiences {
  const received = situationsIn(listener.catalogue).flatMap((situation) =>
    (findDelivery(listener, situation)?.recipients ?? []).map((name) => ({ name, situation })),
  );
  return groupedAs(received, ({ name, situation }) => [name, situation]);
}

/** All situations of a catalogue; each is one object, so that audiences are compared by identity. */
const situationsIn = memoized(
  ({ events }: Catalogue): readonly Situation[] =>
    [...events].flatMap(([event, kind]) =>
      (kind.onBranch ? branchKinds : [undefined]).flatMap((branchKind) =>
        (kind.statuses ?? [undefined]).map((pipelineStatus) => ({ event, kind, branchKind, pipelineStatus })),
      ),
    ),
  new WeakMap(),
);

function without(own: Audiences, others: Audiences): Audiences {
  const gone = [...own].map(([name, received]) => {
    const remaining = new Set(others.get(name));
    return [name, received.filter((each) => !remaining.has(each))] as const;
  });
  return new Map(gone.filter(([, situations]) => situations.length > 0));
}

/** Events grouped by branches: `issues, and pushes and jobs on protected branches`. */
function describeSituations(
  moved: readonly Situation[],
  received: readonly Situation[],
  elsewhere: readonly Situation[],
): string {
  const clauses = [...grouped(moved, ({ event }) => event)].flatMap(([event, those]) => {
    const of = (list: readonly Situation[]) => list.filter((each) => each.event === event);
    return clausesOf(those, of(received), of(elsewhere));
  });
  const byPlace = groupedAs(clauses, ({ where, what }) => [where, what]);
  const sorted = [...byPlace].sort(([a], [b]) => Number(a !== "") - Number(b !== ""));
  return sorted.map(([where, words]) => `${joinedByAnd(words)}${where}`).join(", and ");
}

/** One clause for an event if all statuses changed on the same branches, else one for each status. */
function clausesOf(moved: readonly Situation[], received: readonly Situation[], elsewhere: readonly Situation[]) {
  const { many = "", statuses = [] } = moved[0]?.kind ?? {};
  const clauses = [...grouped(moved, ({ pipelineStatus }) => pipelineStatus ?? ("" as const))].map(
    ([status, those]) => {
      const branchesOf = (list: readonly Situation[]) =>
        list.flatMap((each) => ((each.pipelineStatus ?? "") === status ? (each.branchKind ?? []) : []));
      const where = describeBranches(branchesOf(those), branchesOf(received), branchesOf(elsewhere));
      return { what: status ? `${statusWords[status]} ${many}` : many, where };
    },
  );
  const [first] = clauses;
  const isWhole = clauses.length >= statuses.length && clauses.every(({ where }) => where === first?.where);
  return first && isWhole ? [{ what: many, where: first.where }] : clauses;
}

const statusWords: Readonly<Record<PipelineStatus, string>> = { failed: "failed", success: "successful" };

/** Empty if all branches are affected and the other side does not receive the event on others. */
function describeBranches(
  moved: readonly BranchKind[],
  received: readonly BranchKind[],
  elsewhere: readonly BranchKind[],
): string {
  const isAll = moved.length === received.length;
  const sameThere = elsewhere.length === 0 || branchWords(elsewhere) === branchWords(received);
  return isAll && sameThere ? "" : ` on ${branchWords(moved)}`;
}
