import { counted } from "../../base/text-format.ts";
import { isRemoval } from "../../model/removal-changes.ts";
import type { Action, Place, Value } from "../../model/types.ts";
import { isReference } from "../../model/values.ts";
import { fieldNamesOf, firstField, lineOf, linesText, lineText, type Sides } from "../../plan/groups.ts";
import { minuteText } from "../../plan/heading.ts";
import type { PlannedCall, PlannedChange } from "../../plan/plan.ts";
import { projectsText, type Row } from "../view.ts";
import { type Facet, facets, filterLink } from "./filter-link.ts";
import { badge, breakable, each, longList, type Markup, markup, multiline } from "./markup.ts";

interface RowContent {
  readonly sign?: Action | undefined;
  readonly project?: string;
  readonly isGroup?: boolean;
  readonly name: string;
  readonly brief: Markup;
  readonly badges?: readonly string[];
  readonly source: Pick<Place, "file"> & Partial<Place>;
  readonly moreSources?: number;
  readonly detail: Markup;
  readonly isOpen?: boolean;
  readonly data?: Markup;
}

export function rowNode(content: RowContent): Markup {
  const { sign, project, isGroup, name, brief, badges = [], source, moreSources = 0, detail, isOpen } = content;
  const signNode = sign
    ? markup`<span class="symbol ${sign}" aria-hidden="true">${signs[sign]}</span><span class="unseen">${sign}</span>`
    : "";
  const who = project ? markup`<span class="project${isGroup ? " many" : ""}">${breakable(project)}</span> ` : "";
  // The line's number stays visible if the file name is too long for the column.
  const line = source.line === undefined ? "" : `:${source.line}`;
  const place = markup`<span class="place"><span class="file">${source.file}</span><span>${line}</span></span>`;
  return markup`<li${content.data ?? ""}><details class="change"${isOpen ? markup` open` : ""}><summary>${signNode}<span class="what">${who}<span class="name">${nameNode(name)}</span></span><span class="brief">${brief}</span><span class="end">${each(badges, (word) => badge(word))}${place}${moreNode(moreSources)}</span></summary>
<div class="detail">${detail}</div></details></li>
`;
}

export function nameNode(name: string): Markup {
  const slash = name.indexOf("/") + 1;
  return markup`<span class="kind">${name.slice(0, slash)}</span><b>${breakable(name.slice(slash))}</b>`;
}

/** The sign of each action, removals first. */
export const signs: Readonly<Record<Action, string>> = {
  delete: "−",
  disable: "×",
  replace: "−/+",
  create: "+",
  update: "~",
};

export interface RowOptions {
  readonly isOpen?: boolean;
  readonly most?: number;
  readonly lineUrl?: ((place: Place) => string | undefined) | undefined;
  /** The link of a change. Defaults to its anchor on this page. */
  readonly link?: (change: PlannedChange) => Markup;
}

export function changeNode(row: Row, options: RowOptions = {}): Markup {
  const { outcome, effect, projects, places, members } = row;
  const values = facetsOf(row);
  const [only, ...others] = members;
  const count = others.length > 0 ? markup` data-count="${members.length}"` : "";
  const address = only && others.length === 0 ? markup` data-address="${only.address}"` : "";
  return rowNode({
    ...{ sign: row.sign, project: projectsText(projects), isGroup: projects.length > 1, name: row.name },
    brief: briefNode(row),
    badges: [outcome?.status, effect].flatMap((word) => word ?? []),
    source: places[0],
    moreSources: places.length - 1,
    detail: detailNode(row, options),
    isOpen: options.isOpen ?? false,
    data: markup` data-facets="${facets.map((facet) => values[facet]).join()}"${count}${address}`,
  });
}

export function facetsOf({ effect, action, outcome, members: [change], name }: Row): Readonly<Record<Facet, string>> {
  return {
    policy_effect: effect ?? "",
    events: change?.lost_notifications ? "lost" : change?.moved_notifications ? "moved" : "",
    action,
    kind: change?.kind ?? name.split("/")[0] ?? "",
    outcome: outcome?.status ?? "",
  };
}

