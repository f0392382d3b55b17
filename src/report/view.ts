import { printable } from "../base/printable.ts";
import { counted, thousands } from "../base/text-format.ts";
import { resourceName } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { sectionNameOf } from "../model/kinds.ts";
import { kindIn } from "../model/owner.ts";
import { type ReportedProblem, withoutRepeats } from "../model/problem-line.ts";
import { isRemoval } from "../model/removal-changes.ts";
import type { Action, Outcome, Place, PolicyEffect, Value } from "../model/types.ts";
import { isReference } from "../model/values.ts";
import {
  type ChangeGroup,
  fieldNamesOf,
  firstField,
  foundParticiples,
  type Groupable,
  groupLine,
  groupsOf,
  linesText,
  lineText,
  mergedByField,
  type OldValue,
  type Participles,
  type PlannedGroup,
  plannedGroups,
  type Sides,
  subjectOf,
} from "../plan/groups.ts";
import { blockingText, joinObjections } from "../plan/guards.ts";
import { namesCounted, waveLines } from "../plan/heading.ts";
import { asDrift, attention, driftHighlights, type Highlight, highlightsOf } from "../plan/highlights.ts";
import { type OverrideCount, overrideText } from "../plan/overrides.ts";
import { actionOf, type Plan, type PlannedChange } from "../plan/plan.ts";
import type { RevisionAction, RevisionChange } from "../plan/revision/compare-projects.ts";

/** The content of a report in any output: sections of lines, and rows of changes. */
export interface View {
  readonly sections: readonly Section[];
  readonly rows: readonly Row[];
}

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly heading?: string;
  /** Singular noun for a line, used to count omitted ones. */
  readonly one: string;
  readonly tone: "bad" | "doubt" | "plain";
  readonly isOpen?: boolean;
  readonly most?: number;
  readonly lines: readonly Line[];
}

/** A line by its parts; each output shows those that it can use. */
export interface Line {
  readonly words: readonly string[];
  readonly lead?: string;
  readonly highlight?: Highlight;
  readonly place?: (Pick<Place, "file"> & Partial<Place>) | undefined;
  readonly project?: string | undefined;
  /** Path within the document. */
  readonly path?: string | undefined;
  readonly rule?: string | undefined;
  readonly guard?: string;
  readonly status?: string;
  readonly addresses?: readonly string[];
}

/** A change of one project, or the same change of several. */
export interface Row {
  readonly action: Action | RevisionAction;
  /** The action of a plan with the same effect, which decides sign and colour. */
  readonly sign: Action;
  readonly effect: PolicyEffect | undefined;
  readonly outcome: Outcome | undefined;
  readonly projects: readonly string[];
  /** Position of its first change in the plan. */
  readonly position: number;
  /** For example `license/MIT`. */
  readonly name: string;
  /** Subject of notes: the address, or the resource alone if several projects share it. */
  readonly subject: string;
  /** The change in one line, without its values. */
  readonly title: string;
  readonly values: FieldTexts;
  readonly sides: Sides;
  readonly reason: string;
  readonly notes: readonly string[];
  readonly places: ChangeGroup<unknown>["lines"];
  /** The changes of a plan; empty for a diff. */
  readonly members: readonly PlannedChange[];
  readonly line: string;
}

export interface FieldTexts {
  /** The first field and the number of others: `channel: "#a" -> "#b", and 1 more`. */
  readonly row?: string;
  /** Fields that the summary does not show in full, one per line. */
  readonly below: readonly string[];
}

/** View model of a plan, the result of an apply, or drift. `isBrief`: with one row for updates of several fields. */
export function planView(plan: Plan, catalogue: Catalogue, command?: string, isBrief = false): View {
  const isDrift = command === "drift";
  const { created_at: at, resource_changes: all } = plan;
  const changes = isDrift ? all.map((change) => asDrift(change, at)) : all;
  const highlights = isDrift ? driftHighlights(plan, catalogue) : highlightsOf(changes, catalogue);
  return {
    sections: planSections(plan, highlights),
    rows: plannedRows(changes, isDrift ? foundParticiples : undefined, isBrief),
  };
}

