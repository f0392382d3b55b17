import { groupedAs } from "../base/grouped.ts";
import { memoized } from "../base/memoize.ts";
import { joinedByAnd } from "../base/text-format.ts";
import { type BranchKind, branchKinds } from "../model/branch-kinds.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { EventKind, PipelineStatus } from "../model/events.ts";
import { branchWords, type EventDetails } from "./conditions.ts";
import type { Listener } from "./listener.ts";
import { audienceOf } from "./routes.ts";

/** Messages on lost and on gained recipients of events. */
export interface Shift {
  readonly lost: readonly string[];
  readonly gained: readonly string[];
}

/**
 * How the recipients of a project's events change between two states of its integrations.
 * `event` restricts it to one kind of event.
 */
export function shiftBetween(before: readonly Listener[], after: readonly Listener[], event?: string): Shift {
  const bySlug = (listeners: readonly Listener[]) => new Map(listeners.map((each) => [each.slug, each]));
  const [was, is] = [bySlug(before), bySlug(after)];
  const slugs = [...new Set([...was.keys(), ...is.keys()])].sort();
  const shifts = slugs.map((slug) => shiftOf(was.get(slug), is.get(slug), event));
  return { lost: shifts.flatMap(({ lost }) => lost), gained: shifts.flatMap(({ gained }) => gained) };
}

/** How the recipients of one integration change; undefined on a side without the integration. */
export function shiftOf(before: Listener | undefined, after: Listener | undefined, event?: string): Shift {
  const slug = before?.slug ?? after?.slug ?? "";
  const audienceBefore = audiencesOf(before, event);
  const audienceAfter = audiencesOf(after, event);
  return {
    lost: sentences(slug, audienceBefore, audienceAfter, "will no longer receive"),
    gained: sentences(slug, audienceAfter, audienceBefore, "will receive"),
  };
}

/** A combination of event, branch and status. */
interface Situation extends EventDetails {
  readonly kind: EventKind;
  readonly key: string;
}

const situationsIn = memoized(
  ({ events }: Catalogue): readonly Situation[] =>
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
type Audiences = ReadonlyMap<string, readonly Situation[]>;

function audiencesOf(listener: Listener | undefined, event: string | undefined): Audiences {
  if (!listener) return new Map();
  const wanted = situationsIn(listener.catalogue).filter(
    (situation) => event === undefined || situation.event === event,
  );
  const received = wanted.flatMap((situation) => audienceOf(listener, situation).map((name) => ({ name, situation })));
  return groupedAs(
    received,
    ({ name }) => name,
    ({ situation }) => situation,
  );
}

function sentences(
  slug: string,
  own: Audiences,
  others: Audiences,
  verb: "will no longer receive" | "will receive",
): string[] {
  const elsewhere = [...others.values()].flat();
  return [...own].flatMap(([name, received]) => {
    const kept = new Set(others.get(name)?.map(({ key }) => key));
    const moved = received.filter(({ key }) => !kept.has(key));
    if (moved.length === 0) return [];
    const behind = name === slug ? "" : ` (${slug})`;
    const isAll = verb === "will no longer receive" && kept.size === 0 && kindsOf(moved) > mostNamed;
    return [`${name} ${verb} ${isAll ? "any events" : phrases(moved, received, elsewhere)}${behind}`];
  });
}

/** More kinds of event are reported as "any events". */
const mostNamed = 6;

function kindsOf(situations: readonly Situation[]): number {
  return new Set(situations.map(({ event }) => event)).size;
}

/** Events grouped by branches: `issues, and pushes and jobs on protected branches`. */
function phrases(moved: readonly Situation[], received: readonly Situation[], elsewhere: readonly Situation[]): string {
  const all = [...new Set(moved.map((each) => each.event))].flatMap((event) => {
    const of = (list: readonly Situation[]) => list.filter((each) => each.event === event);
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
function parts(moved: readonly Situation[], received: readonly Situation[], elsewhere: readonly Situation[]): Part[] {
  const { many = "", statuses = [] } = moved[0]?.kind ?? {};
  const branchesOf = (list: readonly Situation[], status: PipelineStatus | undefined) =>
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