/** For a removal, the first lost notification; else the first changed field and the number of others. */
function briefNode({ sign, sides, reason, members: [change] }: Row): Markup {
  const lost = change?.lost_notifications ?? [];
  if (lost[0] !== undefined && isRemoval({ action: sign }))
    return markup`<span class="loss">${lost[0]}</span>${moreNode(lost.length - 1)}`;
  return fieldBrief(sides) ?? markup`${sides.after === null ? reason : fieldNamesOf(sides).join(", ")}`;
}

/** The first field before and after; undefined if several fields come or go. */
function fieldBrief({ before, after }: Sides): Markup | undefined {
  const name = firstField({ before, after });
  if (name === undefined) return undefined;
  const short = (value: Value | undefined, absent: string) =>
    markup`<code>${value === undefined ? absent : clipped(valueText(value), 48)}</code>`;
  const was = before && markup`${short(before[name], "not reported")} → `;
  const becomes = short(after?.[name], after === null ? "gone" : "unset");
  const more = moreNode(fieldNamesOf({ before, after }).length - 1);
  return markup`<span class="field-name">${name}</span> ${was ?? ""}${becomes}${more}`;
}

function moreNode(count: number): Markup {
  return count > 0 ? markup` <span class="soft">+${count} more</span>` : markup``;
}

function detailNode(row: Row, { most, lineUrl, link }: RowOptions): Markup {
  const { reason, notes, outcome, sides, projects, members } = row;
  const notKept = outcome?.not_kept ?? [];
  const errors = [
    ...(outcome?.error ? [outcome.error] : []),
    ...(notKept.length > 0 ? [`Sent, but the server returned another value: ${notKept.join(", ")}`] : []),
  ];
  const [only, ...others] = members;
  const own =
    only && others.length === 0
      ? markup`${ownFacts(only)}${link ? link(only) : linkTo(only.address, "Link to this change")}`
      : "";
  return markup`${reason ? markup`<p class="reason">${reason}</p>` : ""}${each(notes, (note) => markup`<p class="note">${note}</p>`)}${each(errors, (error) => markup`<p class="error">${error}</p>`)}${sidesTable(sides, most)}${projects.length > 1 ? projectsNode(row, link ?? (({ address, project }) => linkTo(address, project))) : ""}<p class="origin">${placeFacts(row, lineUrl)}${own}</p>`;
}

function placeFacts({ places, members: [change] }: Row, lineUrl: RowOptions["lineUrl"] = () => undefined): Markup {
  const setAt = change?.set_at;
  if (places.length > 1) return fact(setAt ? "Set at" : "Declared at", linesText(places));
  const at = (name: string, place: Place) => fact(name, sourceText(place), lineUrl(place));
  return markup`${at("Declared at", change?.source ?? places[0])}${setAt ? at("Set at", setAt) : ""}`;
}

function ownFacts({ before_call: first, call, next_call: next, item_calls: items = [], live }: PlannedChange): Markup {
  const request = ({ method, path }: PlannedCall) => `${method} ${path}`;
  const read = live?.updated_at ? fact("Live state of", minuteText(live.updated_at)) : "";
  return markup`${first ? fact("Before", request(first)) : ""}${fact("Request", request(call))}${next ? fact("then", request(next)) : ""}${each(items, (item) => fact("then", request(item)))}${read}`;
}

function fact(name: string, text: string, url?: string): Markup {
  const code = markup`<code>${text}</code>`;
  return markup`<span class="fact">${name} ${url === undefined ? code : markup`<a href="${url}">${code}</a>`}</span>`;
}

function projectsNode({ members, projects, sides, places }: Row, link: (change: PlannedChange) => Markup): Markup {
  const memberNode = (change: PlannedChange) => {
    const { address } = change;
    const line = places.length > 1 ? fact(change.set_at ? "Set at" : "Declared at", lineText(lineOf(change))) : "";
    const own = Object.entries(change.change.before ?? {}).filter(([name]) => !(name in (sides.before ?? {})));
    return markup`<li data-address="${address}">${link(change)}${each(own, ([name, value]) => fact(name, valueText(value)))}${line}${ownFacts(change)}</li>`;
  };
  const items = members.length > 0 ? each(members, memberNode) : each(projects, (name) => markup`<li>${name}</li>`);
  return longList(items, mostProjects, "projects", counted(items.length - mostProjects, "more project"));
}

