import { counted } from "../../base/text-format.ts";
import { isRemoval } from "../../model/removal-changes.ts";
import type { Action, Place, Value } from "../../model/types.ts";
import { linesText, lineText } from "../../plan/groups.ts";
import { minuteText } from "../../plan/heading.ts";
import { namesCounted } from "../../plan/owner-counts.ts";
import { actionOf, type PlannedCall, type PlannedChange } from "../../plan/plan.ts";
import { lineOf, type PlannedGroup } from "../../plan/planned-groups.ts";
import { fieldNamesOf, firstField, type Sides } from "../../plan/sides.ts";
import { type Facet, facets, filterLink } from "./filter-link.ts";
import { each, type Markup, markup } from "./markup.ts";
import {
  badge,
  clipped,
  fieldNames,
  fieldsTable,
  sourceNode,
  sourceText,
  symbolNode,
  valueNode,
  valueText,
} from "./values.ts";

/** One row of a list: a line, and details that open below it. */
interface RowContent {
  readonly action?: Action | undefined;
  /** The project, or how many there are. */
  readonly project?: string;
  readonly isGroup?: boolean;
  /** What is shown in front of the key, such as `license/`. */
  readonly prefix: string;
  readonly key: string;
  readonly brief: Markup;
  readonly badges?: readonly Markup[];
  readonly source: Pick<Place, "file"> & Partial<Place>;
  /** How many more lines it comes from. */
  readonly moreSources?: number;
  readonly detail: Markup;
  readonly isOpen?: boolean;
  /** Attributes for the script. */
  readonly data?: Markup;
}

/** A row of any list of changes or settings. */
export function rowNode({
  action,
  project,
  isGroup,
  prefix,
  key,
  brief,
  badges = [],
  source,
  moreSources = 0,
  detail,
  isOpen,
  data,
}: RowContent): Markup {
  const attribute = data ?? "";
  const name = markup`<span class="name"><span class="kind">${prefix}</span><b>${key}</b></span>`;
  const who = project ? markup`<span class="project${isGroup ? " many" : ""}">${project}</span> ` : "";
  return markup`<li${attribute}><details class="change"${isOpen ? markup` open` : ""}><summary>${action ? symbolNode(action) : ""}<span class="what">${who}${name}</span><span class="brief">${brief}</span><span class="end">${badges}${sourceNode(source)}${moreOf(moreSources)}</span></summary>
<div class="detail">${detail}</div></details></li>
`;
}

/** The value of each facet that changes can be filtered by; empty if a change has none. */
export function facetsOf(change: PlannedChange): Readonly<Record<Facet, string>> {
  return {
    policy_effect: change.policy_effect ?? "",
    events: change.lost_notifications ? "lost" : change.moved_notifications ? "moved" : "",
    action: actionOf(change),
    kind: change.kind,
    outcome: change.outcome?.status ?? "",
  };
}

export interface RowOptions {
  readonly isOpen?: boolean;
  /** Longer values are cut. */
  readonly most?: number;
  /** The page of a line, where there is one. */
  readonly lineUrl?: (place: Place) => string | undefined;
  /** The link of a single change; without it, a link to the change itself. */
  readonly link?: (change: PlannedChange) => Markup;
}

/** A planned change, or the same change of several projects, as a row. */
export function plannedRow(group: PlannedGroup, options: RowOptions = {}): Markup {
  const { members, projects, shared, lines } = group;
  const [change] = members;
  const words = [change.outcome?.status, change.policy_effect].filter((word) => word !== undefined);
  const values = facetsOf(change);
  const count = members.length;
  return rowNode({
    action: actionOf(change),
    project: projects.length > 1 ? namesCounted(projects) : change.project,
    isGroup: projects.length > 1,
    prefix: change.key === "" ? change.kind : `${change.kind}/`,
    key: change.key,
    brief: briefOf(change, shared),
    badges: each(words, (word) => badge(word)),
    source: lines[0],
    moreSources: lines.length - 1,
    detail: detailOf(group, options),
    isOpen: options.isOpen ?? false,
    data: markup` data-facets="${facets.map((facet) => values[facet]).join()}"${count > 1 ? markup` data-count="${count}"` : ""}`,
  });
}

/** What a row shows: of what goes away, the first lost notification; else the first field that changes, and how many more there are. */
function briefOf(change: PlannedChange, sides: Sides): Markup {
  const { lost_notifications: lost = [], action_reason: reason } = change;
  const { before, after } = sides;
  if (lost[0] !== undefined && isRemoval({ action: actionOf(change) }))
    return markup`<span class="loss">${lost[0]}</span>${moreOf(lost.length - 1)}`;
  return fieldBrief({ before, after }) ?? markup`${after === null ? reason : fieldNamesOf(sides).join(", ")}`;
}

