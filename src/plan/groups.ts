import { grouped } from "../base/grouped.ts";
import { commonForm, counted, joinedByAnd } from "../base/text-format.ts";
import { resourceName } from "../model/address.ts";
import { isListedByCatalogue } from "../model/kinds.ts";
import { bareName, ownerOfName } from "../model/owner.ts";
import { isRemoval, turnsOff } from "../model/removal-changes.ts";
import type { Action, Fields, Place, Plain, Value } from "../model/types.ts";
import { isList, isReference, isScalar } from "../model/values.ts";
import { namesCounted } from "./heading.ts";
import { actionOf, type PlannedChange, visibleOf } from "./plan.ts";

/** The properties of a change that grouping compares: of a plan or between two revisions. */
export interface Groupable {
  readonly project: string;
  readonly subject: string;
  readonly action: string;
  /** True if the resource is removed: then its previous values do not matter. */
  readonly removes: boolean;
  readonly before: Fields | null;
  readonly after: Fields | null;
  /** Further properties to compare. */
  readonly sentences: readonly string[];
  readonly source: Place;
}

export interface ChangeGroup<Each> {
  /** In their original order; never empty. */
  readonly members: readonly [Each, ...Each[]];
  readonly projects: readonly string[];
  /** The common values; with several changes, a project's own path is written `${project.path}`. */
  readonly shared: Omit<Groupable, "source">;
  /** Their distinct source lines, in their original order. */
  readonly lines: readonly [Place, ...Place[]];
  /** The old values of each field, if the members do not have the same ones or change the same fields. */
  readonly was?: ReadonlyMap<string, readonly OldValue[]>;
}

export interface OldValue {
  readonly value: Value | undefined;
  readonly count: number;
}

/**
 * Groups equal changes, in the order of the first of each. Changes are equal if only project and source line differ.
 * For removed resources, `shared.before` contains the common values.
 */
export function groupsOf<Each>(changes: Iterable<Each>, viewOf: (change: Each) => Groupable): ChangeGroup<Each>[] {
  const viewed = Array.from(changes, (change) => {
    const view = viewOf(change);
    return { change, view, shared: generalise(view) };
  });
  const same = grouped(viewed, ({ shared: { subject, action, removes, before, after, sentences } }) =>
    JSON.stringify([subject, action, removes || sortFields(before), sortFields(after), sentences]),
  );
  return [...same.values()].map((group) => {
    const [{ view, shared }, ...others] = group;
    const isShared = ([name, value]: readonly [string, Value]) =>
      others.every((other) => isSame(other.shared.before?.[name] ?? null, value));
    const before = shared.before && Object.fromEntries(Object.entries(shared.before).filter(isShared));
    const lines = grouped(group, (each) => lineText(each.view.source));
    return {
      members: group.map(({ change }) => change) as [Each, ...Each[]],
      projects: group.map((each) => each.view.project),
      shared: others.length === 0 ? view : { ...shared, before },
      lines: Array.from(lines.values(), (those) => those.at(-1)?.view.source) as [Place, ...Place[]],
    };
  });
}

/**
 * Joins groups of updates by one line that agree on every new value, whatever the old ones are and whichever fields
 * differ: a policy of a few settings has one group, and not one for each combination of live values.
 */
export function mergedByField<Each>(groups: readonly ChangeGroup<Each>[]): ChangeGroup<Each>[] {
  const joined = new Map<string, ChangeGroup<Each>[]>();
  const result: ChangeGroup<Each>[][] = [];
  for (const group of groups) {
    const alike = isJoinable(group) ? joined.get(serializeLine(group)) : undefined;
    if (alike?.every((other) => agree(other.shared.after, group.shared.after))) alike.push(group);
    else {
      const own = [group];
      result.push(own);
      if (isJoinable(group) && !alike) joined.set(serializeLine(group), own);
    }
  }
  return result.map((alike) => joinGroups(alike as [ChangeGroup<Each>, ...ChangeGroup<Each>[]]));
}

