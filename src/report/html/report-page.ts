import { grouped } from "../../base/grouped.ts";
import { counted, thousands } from "../../base/text-format.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import type { Action } from "../../model/types.ts";
import { blockingText } from "../../plan/guards.ts";
import { archivedText, commitText, minuteText, ownersCounted, scopeText } from "../../plan/heading.ts";
import type { Highlight } from "../../plan/highlights.ts";
import { actionOf, type Plan } from "../../plan/plan.ts";
import { headlineOf, leadOf, type RevisionDocument, revisionView } from "../revision.ts";
import type { NextStep } from "../terminal.ts";
import { type Line, planView, type Row, type Section } from "../view.ts";
import { reportDocument } from "./document.ts";
import { type Facet, type Filter, filterLink } from "./filter-link.ts";
import { badge, capitalised, commandsNode, each, factList, longList, type Markup, markup } from "./markup.ts";
import { changeNode, facetsOf, linkTo, type RowOptions, signs, sourceText } from "./rows.ts";

interface PlanPage {
  readonly command?: string;
  readonly lineUrl?: RowOptions["lineUrl"];
  /** Inserted above the head of the page. */
  readonly before?: Markup;
  readonly next?: readonly NextStep[] | undefined;
}

/** Holds all changes and no secret, because a plan holds none; the script only filters. */
export function planHtml(plan: Plan, catalogue: Catalogue, page: PlanPage = {}): string {
  const { command, lineUrl, before, next = [] } = page;
  const labels = command === "drift" ? foundLabels : {};
  const title = command === "drift" ? "Drift" : plan.summary.outcomes ? "Apply" : "Plan";
  const { sections, rows } = planView(plan, catalogue, command);
  const hasRows = rows.length > 0;
  return reportDocument(
    `${title}: ${[blockingText(plan), planHeadline(plan)].filter(Boolean).join("; ")}`,
    markup`${hasRows ? markup`<a class="skip" id="skip" href="#changes">Skip to the changes</a>` : ""}
${before ?? ""}${planHead(plan, title)}
<main>${commandsNode(next)}
<div id="notices">${each(sections, sectionNode)}</div>
${hasRows ? markup`${overviewNode(rows, labels)}${listNode(rows, toolbarNode(rows), labels, lineUrl)}` : ""}
</main>
<footer>Evenkeel ${plan.evenkeel_version} · plan ${plan.digest}</footer>
`,
    true,
  );
}

export function revisionHtml(document: RevisionDocument, catalogue: Catalogue): string {
  const { sections, rows } = revisionView(document, catalogue);
  const head = headNode({ overline: markup`<b>Diff</b>`, title: headlineOf(document), lead: leadOf(document) });
  return reportDocument(
    "Evenkeel diff",
    markup`${head}
<main><div id="notices">${each(sections, sectionNode)}</div>
${rows.length > 0 ? listNode(rows, markup``) : ""}</main>
`,
    false,
  );
}

function planHeadline({ summary, resource_changes: { length }, problems }: Plan): string {
  const { changed_projects: changed, outcomes } = summary;
  if (outcomes) return `${thousands(outcomes.applied)} of ${counted(length, "change")} applied`;
  if (length > 0) return `${counted(length, "change")} in ${thousands(changed)} of ${ownersCounted(summary)}`;
  if (problems.length > 0 && summary.projects === 0) return "Nothing was compared";
  return problems.length > 0 ? "No changes among what could be compared" : "Nothing to change";
}

function planHead(plan: Plan, title: string): Markup {
  const overline = markup`<b>${title}</b> · ${plan.server.url}`;
  const facts = planFacts(plan);
  const blocking = blockingText(plan);
  if (blocking) return headNode({ overline, title: blocking, lead: planHeadline(plan), tone: "blocked", facts });
  const lead = planLead(plan);
  return headNode({ overline, title: planHeadline(plan), lead, tone: lead ? "settled" : "", facts });
}

interface Head {
  readonly overline: Markup;
  readonly title: string;
  readonly lead: string;
  readonly tone?: string;
  readonly facts?: Markup;
}