/** The first field of a change before and after, and how many more there are; undefined where no field tells more than another. */
export function fieldBrief({ before, after }: Sides): Markup | undefined {
  const name = firstField({ before, after });
  if (name === undefined) return undefined;
  const field = markup`<span class="field-name">${name}</span>`;
  const was = before && short(before[name], "not reported");
  const becomes = short(after?.[name], after === null ? "gone" : "unset");
  return markup`${field} ${was ? markup`${was} → ` : ""}${becomes}${moreOf(fieldNamesOf({ before, after }).length - 1)}`;
}

function moreOf(count: number): Markup {
  return count > 0 ? markup` <span class="soft">+${count} more</span>` : markup``;
}

function short(value: Value | undefined, absent: string): Markup {
  return markup`<code>${value === undefined ? absent : clipped(valueText(value), 48)}</code>`;
}

function detailOf(
  { members, shared, lines }: PlannedGroup,
  { most, lineUrl, link = linkToChange }: RowOptions,
): Markup {
  const [{ outcome, notes = [] }, ...others] = members;
  const [reason = "", ...sentences] = shared.sentences;
  const notKept = outcome?.not_kept ?? [];
  const errors = [
    ...(outcome?.error ? [outcome.error] : []),
    ...(notKept.length > 0 ? [`Sent, but the server answered another value: ${notKept.join(", ")}`] : []),
  ];
  return markup`<p class="reason">${reason}</p>${each(sentences.slice(0, notes.length), (note) => markup`<p class="note">${note}</p>`)}${each(errors, (error) => markup`<p class="error">${error}</p>`)}${sidesTable(shared, most)}${others.length > 0 ? projectsOf({ members, shared, lines }) : ""}<p class="origin">${placeFacts(members[0], lines, lineUrl)}${others.length > 0 ? "" : markup`${ownFacts(members[0])}${link(members[0])}`}</p>`;
}

/** Where a change is declared, and where its value is set if that is another line. */
function placeFacts(
  { source, set_at: setAt }: PlannedChange,
  lines: PlannedGroup["lines"],
  lineUrl: RowOptions["lineUrl"] = () => undefined,
): Markup {
  if (lines.length > 1) return fact(setAt ? "Set at" : "Declared at", linesText(lines));
  const at = (name: string, place: Place) => fact(name, sourceText(place), lineUrl(place));
  return markup`${at("Declared at", source)}${setAt ? at("Set at", setAt) : ""}`;
}

/** Every field of a change with its values before and after. */
export function sidesTable(sides: Sides, most?: number): Markup {
  const column = (side: "before" | "after", title: string, absent: string) => {
    const other = sides[side === "before" ? "after" : "before"];
    const cell = (name: string) => valueNode(sides[side]?.[name], { absent, other: other?.[name], most });
    return sides[side] === null ? [] : [{ title, className: side, cell }];
  };
  const columns = [...column("before", "Before", "not reported"), ...column("after", "After", "unset")];
  return fieldsTable(fieldNames(sides.before, sides.after), columns);
}

function ownFacts({ call, next_call: next, live }: PlannedChange): Markup {
  const read = live?.updated_at ? fact("Live state of", minuteText(live.updated_at)) : "";
  return markup`${fact("Request", requestText(call))}${next ? fact("then", requestText(next)) : ""}${read}`;
}

function requestText({ method, path }: PlannedCall): string {
  return `${method} ${path}`;
}

function linkToChange({ address }: PlannedChange): Markup {
  return linkTo(address, "Link to this change");
}

function fact(name: string, text: string, url?: string): Markup {
  const code = markup`<code>${text}</code>`;
  return markup`<span class="fact">${name} ${url === undefined ? code : markup`<a href="${url}">${code}</a>`}</span>`;
}

/** How many projects of a group are listed at first. */
const mostProjects = 60;

/** The projects of a group. What only one of them has is shown if the filter leaves it alone. */
function projectsOf({ members, shared, lines }: Pick<PlannedGroup, "members" | "shared" | "lines">): Markup {
  const items = each(members, (change) => {
    const { address, project } = change;
    const line = lines.length > 1 ? fact(change.set_at ? "Set at" : "Declared at", lineText(lineOf(change))) : "";
    const own = Object.entries(change.change.before ?? {}).filter(([name]) => !(name in (shared.before ?? {})));
    return markup`<li>${linkTo(address, project)}${each(own, ([name, value]) => fact(name, valueText(value)))}${line}${ownFacts(change)}</li>`;
  });
  const list = markup`<ul class="projects">${items.slice(0, mostProjects)}</ul>`;
  if (items.length <= mostProjects) return list;
  const title = `Show all ${counted(items.length, "project")}`;
  return markup`${list}<template>${items.slice(mostProjects)}</template><button class="quiet all" type="button">${title}</button>`;
}

/** A link that filters the list to one change. */
export function linkTo(address: string, text = address): Markup {
  return markup`<a href="#${filterLink({ q: address })}">${text}</a>`;
}