function isJoinable({ shared: { before, after }, lines }: ChangeGroup<unknown>): boolean {
  return before !== null && after !== null && lines.length === 1;
}

function serializeLine({ shared: { subject, action, sentences }, lines: [line] }: ChangeGroup<unknown>): string {
  const [reason = "", ...others] = sentences;
  return JSON.stringify([subject, action, lineText(line), reason.replace(/\bfields? differs?\b/, ""), others]);
}

function agree(one: Fields | null, other: Fields | null): boolean {
  return Object.entries(one ?? {}).every(([name, value]) => isSame(value, other?.[name] ?? value));
}

function joinGroups<Each>(groups: readonly [ChangeGroup<Each>, ...ChangeGroup<Each>[]]): ChangeGroup<Each> {
  const [first, ...others] = groups;
  if (others.length === 0) return first;
  const names = [...new Set(groups.flatMap(({ shared: { after } }) => Object.keys(after ?? {})))];
  const was = new Map(names.map((name) => [name, countOldValues(groups, name)]));
  const [subject, ...sentences] = first.shared.sentences;
  const reason = subject?.replace(/\bfield differs\b/, "fields differ") ?? "";
  return {
    members: groups.flatMap(({ members }) => members) as [Each, ...Each[]],
    projects: groups.flatMap(({ projects }) => projects),
    lines: first.lines,
    shared: {
      ...first.shared,
      before: {},
      after: Object.assign({}, ...groups.map(({ shared }) => shared.after)),
      sentences: [names.length > 1 ? reason : (subject ?? ""), ...sentences],
    },
    was,
  };
}

function countOldValues(groups: readonly ChangeGroup<unknown>[], name: string): readonly OldValue[] {
  const counts = new Map<string, OldValue>();
  for (const { shared, projects } of groups) {
    if (!Object.hasOwn(shared.after ?? {}, name)) continue;
    const value = shared.before?.[name];
    const key = JSON.stringify(value) ?? "";
    counts.set(key, { value, count: (counts.get(key)?.count ?? 0) + projects.length });
  }
  return [...counts.values()].sort((a, b) => b.count - a.count);
}

/** `policies/all.yaml:5`, and the number of further lines. */
export function linesText([first, ...others]: ChangeGroup<unknown>["lines"]): string {
  const [second, ...more] = others;
  const rest = more.length > 0 ? counted(others.length, "more line") : second && lineText(second);
  return joinedByAnd([lineText(first), ...(rest ? [rest] : [])]);
}

/** `policies/all.yaml:5`. */
export function lineText({ file, line }: Pick<Place, "file" | "line">): string {
  return `${file}:${line}`;
}

function sortFields(fields: Fields | null) {
  return fields && Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
}

function isSame(one: Value, other: Value): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function generalise(view: Groupable): Groupable {
  const { project, before, after, sentences } = view;
  return {
    ...view,
    before: before && generalFields(before, project),
    after: after && generalFields(after, project),
    sentences: sentences.map((sentence) => generalText(sentence, project)),
  };
}

/** Writes a project's path in fields as `${project.path}`. */
export function generalFields(fields: Fields, project: string): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, general(value, project)]));
}

function general(value: Value, project: string): Value {
  if (typeof value === "string") return generalText(value, project);
  if (isScalar(value) || isReference(value)) return value;
  if (isList(value)) return value.map((each) => general(each, project) as Plain);
  const inside = Object.entries(value).map(([name, each]) => [name, general(each, project) as Plain]);
  return Object.fromEntries(inside);
}

/** Writes a project's path as `${project.path}`. IDs and paths without a slash are left: they may occur by chance. */
export function generalText(text: string, project: string): string {
  const literal = text.replaceAll("${", () => "$${");
  const path = bareName(project);
  return path.includes("/") ? literal.replaceAll(path, () => `\${${ownerOfName(project)}.path}`) : literal;
}

