import { printable } from "../../base/printable.ts";
import { counted } from "../../base/text-format.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { linesText } from "../../plan/groups.ts";
import { attention } from "../../plan/highlights.ts";
import type { RevisionAction } from "../../revision/compare-projects.ts";
import { settingText } from "../../revision/notices.ts";
import { shown } from "../field-text.ts";
import type { Palette } from "../palette.ts";
import { isDifferent, type RevisionDocument, type RevisionNotice, type RevisionProblem } from "./document.ts";
import {
  type fieldRows,
  projectsText,
  type RevisionGroup,
  revisionGroups,
  someOf,
  valuesOf,
  whatOf,
} from "./groups.ts";

const marks: Readonly<Record<RevisionAction, readonly [symbol: string, paint: keyof Palette]>> = {
  declare: ["+", "add"],
  edit: ["~", "change"],
  disable: ["x", "remove"],
  withdraw: ["-", "remove"],
};

/** What changes between two revisions, for people: what to look at first, then each change once. */
export function revisionText(document: RevisionDocument, catalogue: Catalogue, palette: Palette): string {
  return [
    noticesText(document, palette),
    ...revisionGroups(document.changes).map((group) => groupText(group, catalogue, palette)),
    settingsText(document, palette),
    [palette.strong(headlineOf(document)), comparedOf(document), fleetOf(document)].join("\n"),
  ]
    .filter(Boolean)
    .join("\n\n");
}

function noticesText({ notices }: RevisionDocument, palette: Palette): string {
  if (notices.length === 0) return "";
  const lines = notices.map((notice) => `  ${palette.warn("!")} ${printable(noticeText(notice))}`);
  return [`${palette.strong(`${attention}.`)} ${lookAtThese}:`, ...lines].join("\n");
}

/** What to do with the notices of a diff. */
export const lookAtThese = "Look at these before you merge";

/** `at 1f2e3d4c5b6a: file:line: message (rule)`; without a revision for the files as they are. */
export function problemText({ revision, file, line, project, message, rule }: RevisionProblem): string {
  const where = file === undefined ? project : `${file}:${line}`;
  const at = revision === null ? [] : [`at ${revision.slice(0, 12)}:`];
  return [...at, ...(where === undefined ? [] : [where]), message, `(${rule})`].join(" ");
}

/** One notice in one line: whom it is about, what, and where. */
export function noticeText({ message, projects, file, line }: RevisionNotice): string {
  const whom = projects ? `${projectsText(projects)}: ` : "";
  return `${whom}${message}${file === undefined ? "" : ` (${file}:${line})`}`;
}

function groupText(group: RevisionGroup, catalogue: Catalogue, palette: Palette): string {
  const { members, projects, lines } = group;
  const [{ action, notes = [] }] = members;
  const [symbol, paint] = marks[action];
  const whom = palette.strong(printable(projectsText(projects)));
  const { row, rows } = valuesOf(group);
  const head = `${palette[paint](symbol)} ${whom}: ${printable(whatOf(group, catalogue, row))} ${palette.faint(printable(`(${linesText(lines)})`))}`;
  const fields = rows.map((each) => `    ${printable(each.name)}: ${valuesText(each)}`);
  const noted = notes.map((note) => `    ${palette.warn("note:")} ${printable(note)}`);
  const some = someOf(projects);
  return [head, ...fields, ...noted, ...(some ? [`    ${palette.faint(printable(some))}`] : [])].join("\n");
}

function valuesText({ before, after }: ReturnType<typeof fieldRows>[number]): string {
  if (before === undefined) return shown(after);
  return after === undefined ? `${shown(before)}, until now` : `${shown(before)} -> ${shown(after)}`;
}

/** Settings and rules that are others, without those to look at first. */
export function settingLines({ settings }: RevisionDocument): readonly string[] {
  return settings.filter(({ alarm }) => alarm === undefined).map(settingText);
}

export const settingsTitle = "Settings and rules";

function settingsText(document: RevisionDocument, palette: Palette): string {
  const settings = settingLines(document);
  if (settings.length === 0) return "";
  const lines = settings.map((setting) => `  ${palette.change("~")} ${printable(setting)}`);
  return [palette.strong(settingsTitle), ...lines].join("\n");
}

/** Counts in one sentence. */
export function headlineOf(document: RevisionDocument): string {
  const { declare, edit, disable, withdraw, projects, loosened, tightened } = document.summary;
  if (document.problems.length > 0) return `Nothing was compared: ${counted(document.problems.length, "problem")}.`;
  if (!isDifferent(document)) return "No differences.";
  const actions = `${declare} to declare, ${edit} to edit, ${disable} to disable, ${withdraw} to withdraw`;
  const licenses = loosened + tightened > 0 ? `; ${loosened} loosened, ${tightened} tightened` : "";
  return `Diff: ${actions}; ${counted(projects, "project")} with a different desired state${licenses}.`;
}

/** Which revisions were compared. */
export function comparedOf({ base, head }: RevisionDocument): string {
  const later = head.revision === null ? "the files as they are" : short(head.revision);
  return `Compared: ${short(base.revision)} with ${later}.`;
}

function short(revision: string): string {
  return revision.slice(0, 12);
}

/** How the fleet's projects are known. */
export function fleetOf({ listing }: RevisionDocument): string {
  if (!listing) {
    return "Projects: not known here; a wildcard stands for all that it means. A plan keeps their list, or pass --projects FILE.";
  }
  const from = listing.source === "file" ? "the --projects file" : `the plan of ${listing.at}`;
  return `Projects: ${counted(listing.projects, "project")}, from ${from}.`;
}
