import { counted, paragraphs } from "../base/text-format.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { ReportedProblem } from "../model/problem-line.ts";
import { isMove } from "../model/repository-kinds.ts";
import type { Place } from "../model/types.ts";
import { attention } from "../plan/highlights.ts";
import type { OverrideCount } from "../plan/overrides.ts";
import { type RevisionAction, type RevisionChange, revisionActions } from "../plan/revision/compare-projects.ts";
import { type Notice, settingText } from "../plan/revision/notices.ts";
import type { RevisionDiff } from "../plan/revision/revision.ts";
import type { SettingChange } from "../plan/revision/setting-changes.ts";
import { marker, sectionMarkdown, withRows } from "./markdown.ts";
import type { Palette } from "./terminal.ts";
import { rowText, sectionText } from "./text.ts";
import { overriddenSection, projectsText, revisionRows, type Section, type View } from "./view.ts";

export interface Listing {
  readonly source: "plan" | "file";
  /** The time of the plan that listed them; absent for a file. */
  readonly at?: string;
  readonly projects: number;
}

/** The document of `diff --report json`. Holds no secret. */
export interface RevisionDocument {
  readonly format_version: "1.0";
  /** Full commit IDs; null for the working files. */
  readonly base: { readonly revision: string };
  readonly head: { readonly revision: string | null };
  /** Null if the projects are unknown, so that wildcards are compared as written. */
  readonly listing: Listing | null;
  readonly summary: RevisionSummary;
  readonly notices: readonly RevisionNotice[];
  readonly settings: readonly SettingChange[];
  readonly changes: readonly RevisionChange[];
  readonly overrides: readonly OverrideCount[];
  readonly problems: readonly RevisionProblem[];
  readonly warnings: readonly RevisionProblem[];
}

/** `projects`: number of projects whose desired state differs. */
type RevisionSummary = Readonly<Record<RevisionAction | "projects" | "tightened" | "loosened", number>>;

type RevisionNotice = Omit<Notice, "place"> & Partial<Place>;

export interface RevisionProblem extends ReportedProblem {
  readonly revision: string | null;
}

type RevisionHeading = Pick<RevisionDocument, "base" | "head" | "listing" | "problems" | "warnings">;

/** `diff` is undefined if a side has errors, so that nothing was compared. */
export function revisionDocument(heading: RevisionHeading, diff: RevisionDiff | undefined): RevisionDocument {
  const { changes = [], notices = [], settings = [], overrides = [] } = diff ?? {};
  const { base, head, listing, problems, warnings } = heading;
  return {
    ...{ format_version: "1.0", base, head, listing, summary: summarize(changes) },
    notices: notices.map(({ place, ...notice }) => ({ ...notice, ...place })),
    ...{ settings, changes, overrides, problems, warnings },
  };
}

function summarize(changes: readonly RevisionChange[]): RevisionSummary {
  const actions = revisionActions.map((action) => [action, changes.filter((each) => each.action === action).length]);
  const withEffect = (policy_effect: RevisionChange["policy_effect"]) =>
    changes.filter((each) => each.policy_effect === policy_effect).length;
  return {
    projects: new Set(changes.flatMap((change) => (isMove(change) ? [] : [change.project]))).size,
    ...(Object.fromEntries(actions) as Record<RevisionAction, number>),
    tightened: withEffect("tightened"),
    loosened: withEffect("loosened"),
  };
}

export function isDifferent({ changes, settings, notices }: RevisionDocument): boolean {
  return changes.length + settings.length + notices.length > 0;
}

export function revisionView(document: RevisionDocument, catalogue: Catalogue): View {
  const { problems, notices, settings, warnings, changes, overrides } = document;
  const section = (id: string, title: string, tone: Section["tone"], texts: readonly string[]): Section => {
    return { id, title, tone, one: id.slice(0, -1), lines: texts.map((text) => ({ words: [text] })), isOpen: true };
  };
  const plainSettings = settings.filter(({ alarm }) => alarm === undefined).map(settingText);
  return {
    sections: [
      section("problems", "Problems", "bad", problems.map(problemText)),
      section("notices", `${attention}. Look at these before you merge:`, "bad", notices.map(noticeText)),
      section("settings", "Settings and rules", "plain", plainSettings),
      overriddenSection(overrides),
      section("warnings", "Warnings", "doubt", warnings.map(problemText)),
    ],
    rows: revisionRows(changes, catalogue),
  };
}

/** `at 1f2e3d4c5b6a: file:line: message (rule)`; without a revision for the working files. */
function problemText({ revision, file, line, project, message, rule }: RevisionProblem): string {
  const where = file === undefined ? project : `${file}:${line}`;
  const at = revision === null ? [] : [`at ${short(revision)}:`];
  return [...at, ...(where === undefined ? [] : [where]), message, `(${rule})`].join(" ");
}

function noticeText({ message, projects, file, line }: RevisionNotice): string {
  const whom = projects ? `${projectsText(projects)}: ` : "";
  return `${whom}${message}${file === undefined ? "" : ` (${file}:${line})`}`;
}

export function revisionText(document: RevisionDocument, catalogue: Catalogue, palette: Palette): string {
  const view = revisionView(document, catalogue);
  return paragraphs([
    sectionText(view, "notices", palette),
    ...view.rows.map((row) => rowText(row, palette)),
    sectionText(view, "settings", palette, palette.change("~")),
    sectionText(view, "overridden", palette),
    [palette.strong(headlineOf(document)), comparedText(document), listingText(document.listing)].join("\n"),
  ]);
}

export function revisionMarkdown(document: RevisionDocument, catalogue: Catalogue): string {
  const { sections, rows } = revisionView(document, catalogue);
  const headline = headlineOf(document)
    .replace(/^Diff: /, "")
    .replace(/\.$/, "");
  const head = [marker("diff"), `### Evenkeel: ${headline}`, leadOf(document)];
  return withRows([...head, ...sections.map((section) => sectionMarkdown(section))], rows);
}

export function headlineOf(document: RevisionDocument): string {
  const { declare, edit, disable, withdraw, projects, loosened, tightened } = document.summary;
  if (document.problems.length > 0) return `Nothing was compared: ${counted(document.problems.length, "problem")}.`;
  if (!isDifferent(document)) return "No differences.";
  const actions = `${declare} to declare, ${edit} to edit, ${disable} to disable, ${withdraw} to withdraw`;
  const licenses = loosened + tightened > 0 ? `; ${loosened} loosened, ${tightened} tightened` : "";
  return `Diff: ${actions}; ${counted(projects, "project")} with a different desired state${licenses}.`;
}

export function leadOf(document: RevisionDocument): string {
  return `${comparedText(document)} ${listingText(document.listing)}`;
}

function comparedText({ base, head }: RevisionDocument): string {
  const later = head.revision === null ? "the files as they are" : short(head.revision);
  return `Compared: ${short(base.revision)} with ${later}.`;
}

function short(revision: string): string {
  return revision.slice(0, 12);
}

export function listingText(listing: Listing | null): string {
  if (!listing) {
    return "Projects: not known here; a wildcard stands for all that it means. A plan keeps their list, or pass --projects FILE.";
  }
  const from = listing.source === "file" ? "the --projects file" : `the plan of ${listing.at}`;
  return `Projects: ${counted(listing.projects, "project")}, from ${from}.`;
}