export type PlannedGroup = ChangeGroup<PlannedChange>;

/** Groups the equal changes of a plan, most important first. */
export function plannedGroups(changes: readonly PlannedChange[]): PlannedGroup[] {
  const groups = groupsOf(changes, groupable);
  return groups.sort((a, b) => urgencyOf(a.members[0]) - urgencyOf(b.members[0]));
}

function groupable(planned: PlannedChange): Groupable {
  const { project, change, action_reason: reason, notes = [], outcome } = planned;
  const { status = "", error = "", not_kept: notKept = [] } = outcome ?? {};
  const action = actionOf(planned);
  return {
    project,
    subject: subjectOf(planned),
    action,
    removes: isRemoval({ action }),
    before: change.before,
    after: change.after,
    sentences: [reason, ...notes, status, commonForm(error, project), ...notKept],
    source: lineOf(planned),
  };
}

/** The line to read for a change: the one that sets its value. */
export function lineOf({ source, set_at = source }: Pick<PlannedChange, "source" | "set_at">): Place {
  return set_at;
}

/** The resource of a change without its project: the key alone if the catalogue lists it, else `license/MIT`. */
export function subjectOf({ kind, key }: Pick<PlannedChange, "kind" | "key">): string {
  return isListedByCatalogue(kind) ? key : resourceName(kind, key);
}

const order: readonly Action[] = ["disable", "delete", "replace", "create", "update"];

/** The rank of a change: loosening, deletions, lost notifications, the rest. */
export function urgencyOf(planned: PlannedChange): number {
  const action = actionOf(planned);
  if (planned.policy_effect === "loosened") return 0;
  if (turnsOff(visibleOf(planned))) return 1 + order.indexOf(action === "update" ? "disable" : action);
  return planned.lost_notifications || planned.moved_notifications ? 4 : 5 + order.indexOf(action);
}

/** The participle of each action: the outcome of an apply, or the state that drift found. */
export type Participles = Readonly<Record<Action, string>>;

const participles: Participles = {
  create: "created",
  update: "updated",
  replace: "replaced",
  disable: "disabled",
  delete: "deleted",
};

export const foundParticiples: Participles = {
  create: "missing",
  update: "different",
  replace: "to be replaced",
  disable: "to be disabled",
  delete: "to be deleted",
};

/** A group in one line: `2,000 projects: license/MIT updated, loosened (policies/all.yaml:5)`. */
export function groupLine(group: PlannedGroup, brief?: string, words = participles): string {
  const { members, projects, shared } = group;
  const [first] = members;
  const action = actionOf(first);
  const { subject } = shared;
  // The values stand in place of the word "updated".
  const isBrief = action === "update" && brief !== undefined;
  const change = isBrief ? [`${subject} ${brief}`] : [`${subject} ${words[action]}`, brief];
  const what = [...change, first.policy_effect].filter((each) => each !== undefined).join(", ");
  return `${namesCounted(projects)}: ${what} (${placesText(group)})`;
}

/** The lines that set the values, preceded by the line that declares all members if that differs. */
function placesText({ members, lines }: PlannedGroup): string {
  const set = linesText(lines);
  const declared = new Set(members.map(({ source }) => lineText(source)));
  const [only] = declared;
  return members[0].set_at && declared.size === 1 ? `${only}, set in ${set}` : set;
}

export interface Sides {
  readonly before: Fields | null;
  readonly after: Fields | null;
}

export function fieldNamesOf({ before, after }: Sides): readonly string[] {
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
}

/**
 * The field that represents a change in one row. Undefined without fields, and if a resource of several fields is
 * created or removed: then no field represents it.
 */
export function firstField(sides: Sides): string | undefined {
  const [name, ...others] = fieldNamesOf(sides);
  const isUpdate = sides.before !== null && sides.after !== null;
  return isUpdate || others.length === 0 ? name : undefined;
}