function headNode({ overline, title, lead, tone, facts = markup`` }: Head): Markup {
  return markup`<header>
<p class="overline">${overline}</p>
<h1${tone ? markup` class="${tone}"` : ""}>${title}</h1>
${lead ? markup`<p class="lead">${lead}</p>` : ""}${facts}
</header>`;
}

function planLead({ summary, problems }: Plan): string {
  const { projects, unverified, writes } = summary;
  if (writes > 0 || problems.length > 0 || projects === 0) return "";
  const doubt = unverified > 0 ? `, except for ${counted(unverified, "parameter")} that could not be compared` : "";
  return `${ownersCounted(summary)} ${projects === 1 ? "is" : "are"} as declared${doubt}.`;
}

function planFacts({ created_at: createdAt, manifests, scope, summary }: Plan): Markup {
  return factList([
    ["Made", markup`<time datetime="${createdAt}" data-age>${minuteText(createdAt)}</time>`],
    ["Commit", commitText(manifests)],
    ["Only", scopeText(scope)],
    ["Requests", `${thousands(summary.reads)} to read, ${thousands(summary.writes)} to write`],
    ["Unmanaged", summary.unmanaged > 0 ? `${thousands(summary.unmanaged)} live, in no policy` : ""],
    ["Archived", archivedText(summary)],
    ["Unverified", summary.unverified > 0 ? counted(summary.unverified, "parameter") : ""],
  ]);
}

const mostLines = 20;

function sectionNode(section: Section): Markup {
  const { id, tone, title, heading = title, lines, isOpen = tone === "bad", most = mostLines } = section;
  if (lines.length === 0) return markup``;
  const items = each(lines, (line) => markup`<li>${lineNode(line)}</li>\n`);
  const content = longList(items, most, "lines", `${thousands(lines.length - most)} more`);
  return markup`<section aria-labelledby="${id}"><details class="notice ${tone}"${isOpen ? markup` open` : ""}><summary><h2 id="${id}">${heading}</h2></summary><div>${content}</div></details></section>
`;
}

function lineNode({ lead, highlight, words, ...line }: Line): Markup {
  const text = words.join("; ");
  if (lead !== undefined) return markup`${highlight ? highlightLink(highlight) : lead}: ${text}`;
  const { place, project, path, rule = line.guard, status, addresses = [], guard } = line;
  const codes = [place ? sourceText(place) : project, path].flatMap((each) => each || []);
  const name = status === undefined ? "" : markup`${badge(status)} ${each(addresses, (address) => linkTo(address))} `;
  const objected = guard === undefined ? "" : addressesNode(addresses);
  return markup`${name}${each(codes, (code) => markup`<code>${code}</code> `)}${text}${rule === undefined ? "" : markup` <span class="rule">(${rule})</span>`}${objected}`;
}

function highlightLink({ topic, title, changes }: Highlight): Markup {
  const filter = filters[topic];
  const isExact = filter.action === undefined || changes.every((change) => filter.action?.has(actionOf(change)));
  return isExact ? markup`<a href="#${filterLink(filter)}">${title}</a>` : markup`${title}`;
}

const filters: Readonly<Record<Highlight["topic"], Partial<Filter>>> = {
  looser: { policy_effect: new Set(["tightened"]) },
  loosened: { policy_effect: new Set(["loosened"]) },
  "lost-notifications": { events: new Set(["lost"]) },
  "moved-notifications": { events: new Set(["moved"]) },
  disabled: { action: new Set(["disable"]) },
  deleted: { action: new Set(["delete"]) },
  replaced: { action: new Set(["replace"]) },
};

function addressesNode(addresses: readonly string[]): Markup {
  const [only, ...others] = addresses;
  if (only === undefined) return markup``;
  if (others.length === 0) return markup` ${linkTo(only, "Show it")}`;
  const items = each(addresses, (address) => markup`<li>${linkTo(address)}</li>`);
  const more = `${thousands(addresses.length - mostLines)} more`;
  return markup`<details><summary>${counted(addresses.length, "address", "addresses")}</summary>${longList(items, mostLines, "lines", more)}</details>`;
}

const actions = Object.keys(signs) as readonly Action[];

