import { commonForm } from "../base/common-form.ts";
import { grouped } from "../base/grouped.ts";
import { counted, joinedByAnd } from "../base/text-format.ts";
import { resourceName } from "../model/address.ts";
import { isListedByCatalogue } from "../model/kinds.ts";
import { bareName, ownerOfName } from "../model/owner.ts";
import { isRemoval, turnsOff } from "../model/removal-changes.ts";
import type { Action, Fields, Place, Plain, Value } from "../model/types.ts";
import { isList, isReference, isScalar } from "../model/values.ts";
import { namesCounted } from "./heading.ts";
import { actionOf, type PlannedChange, visibleOf } from "./plan.ts";

/** A change as grouping sees it, be it one of a plan or one between two revisions. */
export interface Groupable {
  readonly project: string;
  /** What changes there, such as `license/MIT`. */
  readonly subject: string;
  /** Any word. */
  readonly action: string;
  /** Whether the thing goes away by it: then it does not matter what it held. */
  readonly removes: boolean;
  readonly before: Fields | null;
  readonly after: Fields | null;
  /** All else that is said of the change. */
  readonly sentences: readonly string[];
  readonly source: Place;
}

/** Changes that say the same of different projects. */
export interface ChangeGroup<Each> {
  /** In the order in which they came; never empty. */
  readonly members: readonly [Each, ...Each[]];
  readonly projects: readonly string[];
  /** What all of them say; where there are several, a project's own path is `${project.path}` in it. */
  readonly shared: Omit<Groupable, "source">;
  /** The lines that they come from, each once, in the order in which they came. */
  readonly lines: readonly [Place, ...Place[]];
}

/**
 * Equal changes together, in the order in which the first of each came. Two are equal where they differ in nothing but
 * the project and the line that they come from: the same subject, action, values and sentences. Of a thing that goes
 * away, `shared.before` holds what was the same everywhere.
 */
export function groupsOf<Each>(changes: Iterable<Each>, viewOf: (change: Each) => Groupable): ChangeGroup<Each>[] {
  const viewed = [...changes].map((change) => ({ change, view: viewOf(change) }));
  return [...grouped(viewed, ({ view }) => identityIn(view)).values()].map((group) => {
    const views = group.map(({ view }) => view);
    const members = group.map(({ change }) => change) as [Each, ...Each[]];
    return { members, projects: views.map(({ project }) => project), shared: sharedBy(views), lines: linesOf(views) };
  });
}

function identityIn(view: Groupable): string {
  const { subject, action, removes, before, after, sentences } = generalised(view);
  return JSON.stringify([subject, action, removes || sorted(before), sorted(after), sentences]);
}

function linesOf(views: readonly Groupable[]): ChangeGroup<unknown>["lines"] {
  const byLine = new Map(views.map(({ source }) => [`${source.file}:${source.line}`, source]));
  return [...byLine.values()] as [Place, ...Place[]];
}

/** `policies/all.yaml:5`, and how many more lines there are. */
export function linesText([first, ...others]: ChangeGroup<unknown>["lines"]): string {
  const [second, ...more] = others;
  const rest = more.length > 0 ? counted(others.length, "more line") : second && lineText(second);
  return joinedByAnd([lineText(first), ...(rest ? [rest] : [])]);
}

/** `policies/all.yaml:5`. */
export function lineText({ file, line }: Place): string {
  return `${file}:${line}`;
}

function sorted(fields: Fields | null) {
  return fields && Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
}

function sharedBy(views: readonly Groupable[]): Groupable {
  const [first, ...others] = views as [Groupable, ...Groupable[]];
  if (others.length === 0) return first;
  const shared = generalised(first);
  const same = Object.entries(shared.before ?? {}).filter(([name, value]) => {
    return others.every(({ before, project }) => isSame(general(before?.[name] ?? null, project), value));
  });
  return { ...shared, before: shared.before && Object.fromEntries(same) };
}

function isSame(one: Value, other: Value): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Without what only the project's own path makes different. */
function generalised(view: Groupable): Groupable {
  const { project, before, after, sentences } = view;
  return {
    ...view,
    before: before && generalFields(before, project),
    after: after && generalFields(after, project),
    sentences: sentences.map((sentence) => generalText(sentence, project)),
  };
}

/** Fields of a project as a policy would write them: its path is `${project.path}`. */
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

/** A text as a policy would write it. An ID, or any path without a slash, may stand in a text by chance. */
export function generalText(text: string, project: string): string {
  const literal = text.replaceAll("${", () => "$${");
  const path = bareName(project);
  return path.includes("/") ? literal.replaceAll(path, () => `\${${ownerOfName(project)}.path}`) : literal;
}

export type PlannedGroup = ChangeGroup<PlannedChange>;

/** The equal changes of a plan together, what a reviewer should see first before the rest. */
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

/** What a change is about, apart from its project: the key alone where a catalogue lists it, else `license/MIT`. */
export function subjectOf({ kind, key }: Pick<PlannedChange, "kind" | "key">): string {
  return isListedByCatalogue(kind) ? key : resourceName(kind, key);
}

const order: readonly Action[] = ["disable", "delete", "replace", "create", "update"];

/** Where a change stands among others: what loosens, deletions, lost notifications, the rest. */
export function urgencyOf(planned: PlannedChange): number {
  const action = actionOf(planned);
  if (planned.policy_effect === "loosened") return 0;
  if (turnsOff(visibleOf(planned))) return 1 + order.indexOf(action === "update" ? "disable" : action);
  return planned.lost_notifications || planned.moved_notifications ? 4 : 5 + order.indexOf(action);
}

const participles: Readonly<Record<Action, string>> = {
  create: "created",
  update: "updated",
  replace: "replaced",
  disable: "disabled",
  delete: "deleted",
};

/** A group in one line: `2,000 projects: license/MIT updated, loosened (policies/all.yaml:5)`. */
export function groupLine(group: PlannedGroup, brief?: string): string {
  const { members, projects, shared } = group;
  const [first] = members;
  const { policy_effect } = first;
  const what = [whatOf(shared.subject, actionOf(first), brief), ...(policy_effect ? [policy_effect] : [])].join(", ");
  return `${namesCounted(projects)}: ${what} (${placesText(group)})`;
}

/** The lines that set the values, and before them the line that declares all members, if that is another one. */
function placesText({ members, lines }: PlannedGroup): string {
  const set = linesText(lines);
  const declared = new Set(members.map(({ source }) => lineText(source)));
  const [only] = declared;
  return members[0].set_at && declared.size === 1 ? `${only}, set in ${set}` : set;
}

/** What the line of a group shows of its values stands for the word "updated". */
function whatOf(subject: string, action: Action, brief: string | undefined): string {
  const word = `${subject} ${participles[action]}`;
  if (brief === undefined) return word;
  return action === "update" ? `${subject} ${brief}` : `${word}, ${brief}`;
}

/** The values of a change: what was there, and what will be. */
export interface Sides {
  readonly before: Fields | null;
  readonly after: Fields | null;
}

/** The fields of both sides, each once. */
export function fieldNamesOf({ before, after }: Sides): readonly string[] {
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
}

/**
 * The field that one row shows. Undefined where there is none, and where a resource of several fields comes or goes: then
 * none tells more than another.
 */
export function firstField(sides: Sides): string | undefined {
  const [name, ...others] = fieldNamesOf(sides);
  const isUpdate = sides.before !== null && sides.after !== null;
  return isUpdate || others.length === 0 ? name : undefined;
}