const mostProjects = 60;

export function linkTo(address: string, text = address): Markup {
  return markup`<a href="#${filterLink({ q: address })}">${text}</a>`;
}

/** `file:line:column`, as far as known. */
export function sourceText({ file, line, column }: RowContent["source"]): string {
  return line === undefined ? file : `${file}:${line}:${column}`;
}

function sidesTable({ before, after }: Sides, most?: number): Markup {
  const cell = (name: string, value: Value | undefined, other: Value | undefined, absent: string) =>
    markup`<td class="${name}">${valueNode(value, absent, other, most)}</td>`;
  const rows = [...fieldNamesOf({ before, after })].sort().map((name): FieldRow => {
    const was = before && cell("before", before[name], after?.[name], "not reported");
    const becomes = after && cell("after", after[name], before?.[name], "unset");
    return { name, cells: [was, becomes].flatMap((each) => each ?? []) };
  });
  return fieldsTable([...(before ? ["Before"] : []), ...(after ? ["After"] : [])], rows);
}

export interface FieldRow {
  readonly name: string;
  readonly cells: readonly Markup[];
  readonly isDifferent?: boolean;
}

export function fieldsTable(titles: readonly string[], rows: readonly FieldRow[]): Markup {
  if (rows.length === 0) return markup``;
  return markup`<table class="fields"><thead><tr><th>Field</th>${each(titles, (title) => markup`<th>${title}</th>`)}</tr></thead><tbody>${each(rows, ({ name, cells, isDifferent }) => markup`<tr${isDifferent ? markup` class="differs"` : ""}><th>${breakable(name)}</th>${cells}</tr>`)}</tbody></table>`;
}

/** A value for people, in quotes only if ambiguous without. */
export function valueText(value: Value): string {
  if (isReference(value)) return `secret ${value.secret}`;
  if (typeof value !== "string") return JSON.stringify(value);
  const isPlain = value.trim() === value && !/^(?:|true|false|null|-?\d[\d.eE+-]*|".*"|\(.*\))$/s.test(value);
  return isPlain ? value : JSON.stringify(value);
}

/** `other`: the value on the other side; differences to it are marked. */
export function valueNode(value: Value | undefined, absent: string, other?: Value, most?: number): Markup {
  if (value === undefined || value === null) return markup`<span class="absent">${absent}</span>`;
  if (isReference(value)) {
    const { secret, version } = value;
    const code = markup` <code>${secret}${version === undefined ? "" : `, version ${version}`}</code>`;
    return markup`<span class="tag">secret</span>${secret === "" ? "" : code}`;
  }
  const text = clipped(valueText(value), most);
  const isComparable = other !== undefined && !isReference(other);
  const content = isComparable ? withMark(text, valueText(other)) : multiline(text);
  return markup`<code${text.length > 400 ? markup` tabindex="0"` : ""}>${content}</code>`;
}

export function clipped(text: string, most = Number.POSITIVE_INFINITY): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}

/** Marks the part that differs from another text, if the two have enough in common. */
function withMark(text: string, other: string): Markup {
  const shorter = Math.min(text.length, other.length);
  let start = 0;
  while (start < shorter && text[start] === other[start]) start++;
  let tail = 0;
  while (tail < shorter - start && text.at(-1 - tail) === other.at(-1 - tail)) tail++;
  const end = text.length - tail;
  const isHelpful = start + tail >= 4 && (start + tail) * 3 >= shorter && start < end;
  const splitsPair = (at: number) => /^[\udc00-\udfff]/.test(text.slice(at, at + 1));
  if (!isHelpful || splitsPair(start) || splitsPair(end)) return multiline(text);
  return markup`${multiline(text.slice(0, start))}<mark>${multiline(text.slice(start, end))}</mark>${multiline(text.slice(end))}`;
}