/** Words for the changes of an action, in place of `to create`. */
type Labels = Readonly<Partial<Record<Row["action"], string>>>;

/** Labels for the states that drift found, in place of the actions of an apply. */
const foundLabels: Labels = { create: "missing", update: "different" };

function labelOf(action: Row["action"], labels: Labels): string {
  return labels[action] ?? `to ${action}`;
}

function overviewNode(rows: readonly Row[], labels: Labels): Markup {
  const shownActions = actions.filter((action) => action !== "replace" || rows.some((row) => row.action === action));
  const tileNode = (facet: Facet, word: string, sign: string, label: string) => {
    const count = countChanges(rows.filter((row) => facetsOf(row)[facet] === word));
    const content = markup`<span class="number">${thousands(count)}</span> <span class="word"><span class="symbol ${word}" aria-hidden="true">${sign}</span> ${label}</span>`;
    return facetButton(facet, word, content, markup`tile ${word}`, count === 0);
  };
  const tiles = [
    tileNode("policy_effect", "loosened", "!", "loosened"),
    tileNode("events", "lost", "!", "losing events"),
    ...shownActions.map((action) => tileNode("action", action, signs[action], labelOf(action, labels))),
  ];
  return markup`<fieldset class="overview"><legend class="unseen">Actions</legend><div class="tiles">${tiles}</div></fieldset>
`;
}

function countChanges(rows: readonly Row[]): number {
  return rows.reduce((sum, { projects }) => sum + projects.length, 0);
}

function facetButton(facet: Facet, word: string, content: Markup, className: Markup, isDisabled = false): Markup {
  return markup`<button type="button" class="${className}" data-facet="${facet}" data-word="${word}" aria-pressed="false"${isDisabled ? markup` disabled` : ""}>${content}</button>`;
}

function toolbarNode(rows: readonly Row[]): Markup {
  const chips = (["kind", "outcome"] as const).flatMap((facet) =>
    [...grouped(rows, (row) => facetsOf(row)[facet] || undefined)].map(([word, members]) => {
      const content = markup`<span class="word">${word}</span> <span class="number">${thousands(countChanges(members))}</span>`;
      return facetButton(facet, word, content, markup`chip`);
    }),
  );
  return markup`<search class="toolbar">
<div class="filters">
<label><span>Search</span><input id="search" type="search" autocomplete="off" spellcheck="false" placeholder="Address, field, value, file or reason" aria-keyshortcuts="/"></label>
<label><span>Project</span><input id="project" type="search" autocomplete="off" spellcheck="false" placeholder="All projects"></label>
</div>
<fieldset class="chips"><legend class="unseen">Kinds and outcomes</legend>${chips}</fieldset>
<div class="tally"><output id="count">${counted(countChanges(rows), "change")}</output><button class="quiet" id="clear" type="button" hidden>Clear filters</button></div>
</search>`;
}

const mostOpen = 8;

function listNode(rows: readonly Row[], toolbar: Markup, labels: Labels = {}, lineUrl?: RowOptions["lineUrl"]): Markup {
  const isOpen = countChanges(rows) <= mostOpen;
  const rank = ({ effect, sign }: Row) => (effect === "loosened" ? -1 : actions.indexOf(sign));
  const inOrder = [...rows].sort((a, b) => rank(a) - rank(b));
  const sections = grouped(inOrder, ({ effect, action }) => (effect === "loosened" ? effect : action));
  return markup`<section id="changes" aria-labelledby="changes-title">
<h2 class="unseen" id="changes-title" tabindex="-1">Changes</h2>
${toolbar}
<div id="list">${[...sections].map(
    ([
      name,
      members,
    ]) => markup`<section class="group" aria-labelledby="in-${name}"><h3 id="in-${name}">${capitalised(name === "loosened" ? name : labelOf(name, labels))} <span class="number">${thousands(countChanges(members))}</span></h3>
<ul class="rows">${each(members, (row) => changeNode(row, { isOpen, lineUrl }))}</ul></section>
`,
  )}</div>
<button class="quiet" id="more" type="button" hidden>Show more</button>
<p class="calm" id="none" hidden>No change matches. Try fewer words, or clear the filters.</p>
</section>
`;
}
