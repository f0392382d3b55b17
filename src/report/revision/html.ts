import { createHash } from "node:crypto";
import { printable } from "../../base/printable.ts";
import { shown } from "../text-changes.ts";
import type { RevisionDocument } from "./document.ts";
import { fieldRows, lineOfGroup, type RevisionGroup, revisionGroups } from "./groups.ts";
import { comparedOf, fleetOf, headlineOf, noticeText, settingLines, settingsTitle } from "./text.ts";

const style = `
:root { color-scheme: light dark; --line: #8884; --warn: #b45309; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
code, td { font-family: ui-monospace, monospace; font-size: .875rem; overflow-wrap: anywhere; }
details { border-top: 1px solid var(--line); padding: .5rem 0; }
summary { cursor: pointer; }
section.first { border-left: 4px solid var(--warn); padding-left: 1rem; }
table { border-collapse: collapse; margin: .5rem 0; }
th, td { text-align: left; padding: .125rem .75rem .125rem 0; vertical-align: top; }
`;

const policy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; form-action 'none'`;

/** The same as one page that runs nothing and loads nothing. Every value is shown as text. */
export function revisionHtml(document: RevisionDocument): string {
  const { notices, changes, problems, warnings } = document;
  const doubts = [...problems, ...warnings].map(({ revision, file, line, message }) =>
    [revision === null ? "" : `at ${revision.slice(0, 12)}:`, file === undefined ? "" : `${file}:${line}`, message]
      .filter(Boolean)
      .join(" "),
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Evenkeel diff</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${text(headlineOf(document))}</h1>
<p>${text(comparedOf(document))} ${text(fleetOf(document))}</p>
</header>
<main>
${section("Problems and warnings", doubts, "first")}${section("Look at these", notices.map(noticeText), "first")}${revisionGroups(changes).map(groupHtml).join("\n")}
${section(settingsTitle, settingLines(document))}</main>
</body>
</html>`;
}

function section(title: string, lines: readonly string[], look = ""): string {
  if (lines.length === 0) return "";
  const items = lines.map((line) => `<li>${text(line)}</li>`).join("\n");
  return `<section class="${look}"><h2>${title}</h2><ul>\n${items}\n</ul></section>\n`;
}

function groupHtml(group: RevisionGroup): string {
  const { members, projects } = group;
  const [{ notes = [] }] = members;
  const rows = fieldRows(group).map(({ name, before, after }) => {
    const cells = [before, after].map((value) => `<td>${value === undefined ? "" : text(shown(value))}</td>`);
    return `<tr><th scope="row"><code>${text(name)}</code></th>${cells.join("")}</tr>`;
  });
  const head = '<tr><th scope="col">Field</th><th scope="col">Before</th><th scope="col">After</th></tr>';
  const table = rows.length > 0 ? `<table>${head}\n${rows.join("\n")}</table>` : "";
  const noted = notes.map((note) => `<p>${text(note)}</p>`).join("\n");
  const names = projects.map((name) => `<li><code>${text(name)}</code></li>`).join("\n");
  const list = projects.length > 1 ? `<details><summary>The projects</summary><ul>\n${names}\n</ul></details>` : "";
  return `<details><summary>${text(lineOfGroup(group))}</summary>${table}${noted}${list}</details>`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function text(value: string): string {
  return printable(value.toWellFormed()).replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