function planSections(plan: Plan, highlights: readonly Highlight[]): readonly Section[] {
  const { unverified, inherited = [], overrides = [], resource_changes: changes } = plan;
  const failed = changes.filter(({ outcome }) => outcome && outcome.status !== "applied");
  const first = highlights.map((highlight) => ({ lead: highlight.title, words: highlight.details, highlight }));
  const waves = waveLines(plan);
  const [objections, waived, problems, warnings] = problemSections(plan);
  return [
    objections,
    problems,
    {
      ...{ id: "failed", one: "change", tone: "bad", title: `${counted(failed.length, "change")} not applied` },
      lines: failed.map(({ address, outcome }) => {
        return { status: outcome?.status ?? "", addresses: [address], words: [outcome?.error ?? ""] };
      }),
    },
    { id: "first", one: "line", tone: "bad", title: attention, lines: first },
    waived,
    overriddenSection(overrides),
    {
      ...{ id: "waves", one: "wave", tone: "plain", title: "Waves", heading: counted(waves.length, "wave") },
      ...{ lines: waves.map((wave) => ({ words: [wave] })), isOpen: true },
    },
    warnings,
    {
      ...{ id: "unverified", one: "resource", tone: "plain" },
      title: `${counted(unverified.length, "resource")} with parameters that could not be compared`,
      lines: unverified.map(({ address, fields, reason }) => ({
        path: address,
        words: [fields.join(", "), ...(reason === undefined ? [] : [reason])],
      })),
    },
    {
      ...{ id: "inherited", one: "resource", tone: "plain" },
      title: `${counted(inherited.length, "resource")} inherited from a group, as declared`,
      lines: inherited.map((address) => ({ path: address, words: [] })),
    },
  ];
}

export function overriddenSection(overrides: readonly OverrideCount[]): Section {
  const shown = overrides.slice(0, mostOverrides);
  const more = overrides.length - shown.length;
  const rest = more > 0 ? [`${counted(more, "more entry", "more entries")}: evenkeel overrides lists them`] : [];
  return {
    ...{ id: "overridden", one: "entry", tone: "doubt", isOpen: true },
    title: "Declared for many, and overridden by other policies",
    lines: [...shown.map(overrideText), ...rest].map((text) => ({ words: [text] })),
  };
}

const mostOverrides = 20;

/** Objections, waived objections, problems and warnings; a plan is not required. */
export function problemSections(
  found: Pick<Plan, "objections" | "problems" | "warnings">,
): readonly [Section, Section, Section, Section] {
  const objected = (id: "objections" | "waived", title: string, tone: Section["tone"]): Section => {
    const those = found.objections.filter(({ waived = false }) => waived === (id === "waived"));
    const lines = joinObjections(those).map(({ guard, message, addresses }) => {
      return { words: [message], guard, addresses };
    });
    // A guard may object to each project; the first objection concerns the fleet.
    return { id, title, one: "objection", tone, lines, isOpen: true, most: 5 };
  };
  const list = (all: readonly ReportedProblem[], one: string, title: string, tone: Section["tone"]): Section => {
    const lines = withoutRepeats(all).map(({ file, line, column, project, path, message, rule }): Line => {
      const place = file === undefined ? undefined : ({ file, line, column } as Line["place"]);
      return { place, project, path, words: [message], rule };
    });
    const isOpen = tone === "bad" || all.length < 4;
    return { id: `${one}s`, title, heading: counted(all.length, one), one, tone, lines, isOpen };
  };
  return [
    objected("objections", blockingText(found), "bad"),
    objected("waived", "Waived for this run", "doubt"),
    list(found.problems, "problem", "Problems", "bad"),
    list(found.warnings, "warning", "Warnings", "doubt"),
  ];
}

export function plannedRows(changes: readonly PlannedChange[], words?: Participles, isBrief = false): readonly Row[] {
  const positions = new Map(changes.map((change, index) => [change, index]));
  const groups = plannedGroups(changes);
  return (isBrief ? mergedByField(groups) : groups).map((group) =>
    plannedRow(group, positions.get(group.members[0]) ?? 0, words),
  );
}

function plannedRow(group: PlannedGroup, position: number, words?: Participles): Row {
  const { members, projects, shared, lines, was } = group;
  const [first] = members;
  const { notes = [], policy_effect: effect, outcome } = first;
  const action = actionOf(first);
  const [reason = "", ...sentences] = shared.sentences;
  const isOfMany = projects.length > 1;
  const isGone = isOfMany && isRemoval({ action });
  const values = was ? joinedTexts(group, was) : isGone ? { below: fieldLines(shared) } : fieldTexts(shared);
  return {
    ...{ action, sign: action, effect, outcome, projects, members, position },
    ...{ values, sides: shared, reason, places: lines },
    name: resourceName(first.kind, first.key),
    subject: isOfMany ? shared.subject : first.address,
    title: isOfMany ? groupLine(group, undefined, words) : first.address,
    line: groupLine(group, values.row, words),
    notes: sentences.slice(0, notes.length),
  };
}

const signs: Readonly<Record<RevisionAction, Action>> = {
  declare: "create",
  edit: "update",
  disable: "disable",
  withdraw: "delete",
};

const participles: Readonly<Record<RevisionAction, string>> = {
  declare: "declared",
  edit: "edited",
  disable: "disabled",
  withdraw: "withdrawn",
};

