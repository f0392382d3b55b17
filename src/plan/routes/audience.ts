import { groupedAs } from "../../base/grouped.ts";
import { memoized } from "../../base/memoize.ts";
import { joinedByAnd } from "../../base/text-format.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import type { EventKind, PipelineStatus } from "../../model/events.ts";
import { type BranchKind, branchKinds } from "../../model/events.ts";
import { audienceOf, branchWords, type EventDetails, type Listener } from "./routes.ts";

export interface Rerouting {
  /** Messages on events that a recipient loses without another one receiving them. */
  readonly lost: readonly string[];
  /** Other events that move from one recipient to another: `#mobile -> #mobile-on-call (chat)`. */
  readonly moved: readonly string[];
}

export const noRerouting: Rerouting = { lost: [], moved: [] };

export function reroutingOf(before: Listener, after: Listener): Rerouting {
  const { lost, gained, sides } = compareAudiences(before, after);
  const moves = movesBetween(lost, gained);
  const moving = groupedAs(
    moves,
    ({ from }) => from,
    ({ situations }) => situations,
  );
  const left = listGone(lost, new Map([...moving].map(([from, situations]) => [from, situations.flat()])));
  return { lost: lossSentences(left, sides), moved: moveSentences(moves, sides) };
}

function compareAudiences(before: Listener, after: Listener) {
  const [own, others] = [groupAudiences(before), groupAudiences(after)];
  return { lost: listGone(own, others), gained: listGone(others, own), sides: { slug: before.slug, own, others } };
}

const situationsIn = memoized(
  ({ events }: Catalogue): readonly EventSituation[] =>
    [...events].flatMap(([event, kind]) =>
      (kind.onBranch ? branchKinds : [undefined]).flatMap((branchKind) =>
        (kind.statuses ?? [undefined]).map((pipelineStatus) => {
          return { event, kind, branchKind, pipelineStatus, key: [event, branchKind, pipelineStatus].join() };
        }),
      ),
    ),
  new WeakMap(),
);

/** The events that each channel, recipient or slug receives. */
type Audiences = ReadonlyMap<string, readonly EventSituation[]>;

function groupAudiences(listener: Listener): Audiences {
  const received = situationsIn(listener.catalogue).flatMap((situation) =>
    audienceOf(listener, situation).map((name) => ({ name, situation })),
  );
  return groupedAs(
    received,
    ({ name }) => name,
    ({ situation }) => situation,
  );
}

function listGone(own: Audiences, others: Audiences): Audiences {
  const gone = [...own].map(([name, received]) => {
    const remaining = situationKeys(others.get(name) ?? []);
    return [name, received.filter(({ key }) => !remaining.has(key))] as const;
  });
  return new Map(gone.filter(([, situations]) => situations.length > 0));
}

function situationKeys(situations: readonly EventSituation[]): ReadonlySet<string> {
  return new Set(situations.map(({ key }) => key));
}

interface Sides {
  readonly slug: string;
  readonly own: Audiences;
  readonly others: Audiences;
}

function lossSentences(lost: Audiences, { slug, own, others }: Sides): string[] {
  const elsewhere = [...others.values()].flat();
  return [...lost].map(([name, situations]) => {
    const received = own.get(name) ?? [];
    const isWhole = situations.length === received.length && !others.has(name);
    const isAll = isWhole && countKinds(situations) > mostNamed;
    return `${name} will no longer receive ${isAll ? "any events" : formatPhrases(situations, received, elsewhere)}${behind(name, slug)}`;
  });
}

function behind(name: string, slug: string): string {
  return name === slug ? "" : ` (${slug})`;
}

interface Move {
  readonly from: string;
  readonly to: string;
  readonly situations: readonly EventSituation[];
}

function movesBetween(lost: Audiences, gained: Audiences): readonly Move[] {
  return [...lost].flatMap(([from, gone]) =>
    [...gained].flatMap(([to, news]) => {
      const keys = situationKeys(news);
      const situations = gone.filter(({ key }) => keys.has(key));
      return situations.length > 0 ? [{ from, to, situations }] : [];
    }),
  );
}

/** `#mobile -> #mobile-on-call (chat)`, with the events unless they are all that the receiver had. */
function moveSentences(moves: readonly Move[], { slug, own, others }: Sides): string[] {
  const alike = groupedAs(
    moves,
    ({ from, situations }) => JSON.stringify([from, [...situationKeys(situations)]]),
    (move) => move,
  );
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { from, situations } = first;
    const received = own.get(from) ?? [];
    const what =
      situations.length === received.length
        ? ""
        : `: ${formatPhrases(situations, received, [...others.values()].flat())}`;
    return [`${from} -> ${joinedByAnd(group.map(({ to }) => to))}${what}${behind(from, slug)}`];
  });
}

/** More kinds of event are reported as "any events". */
const mostNamed = 6;

function countKinds(situations: readonly EventSituation[]): number {
  return new Set(situations.map(({ event }) => event)).size;
}

interface EventSituation extends EventDetails {
  readonly kind: EventKind;
  readonly key: string;
}

/** Events grouped by branches: `issues, and pushes and jobs on protected branches`. */
function formatPhrases(
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
  const clauses = [...new Set(moved.map(({ pipelineStatus }) => pipelineStatus))].map((status) => {
    const what = status ? `${statusWords[status]} ${many}` : many;
    return {
      what,
      where: describeBranches(branchesOf(moved, status), branchesOf(received, status), branchesOf(elsewhere, status)),
    };
  });
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
