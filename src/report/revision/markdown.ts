import { counted } from "../../base/text-format.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { attention } from "../../plan/highlights.ts";
import { shown } from "../field-text.ts";
import { longestMarkdown } from "../markdown.ts";
import { code, fitting, heading, row } from "../markdown-text.ts";
import type { RevisionDocument } from "./document.ts";
import { fieldRows, lineOfGroup, type RevisionGroup, revisionGroups, valuesOf } from "./groups.ts";
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

/** Projects that a folded list names at most. */
const mostProjects = 200;

/** The same as a comment for a merge request, at most as long as every forge takes. */
export function revisionMarkdown(document: RevisionDocument, catalogue: Catalogue): string {
  const head = [
    "<!-- evenkeel:diff -->",
    `### Evenkeel: ${headlineOf(document)
      .replace(/^Diff: /, "")
      .replace(/\.$/, "")}`,
    `${comparedOf(document)} ${fleetOf(document)}`,
    listOf("**Problems**", document.problems.map(problemText)),
    listOf(`**${attention}.** ${lookAtThese}:`, document.notices.map(noticeText)),
  ].filter(Boolean);
  const rest = [
    ...revisionGroups(document.changes).map((group) => groupMarkdown(group, catalogue)),
    listOf(`**${settingsTitle}**`, settingLines(document)),
    listOf("**Warnings**", document.warnings.map(problemText)),
  ].filter(Boolean);
  const room = longestMarkdown - head.join("\n\n").length - 200;
  const kept = fitting(rest, room);
  const left = rest.length - kept.length;
  const more = left > 0 ? [`… and ${counted(left, "more group")} of changes; other reports have them.`] : [];
  return [...head, ...kept, ...more].join("\n\n");
}

const longestList = 100;

function listOf(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return "";
  const more = lines.length > longestList ? [`- … and ${lines.length - longestList} more`] : [];
  return [title, "", ...lines.slice(0, longestList).map((line) => `- ${code(line)}`), ...more].join("\n");
}

function groupMarkdown(group: RevisionGroup, catalogue: Catalogue): string {
  const { members, projects } = group;
  const [{ notes = [] }] = members;
  const head = "<details><summary>Details</summary>";
  const rows = fieldRows(group).map(({ name, before, after }) =>
    row([code(name), before === undefined ? "" : code(shown(before)), after === undefined ? "" : code(shown(after))]),
  );
  const table = rows.length > 0 ? [[...heading(["Field", "Before", "After"]), ...rows].join("\n")] : [];
  const noted = notes.map((note) => `- ${code(note)}`).join("\n");
  const names =
    projects.length > 1
      ? projects
          .slice(0, mostProjects)
          .map((name) => code(name))
          .join(", ")
      : "";
  const rest = projects.length > mostProjects ? `… and ${projects.length - mostProjects} more` : "";
  return [
    code(lineOfGroup(group, catalogue, valuesOf(group).row)),
    head,
    ...table,
    noted,
    [names, rest].filter(Boolean).join(" "),
    "</details>",
  ]
    .filter(Boolean)
    .join("\n\n");
}
