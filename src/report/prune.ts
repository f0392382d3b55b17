import { printable } from "../base/printable.ts";
import { counted, joinedByAnd, paragraphs } from "../base/text-format.ts";
import type { PrunableEntry } from "../manifest/prune.ts";
import { resourceName } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { lineText } from "../plan/groups.ts";
import type { RevisionChange } from "../plan/revision/compare-projects.ts";
import type { Palette } from "./terminal.ts";
import { rowText } from "./text.ts";
import { revisionRows } from "./view.ts";

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

function entryText({ policy, entry, field, path, wide }: PrunableEntry, palette: Palette): string {
  const { kind, key } = entry.desired;
  const name = `${resourceName(kind, key)}${field === undefined ? "" : `.${field}`}`;
  const place = lineText(policy.document.place(path, "key"));
  const instead = `${wide.policy} at ${lineText(wide.place())}`;
  return `${palette.remove("-")} ${printable(`${place}  ${policy.name}: ${name}`)}  ${palette.faint(printable(instead))}`;
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
