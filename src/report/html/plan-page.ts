import { grouped } from "../../base/grouped.ts";
import { counted, thousands } from "../../base/text-format.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import type { Action } from "../../model/types.ts";
import { blockingText } from "../../plan/blocking-text.ts";
import { asDrift } from "../../plan/drift.ts";
import { driftHighlights, highlightsOf } from "../../plan/highlights.ts";
import { actionOf, type Plan, type PlannedChange } from "../../plan/plan.ts";
import { type PlannedGroup, plannedGroups } from "../../plan/planned-groups.ts";
import type { NextStep } from "../next-steps.ts";
import { facetsOf, plannedRow, type RowOptions } from "./change-rows.ts";
import { commandsNode } from "./commands-node.ts";
import { reportDocument } from "./document.ts";
import type { Facet } from "./filter-link.ts";
import { each, type Markup, markup } from "./markup.ts";
import { planNotices } from "./notices.ts";
import { planHead, planHeadline, planTitle } from "./plan-head.ts";
import { symbols } from "./values.ts";

/** What a report has besides its plan. */
interface PlanPage {
  /** The command that made it. */
  readonly command?: string;
  readonly lineUrl?: RowOptions["lineUrl"];
  /** Put above the head of the page. */
  readonly before?: Markup;
  /** Commands to continue with. */
  readonly next?: readonly NextStep[] | undefined;
}

/**
 * A plan, or the outcome of an apply, as one HTML file that needs no network. It holds no secret, because a plan holds
 * none. All changes are in the document: the script filters and opens what is there.
 */
export function planHtml(
  plan: Plan,
  catalogue: Catalogue,
  { command, lineUrl, before, next = [] }: PlanPage = {},
): string {
  const isDrift = command === "drift";
  const title = isDrift ? "Drift" : planTitle(plan);
  const { digest, evenkeel_version: version } = plan;
  const changes = isDrift
    ? plan.resource_changes.map((change) => asDrift(change, plan.created_at))
    : plan.resource_changes;
  return reportDocument(
    `${title}: ${[blockingText(plan), planHeadline(plan)].filter(Boolean).join("; ")}`,
    markup`${changes.length > 0 ? markup`<a class="skip" id="skip" href="#changes">Skip to the changes</a>` : ""}
${before ?? ""}${planHead(plan, title)}
<main>${commandsNode(next.map(([line, meaning]) => ({ purpose: `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}`, line })))}
<div id="notices">${planNotices(plan, isDrift ? driftHighlights(plan, catalogue) : highlightsOf(changes, catalogue))}</div>
${changes.length > 0 ? markup`${overviewOf(plan)}${listOf(changes, lineUrl)}` : ""}
</main>
<footer>Evenkeel ${version} · plan ${digest}</footer>
`,
    true,
  );
}

const actions = Object.keys(symbols) as readonly Action[];

/** The actions that have a tile: those that every plan counts, and those of its changes. */
function actionsOf(changes: readonly PlannedChange[]): readonly Action[] {
  return actions.filter((action) => action !== "replace" || changes.some((change) => actionOf(change) === action));
}

interface Tile {
  readonly facet: Facet;
  readonly word: string;
  readonly symbol: string;
  readonly label: string;
}

const tiles: readonly Tile[] = [
  { facet: "policy_effect", word: "loosened", symbol: "!", label: "loosened" },
  { facet: "events", word: "lost", symbol: "!", label: "losing events" },
];

function actionTile(action: Action): Tile {
  return { facet: "action", word: action, symbol: symbols[action], label: `to ${action}` };
}

/** A button for each action and each kind, with its number of changes. */
function overviewOf({ resource_changes: changes }: Plan): Markup {
  const kinds = [...grouped(changes, ({ kind }) => kind)].sort(([, a], [, b]) => b.length - a.length);
  const countOf = ({ facet, word }: Tile) => changes.filter((change) => facetsOf(change)[facet] === word).length;
  return markup`<section class="overview" aria-label="Filters by action and kind">
<fieldset><legend class="unseen">Actions</legend><div class="tiles">${each([...tiles, ...actionsOf(changes).map(actionTile)], (tile) => tileOf(tile, countOf(tile)))}</div></fieldset>
<fieldset class="chart"><legend>Changes by kind</legend>${each(kinds, ([kind, { length }]) => barOf(kind, length))}</fieldset>
</section>
`;
}