const revisionOrder: readonly RevisionAction[] = ["disable", "withdraw", "edit", "declare"];

export function revisionRows(changes: readonly RevisionChange[], catalogue: Catalogue): readonly Row[] {
  const rank = ({ effect, action }: Row) =>
    effect === "loosened" ? -1 : revisionOrder.indexOf(action as RevisionAction);
  const groups = groupsOf(changes, (change): Groupable => {
    const { project, action, before, after, policy_effect = "", notes = [], source } = change;
    const removes = action === "disable" || action === "withdraw";
    const sentences = [policy_effect, ...notes];
    return { project, subject: subjectOf(change), action, removes, before, after, sentences, source };
  });
  return groups
    .map((group) => revisionRow(group, catalogue))
    .sort((a, b) => rank(a) - rank(b) || b.projects.length - a.projects.length);
}

function revisionRow({ members, projects, shared, lines }: ChangeGroup<RevisionChange>, catalogue: Catalogue): Row {
  const [change] = members;
  const { action, key, policy_effect: effect, notes = [] } = change;
  const name = key === "*" ? `exclusive ${sectionNameOf(catalogue, kindIn(change))}` : subjectOf(change);
  const values = action === "edit" ? fieldTexts(shared, "(not declared)") : { below: fieldLines(shared) };
  const line = (row: string) =>
    `${projectsText(projects)}: ${name} ${row}${effect ? `, ${effect}` : ""} (${linesText(lines)})`;
  return {
    ...{ action, sign: signs[action], effect, outcome: undefined, projects, name, subject: name },
    ...{ values, sides: shared, notes },
    ...{ reason: "", places: lines, members: [], position: 0, title: line(participles[action]) },
    line: line(values.row ?? participles[action]),
  };
}

export function projectsText(projects: readonly string[]): string {
  const [only = ""] = projects;
  return projects.length === 1 ? only : namesCounted(projects);
}

export function placeWords({ source, set_at: setAt }: PlannedChange): readonly string[] {
  return [lineText(source), ...(setAt ? [`set in ${lineText(setAt)}`] : [])];
}

/** Omits the summary if several fields come or go: none is more significant. */
export function fieldTexts(sides: Sides, unknown = notReported): FieldTexts {
  const lines = fieldLines(sides, unknown);
  if (firstField(sides) === undefined) return { below: lines };
  const [line = "", ...others] = lines;
  const isShort = line.length <= longestInRow;
  const first = isShort ? line : `${line.slice(0, longestInRow).toWellFormed()}…`;
  const gone = sides.after === null ? " -> (gone)" : "";
  const more = others.length > 0 ? `, and ${counted(others.length, "more field")}` : "";
  return { row: `${first}${gone}${more}`, below: isShort ? others : lines };
}

/** Fields with their old values, each with the number of its changes: `merge_method: "merge" (80), "ff" (9) -> "ff"`. */
function joinedTexts({ shared: { after }, projects }: PlannedGroup, was: NonNullable<PlannedGroup["was"]>): FieldTexts {
  const lines = [...was].map(([name, values]) => {
    const count = values.reduce((sum, each) => sum + each.count, 0);
    const now = shown(after?.[name]);
    if (values.length === 1)
      return `${name}: ${oldText(values)} -> ${now}${count < projects.length ? ` in ${thousands(count)}` : ""}`;
    const more = values.length - mostOldValues;
    const texts = values.slice(0, mostOldValues).map((each) => `${oldText([each])} (${thousands(each.count)})`);
    return `${name}: ${[...texts, ...(more > 0 ? [counted(more, "other value")] : [])].join(", ")} -> ${now}`;
  });
  const [line = "", ...others] = lines;
  return others.length === 0 && line.length <= longestInRow ? { row: line, below: [] } : { below: lines };
}

const mostOldValues = 4;

function oldText([old]: readonly OldValue[]): string {
  return old?.value === undefined ? notReported : shown(old.value);
}

/** All fields, one per line; `unknown` replaces a missing value before the change. */
function fieldLines(sides: Sides, unknown = notReported): readonly string[] {
  const { before, after } = sides;
  return fieldNamesOf(sides).map((name) => {
    if (before === null || after === null) return `${name}: ${shown((before ?? after)?.[name])}`;
    const was = isReference(after[name]) ? (before[name] ?? undefined) : before[name];
    return `${name}: ${was === undefined ? unknown : shown(was)} -> ${shown(after[name])}`;
  });
}

const notReported = "(not reported)";

const longestInRow = 120;

/** A value for people: a reference by its name, anything else as JSON. */
export function shown(value: Value | undefined): string {
  if (value === undefined) return "(unset)";
  return printable(isReference(value) ? `(${`secret ${value.secret}`.trim()})` : JSON.stringify(value));
}
