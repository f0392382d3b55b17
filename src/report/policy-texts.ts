import type { Acceptance, Hunk } from "../author/accept/accept.ts";
import { grouped } from "../base/grouped.ts";
import { knownSecrets } from "../base/known-secrets.ts";
import { printable } from "../base/printable.ts";
import { counted, firstFew, joinedByAnd, paragraphs, terminalWidth, wrapped } from "../base/text-format.ts";
import type { Override } from "../manifest/overrides.ts";
import type { PrunableEntry } from "../manifest/prune.ts";
import { resourceName } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { ownerOfName, owners, pluralOwner } from "../model/owner.ts";
import { bySeverity } from "../model/problem-line.ts";
import type { Place } from "../model/types.ts";
import { lineText } from "../plan/groups.ts";
import { ownersCounted } from "../plan/heading.ts";
import { overrideText } from "../plan/overrides.ts";
import type { RevisionChange } from "../plan/revision/compare-projects.ts";
import type { ProposedRequest } from "../run/merge-requests.ts";
import type { Unmanaged } from "../run/unmanaged.ts";
import { type Listing, listingText } from "./revision.ts";
import { columns, type Palette } from "./terminal.ts";
import { rowText } from "./text.ts";
import { revisionRows } from "./view.ts";

/** An acceptance; its files were written unless `dryRun`. */
export interface AcceptReport extends Acceptance {
  readonly dryRun: boolean;
  readonly request?: ProposedRequest;
}

export function acceptText({ accepted, inSync, dryRun, request }: AcceptReport, palette: Palette): string {
  const things = accepted.map(({ address, hunks, notes }) =>
    [
      palette.strong(printable(address)),
      ...notes.map((note) => `  ${printable(note)}`),
      ...hunks.flatMap((hunk) => hunkLines(hunk, palette)),
    ].join("\n"),
  );
  const files = new Set(accepted.flatMap(({ hunks }) => hunks.map(({ file }) => file)));
  const verb = dryRun ? "would change" : request ? "changed in a merge request" : "changed";
  const total = `Accepted ${counted(accepted.length, "live value")}: ${counted(files.size, "file")} ${verb}.`;
  const same = inSync.map((address) => `${printable(address)} is as the manifests say: nothing to accept.`);
  const opened =
    request && printable(`${request.updated ? "Updated" : "Opened"} ${request.url} (branch ${request.branch}).`);
  return [...things, ...same, accepted.length > 0 ? palette.strong(total) : "", opened].filter(Boolean).join("\n");
}

function hunkLines(hunk: Hunk, palette: Palette): readonly string[] {
  const { file, line, removed, added } = redactedHunk(hunk);
  return [
    `  ${palette.faint(printable(`${file}:${line}`))}`,
    ...removed.map((text) => palette.remove(`  - ${printable(text)}`)),
    ...added.map((text) => palette.add(`  + ${printable(text)}`)),
  ];
}

/** A manifest may hold a literal secret where the workspace allows it. */
function redactedHunk({ removed, added, ...hunk }: Hunk): Hunk {
  const [before = [], after = []] = [removed, added].map((lines) => lines.map((line) => knownSecrets.clean(line)));
  return { ...hunk, removed: before, added: after };
}

export function acceptJson({ accepted, inSync, problems, dryRun, request }: AcceptReport): string {
  const things = accepted.map(({ hunks, ...thing }) => ({ ...thing, edits: hunks.map(redactedHunk) }));
  const proposed = request && { merge_request: request };
  const report = { accepted: things, in_sync: inSync, dry_run: dryRun, ...proposed, ...bySeverity(problems) };
  return JSON.stringify(report, null, 2);
}

export interface OverriddenEntry {
  readonly policy: string;
  readonly entry: string;
  readonly project: string;
  readonly loses: Pick<Place, "file" | "line">;
  readonly wins: Pick<Place, "file" | "line">;
  /** True if the live value differs from the entry; null if unknown. */
  readonly differs: boolean | null;
}

export function overriddenEntry(project: string, { layer, entry, loses, wins }: Override): OverriddenEntry {
  const lines = { loses: formatLine(loses.place()), wins: formatLine(wins.place()) };
  return { policy: layer.policy.name, entry, project, ...lines, differs: null };
}

function formatLine({ file, line }: Place): OverriddenEntry["loses"] {
  return { file, line };
}

export function overridesText(all: readonly OverriddenEntry[], listing: Listing | null, palette: Palette): string {
  const groups = [...grouped(all, ({ policy, entry }) => JSON.stringify([policy, entry])).values()];
  const headline = all.length === 0 ? "Nothing is overridden." : `${counted(all.length, "override")}.`;
  return paragraphs([
    ...groups.map((group) => groupText(group, palette)),
    palette.strong(headline),
    listingText(listing),
  ]);
}

function groupText(group: readonly [OverriddenEntry, ...OverriddenEntry[]], palette: Palette): string {
  const [{ policy, entry, loses, project: first }] = group;
  const of = ownerOfName(first) === "group" ? ({ of: "group" } as const) : {};
  const title = overrideText({ policy, entry, projects: group.length, differ: null, ...of });
  const rows = group.map(({ project, wins }) => [`  ${printable(project)}`, lineText(wins)]);
  const [, ...lines] = columns(["  in", "set in"], rows, palette).split("\n");
  return [`${palette.strong(printable(title))}  ${palette.faint(lineText(loses))}`, ...lines].join("\n");
}