function tileOf({ facet, word, symbol, label }: Tile, count: number): Markup {
  const content = markup`<span class="number">${thousands(count)}</span> <span class="word"><span class="symbol ${word}" aria-hidden="true">${symbol}</span> ${label}</span>`;
  return facetButton(facet, word, content, markup`tile ${word}`, count === 0);
}

function barOf(kind: string, count: number): Markup {
  const pieces = each(actions, (action) => markup`<i class="${action}"></i>`);
  const content = markup`<span class="word">${kind}</span><span class="track"><span class="bar" aria-hidden="true">${pieces}</span></span> <span class="number">${thousands(count)}</span>`;
  return facetButton("kind", kind, content, markup``);
}

function facetButton(facet: Facet, word: string, content: Markup, className: Markup, isDisabled = false): Markup {
  return markup`<button type="button" class="${className}" data-facet="${facet}" data-word="${word}" aria-pressed="false"${isDisabled ? markup` disabled` : ""}>${content}</button>`;
}

function listOf(changes: readonly PlannedChange[], lineUrl: RowOptions["lineUrl"]): Markup {
  return markup`<section id="changes" aria-labelledby="changes-title">
<h2 class="unseen" id="changes-title" tabindex="-1">Changes</h2>
${toolbarOf(changes)}
<div id="list">${sectionsOf(changes, lineUrl)}</div>
<p class="calm" id="none" hidden>No change matches. Try fewer words, or clear the filters.</p>
<noscript><p class="calm">Without scripts, only the first ${shownAtOnce} rows are shown, and filters do not work.</p></noscript>
<button class="more" id="more" type="button" hidden></button>
</section>
`;
}

function toolbarOf(changes: readonly PlannedChange[]): Markup {
  const statuses = [...grouped(changes, ({ outcome }) => outcome?.status)].filter(([status]) => status);
  const chips = each(statuses, ([status = "", { length }]) => {
    const content = markup`<span class="word">${status}</span> <span class="number">${thousands(length)}</span>`;
    return facetButton("outcome", status, content, markup``);
  });
  return markup`<search class="toolbar">
<div class="inputs">
<label class="search"><span>Search</span><input id="search" type="search" autocomplete="off" spellcheck="false" placeholder="Address, field, value, file or reason" aria-keyshortcuts="/"></label>
<label><span>Project</span><input id="project" type="search" autocomplete="off" spellcheck="false" list="projects" placeholder="All projects"></label>
<datalist id="projects"></datalist>
</div>
${chips.length > 0 ? markup`<fieldset class="chips"><legend class="unseen">Outcomes</legend>${chips}</fieldset>` : ""}
<div class="tally"><output id="count">${counted(changes.length, "change")}</output><button class="quiet" id="clear" type="button" hidden>Clear filters</button><button class="quiet" id="expand" type="button">Open all</button></div>
</search>`;
}

/** Rows outside templates. More are added as the reader scrolls. */
const shownAtOnce = 100;

const sections = ["loosened", ...actions] as const;

/** The sections of the list, what loosens a policy first. All but the first rows are in templates: they render nothing. */
function sectionsOf(changes: readonly PlannedChange[], lineUrl: RowOptions["lineUrl"]): readonly Markup[] {
  const groups = plannedGroups(changes);
  const isOpen = changes.length <= 8;
  let left = shownAtOnce;
  return sections.map((section) => {
    const rows = groups.filter(({ members: [first] }) => sectionOf(first) === section);
    const shown = rows.slice(0, left);
    left -= shown.length;
    const node = (group: PlannedGroup) => plannedRow(group, { isOpen, ...(lineUrl && { lineUrl }) });
    return markup`<section class="group" aria-labelledby="in-${section}" data-section="${section}"${shown.length > 0 ? "" : markup` hidden`}><h3 id="in-${section}">${section === "loosened" ? "Loosened" : `To ${section}`} <span class="number">${thousands(rows.reduce((sum, { members }) => sum + members.length, 0))}</span></h3>
<ul class="rows">${each(shown, node)}</ul><template>${each(rows.slice(shown.length), node)}</template></section>
`;
  });
}

function sectionOf(change: PlannedChange): (typeof sections)[number] {
  return change.policy_effect === "loosened" ? "loosened" : actionOf(change);
}
