import { groupedAs } from "../base/grouped.ts";
import { memoized } from "../base/memoize.ts";
import { type BranchKind, branchKinds } from "../model/branch-kinds.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { EventKind, PipelineStatus } from "../model/events.ts";
import { branchWords, type EventDetails } from "./conditions.ts";
import type { Listener } from "./listener.ts";
import { audienceOf } from "./routes.ts";

/** Sentences on who will receive events no longer, and who will from now on. */
export interface Shift {
  readonly lost: readonly string[];
  readonly gained: readonly string[];
}

/**
 * How the audience of a project changes from one state of its integrations to another, integration by integration.
 * `event`: only as far as one kind of event goes.
 */
export function shiftBetween(before: readonly Listener[], after: readonly Listener[], event?: string): Shift {
  const bySlug = (listeners: readonly Listener[]) => new Map(listeners.map((each) => [each.slug, each]));
  const [was, is] = [bySlug(before), bySlug(after)];
  const slugs = [...new Set([...was.keys(), ...is.keys()])].sort();
  const shifts = slugs.map((slug) => shiftOf(was.get(slug), is.get(slug), event));
  return { lost: shifts.flatMap(({ lost }) => lost), gained: shifts.flatMap(({ gained }) => gained) };
}

/** How one integration's audience changes; undefined on a side where the integration is not there. */
export function shiftOf(before: Listener | undefined, after: Listener | undefined, event?: string): Shift {
  const slug = before?.slug ?? after?.slug ?? "";
  const audienceBefore = audiencesOf(before, event);
  const audienceAfter = audiencesOf(after, event);
  return {
    lost: sentences(slug, audienceBefore, audienceAfter, "will no longer receive"),
    gained: sentences(slug, audienceAfter, audienceBefore, "will receive"),
  };
}

/** One way in which an event may come about. */
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

/** Which situations reach each channel, recipient or slug. */
type Audiences = ReadonlyMap<string, readonly Situation[]>;

function audiencesOf(listener: Listener | undefined, event: string | undefined): Audiences {
  if (!listener) return new Map();
  const wanted = situationsIn(listener.catalogue).filter(
    (situation) => event === undefined || situation.event === event,
  );
  const heard = wanted.flatMap((situation) => audienceOf(listener, situation).map((name) => ({ name, situation })));
  return groupedAs(
    heard,
    ({ name }) => name,
    ({ situation }) => situation,
  );
}

function sentences(
  slug: string,
  mine: Audiences,
  others: Audiences,
  verb: "will no longer receive" | "will receive",
): string[] {
  const elsewhere = [...others.values()].flat();
  return [...mine].flatMap(([name, heard]) => {
    const kept = new Set(others.get(name)?.map(({ key }) => key));
    const moved = heard.filter(({ key }) => !kept.has(key));
    if (moved.length === 0) return [];
    const behind = name === slug ? "" : ` (${slug})`;
    const isAll = verb === "will no longer receive" && kept.size === 0 && kindsOf(moved) > mostNamed;
    return [`${name} ${verb} ${isAll ? "any events" : phrases(moved, heard, elsewhere)}${behind}`];
  });
}

/** Of more kinds of event, that all of them go says more than their names. */
const mostNamed = 6;

function kindsOf(situations: readonly Situation[]): number {
  return new Set(situations.map(({ event }) => event)).size;
}

/** What moved, kinds of event on the same branches together: `issues, and pushes and jobs on protected branches`. */
function phrases(moved: readonly Situation[], heard: readonly Situation[], elsewhere: readonly Situation[]): string {
  const all = [...new Set(moved.map((each) => each.event))].flatMap((event) => {
    const of = (list: readonly Situation[]) => list.filter((each) => each.event === event);
    return parts(of(moved), of(heard), of(elsewhere));
  });
  const groups = groupedAs(
    all,
    ({ where }) => where,
    ({ what }) => what,
  );
  const whole = ([where]: readonly [string, unknown]) => Number(where !== "");
  const sorted = [...groups].sort((a, b) => whole(a) - whole(b));
  return sorted.map(([where, words]) => `${joined(words)}${where}`).join(", and ");
}

interface Part {
  readonly what: string;
  readonly where: string;
}

/** One part where all statuses moved on the same branches, else one a status. */
function parts(moved: readonly Situation[], heard: readonly Situation[], elsewhere: readonly Situation[]): Part[] {
  const { many = "", statuses = [] } = moved[0]?.kind ?? {};
  const branchesOf = (list: readonly Situation[], status: PipelineStatus | undefined) =>
    list.flatMap((each) => (each.pipelineStatus === status ? (each.branchKind ?? []) : []));
  const found = [...new Set(moved.map(({ pipelineStatus }) => pipelineStatus))].map((status) => {
    const what = status ? `${statusWords[status]} ${many}` : many;
    return {
      what,
      where: whereOf(branchesOf(moved, status), branchesOf(heard, status), branchesOf(elsewhere, status)),
    };
  });
  const [first] = found;
  const isWhole = found.length >= statuses.length && found.every(({ where }) => where === first?.where);
  return first && isWhole ? [{ what: many, where: first.where }] : found;
}

const statusWords: Readonly<Record<PipelineStatus, string>> = { failed: "failed", success: "successful" };

/** Nothing where all goes that there was, unless the other side receives the same on other branches. */
function whereOf(moved: readonly BranchKind[], heard: readonly BranchKind[], elsewhere: readonly BranchKind[]): string {
  const isAll = moved.length === heard.length;
  const sameThere = elsewhere.length === 0 || branchWords(elsewhere) === branchWords(heard);
  return isAll && sameThere ? "" : ` on ${branchWords(moved)}`;
}

function joined(phrases: readonly string[]): string {
  const last = phrases.at(-1) ?? "";
  return phrases.length > 1 ? `${phrases.slice(0, -1).join(", ")} and ${last}` : last;
}
