import { createHash } from "node:crypto";
import { printable } from "../../base/printable.ts";
import { each, type Markup, markup, ownMarkup } from "../html/markup.ts";
import { shown } from "../text-changes.ts";
import type { RevisionDocument } from "./document.ts";
import { fieldRows, lineOfGroup, type RevisionGroup, revisionGroups } from "./groups.ts";
import page from "./page.json" with { type: "json" };
import { comparedOf, fleetOf, headlineOf, noticeText, settingLines, settingsTitle } from "./text.ts";

const { style } = page;

const policy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; form-action 'none'`;

/** The same as one page that runs nothing and loads nothing. Every value is shown as text. */
export function revisionHtml(document: RevisionDocument): string {
  const { notices, changes, problems, warnings } = document;
  const doubts = [...problems, ...warnings].map(({ revision, file, line, message }) =>
    [revision === null ? "" : `at ${revision.slice(0, 12)}:`, file === undefined ? "" : `${file}:${line}`, message]
      .filter(Boolean)
      .join(" "),
  );
  return String(markup`${ownMarkup("<!doctype html>")}
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${ownMarkup(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Evenkeel diff</title>
<style>${ownMarkup(style)}</style>
</head>
<body>
<header>
<h1>${text(headlineOf(document))}</h1>
<p>${text(comparedOf(document))} ${text(fleetOf(document))}</p>
</header>
<main>
${section("Problems and warnings", doubts, "first")}${section("Look at these", notices.map(noticeText), "first")}${each(revisionGroups(changes), groupHtml)}
${section(settingsTitle, settingLines(document))}</main>
</body>
</html>`);
}

function section(title: string, lines: readonly string[], className = ""): Markup {
  if (lines.length === 0) return markup``;
  return markup`<section class="${className}"><h2>${title}</h2><ul>
${each(lines, (line) => markup`<li>${text(line)}</li>\n`)}</ul></section>
`;
}

function groupHtml(group: RevisionGroup): Markup {
  const { members, projects } = group;
  const [{ notes = [] }] = members;
  const rows = fieldRows(group);
  const cell = (value: Parameters<typeof shown>[0] | undefined) =>
    markup`<td>${value === undefined ? "" : text(shown(value))}</td>`;
  const table = markup`<table><tr><th scope="col">Field</th><th scope="col">Before</th><th scope="col">After</th></tr>
${each(rows, ({ name, before, after }) => markup`<tr><th scope="row"><code>${text(name)}</code></th>${cell(before)}${cell(after)}</tr>\n`)}</table>`;
  const list = markup`<details><summary>The projects</summary><ul>
${each(projects, (name) => markup`<li><code>${text(name)}</code></li>\n`)}</ul></details>`;
  return markup`<details><summary>${text(lineOfGroup(group))}</summary>${rows.length > 0 ? table : ""}${each(notes, (note) => markup`<p>${text(note)}</p>`)}${projects.length > 1 ? list : ""}</details>
`;
}

function text(value: string): string {
  return printable(value.toWellFormed());
}