export interface PruneReport {
  readonly entries: readonly PrunableEntry[];
  /** True if projects that are not known may change as well. */
  readonly unseen: boolean;
  readonly left: readonly PrunableEntry[];
  /** Changes of the desired state, of one project each; none unless entries yield to another policy. */
  readonly changes: readonly RevisionChange[];
  readonly policies: number;
  readonly files: number;
}

export function pruneText(found: PruneReport, catalogue: Catalogue, palette: Palette): string {
  const { entries, left, changes, unseen } = found;
  return paragraphs([
    entries.map((entry) => entryText(entry, palette)).join("\n"),
    left.length > 0
      ? [palette.strong("To remove by hand"), ...left.map((entry) => entryText(entry, palette))].join("\n")
      : "",
    ...changes.flatMap((change) => revisionRows([change], catalogue)).map((row) => rowText(row, palette)),
    unseen
      ? "The projects of wildcards are not known here: plan first, or give --projects FILE, to see all changes."
      : "",
  ]);
}

function entryText(removed: PrunableEntry, palette: Palette): string {
  const { policy, entry, instead, ...place } = removalOf(removed);
  const by = `${instead.policy} at ${lineText(instead)}`;
  const line = `${lineText(place)}  ${policy}: ${entry}`;
  return `${palette.remove("-")} ${printable(line)}  ${palette.faint(printable(by))}`;
}

export function prunedCounts({ entries, policies, files, changes, unseen }: PruneReport): string {
  const parts = [
    counted(entries.length, "entry", "entries"),
    ...(policies > 0 ? [counted(policies, "policy", "policies")] : []),
    ...(files > 0 ? [counted(files, "file")] : []),
  ];
  const projects = new Set(changes.map(({ project }) => project)).size;
  const known =
    projects === 0 ? "no desired state changes" : `the desired state of ${counted(projects, "project")} changes`;
  const effect = unseen ? `${known}, of those that are known` : known;
  return `${joinedByAnd(parts)}; ${effect}`;
}

export function pruneJson({ entries, left, changes }: PruneReport): string {
  const removed = [...entries, ...left].map((each) => ({ ...removalOf(each), by_hand: left.includes(each) }));
  return JSON.stringify({ format_version: "1.0", entries: removed, changes }, null, 2);
}

function removalOf({ policy, entry, field, path, wide }: PrunableEntry) {
  const { kind, key } = entry.desired;
  const { file, line } = policy.document.place(path, "key");
  const instead = wide.place();
  return {
    policy: policy.name,
    entry: `${resourceName(kind, key)}${field === undefined ? "" : `.${field}`}`,
    ...{ file, line },
    instead: { policy: wide.policy, file: instead.file, line: instead.line },
  };
}

/** Each resource with the projects that have it, those of most projects first. */
export function unmanagedText(unmanaged: Unmanaged, palette: Palette): string {
  const groups = [...grouped(unmanaged.resources, ({ resource }) => resource)]
    .map(([resource, members]) => ({ resource, projects: [...new Set(members.map(({ project }) => project))] }))
    .sort((a, b) => b.projects.length - a.projects.length)
    .map(({ resource, projects }) => {
      const names = printable(firstFew(projects, 10));
      return `${palette.strong(printable(resource))}\n    ${wrapped(`in ${names}`, terminalWidth - 4, "    ")}`;
    });
  const headline = palette.strong(`${unmanagedHeadline(unmanaged)}.`);
  return paragraphs([groups.join("\n"), headline, ...unreadSentences(unmanaged)]);
}

function unmanagedHeadline({ resources, problems, ...counts }: Unmanaged): string {
  const { projects } = counts;
  if (projects === 0 && problems.length > 0) return `Nothing was compared: ${counted(problems.length, "problem")}`;
  const owners = new Set(resources.map(({ project }) => project)).size;
  const of = `${owners === projects ? "" : `${owners} of `}${ownersCounted(counts)}`;
  return resources.length === 0
    ? `Nothing unmanaged in ${ownersCounted(counts)}`
    : `${counted(resources.length, "unmanaged resource")} in ${of}`;
}

function unreadSentences({ unread }: Unmanaged): readonly string[] {
  const whole = unread.filter(({ projects, total }) => projects === total);
  const partly = unread.filter((each) => !whole.includes(each));
  const wholly = owners.flatMap((of) => {
    const sections = whole.flatMap((each) => (each.of === of ? each.section : []));
    return sections.length > 0
      ? [`Not read of ${pluralOwner(of)}: ${joinedByAnd(sections)}, because no policy has such a section.`]
      : [];
  });
  const alike = grouped(partly, ({ of, projects, total }) => `Not read in ${projects} of ${counted(total, of)}`);
  const rest = [...alike].map(([where, sections]) => {
    const names = joinedByAnd(sections.map(({ section }) => section));
    return `${where}: ${names}, because no policy for them has such a section.`;
  });
  return [...wholly, ...rest];
}

export function unmanagedJson({ resources, unread, problems, warnings, ...counts }: Unmanaged): string {
  const summary = { ...counts, unmanaged: resources.length };
  return JSON.stringify({ format_version: "1.0", summary, resources, unread, problems, warnings }, null, 2);
}
