import { counted } from "../../base/text-format.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import type { Action } from "../../model/types.ts";
import { linesText } from "../../plan/groups.ts";
import { attention } from "../../plan/highlights.ts";
import type { RevisionAction } from "../../revision/compare-projects.ts";
import { fieldBrief, rowNode, sidesTable } from "../html/change-rows.ts";
import { reportDocument } from "../html/document.ts";
import { each, longList, type Markup, markup } from "../html/markup.ts";
import { noticeNode, plainLine } from "../html/notices.ts";
import type { RevisionDocument } from "./document.ts";
import { projectsText, type RevisionGroup, revisionGroups, whatOf } from "./groups.ts";
import {
  comparedOf,
  fleetOf,
  headlineOf,
  lookAtThese,
  noticeText,
  problemText,
  settingLines,
  settingsTitle,
} from "./text.ts";

/** What changes between two revisions, as one HTML file that runs nothing and loads nothing. */
export function revisionHtml(document: RevisionDocument, catalogue: Catalogue): string {
  const { notices, changes, problems, warnings } = document;
  const groups = revisionGroups(changes);
  const found = [...problems, ...warnings].map(problemText);
  const settings = settingLines(document);
  return reportDocument(
    "Evenkeel diff",
    markup`<header>
<p class="overline"><b>Diff</b></p>
<h1>${headlineOf(document)}</h1>
<p class="lead">${comparedOf(document)} ${fleetOf(document)}</p>
</header>
<main>
<div id="notices">${noticeNode({ id: "problems", tone: "bad", title: "Problems and warnings", lines: found.map(plainLine) })}${noticeNode({ id: "first", tone: "bad", title: `${attention}. ${lookAtThese}`, lines: notices.map(noticeText).map(plainLine) })}</div>
${groups.length > 0 ? markup`<section aria-labelledby="changes"><h2 id="changes">Changes</h2><ul class="rows">${each(groups, (group) => groupNode(group, catalogue, groups.length <= mostOpen))}</ul></section>` : ""}
${noticeNode({ id: "settings", tone: "plain", title: settingsTitle, lines: settings.map(plainLine), isOpen: true })}
</main>
`,
    false,
  );
}

/** The symbol of a plan's action with the same effect. */
const actions: Readonly<Record<RevisionAction, Action>> = {
  declare: "create",
  edit: "update",
  disable: "disable",
  withdraw: "delete",
};

/** Most rows that are open from the start. */
const mostOpen = 20;

function groupNode(group: RevisionGroup, catalogue: Catalogue, isOpen: boolean): Markup {
  const { members, projects, shared, lines } = group;
  const [{ action, notes = [], source }] = members;
  const sides = { before: shared.before ?? null, after: shared.after ?? null };
  const items = each(projects, (name) => markup`<li>${name}</li>`);
  const names =
    projects.length > 1
      ? longList(items, mostProjects, "projects", counted(projects.length - mostProjects, "more project"))
      : "";
  return rowNode({
    action: actions[action],
    project: projectsText(projects),
    isGroup: projects.length > 1,
    prefix: "",
    key: whatOf(group, catalogue),
    brief: fieldBrief(sides) ?? markup``,
    source,
    moreSources: lines.length - 1,
    isOpen,
    detail: markup`${each(notes, (note) => markup`<p class="note">${note}</p>`)}${sidesTable(sides)}${names}<p class="origin"><span>Declared at <code>${linesText(lines)}</code></span></p>`,
  });
}

/** How many projects of a group are listed at first. */
const mostProjects = 60;
