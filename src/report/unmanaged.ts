import { grouped } from "../base/grouped.ts";
import { printable } from "../base/printable.ts";
import { counted, firstFew, joinedByAnd, terminalWidth, wrapped } from "../base/text-format.ts";
import { owners, pluralOwner } from "../model/owner.ts";
import { ownersCounted } from "../plan/heading.ts";
import type { Unmanaged, UnreadSection } from "../run/unmanaged.ts";
import type { Palette } from "./terminal.ts";

/** A resource and the projects that have it. Groups with most projects come first. */
export interface UnmanagedGroup {
  readonly resource: string;
  readonly projects: readonly string[];
}

export function unmanagedGroups({ resources }: Unmanaged): readonly UnmanagedGroup[] {
  return [...grouped(resources, ({ resource }) => resource)]
    .map(([resource, members]) => ({ resource, projects: [...new Set(members.map(({ project }) => project))] }))
    .sort((a, b) => b.projects.length - a.projects.length);
}

export function unmanagedText(unmanaged: Unmanaged, palette: Palette): string {
  const groups = unmanagedGroups(unmanaged).map(({ resource, projects }) => {
    const names = printable(firstFew(projects, mostNamed));
    return `${palette.strong(printable(resource))}\n    ${wrapped(`in ${names}`, terminalWidth - 4, "    ")}`;
  });
  return [groups.join("\n"), palette.strong(`${unmanagedHeadline(unmanaged)}.`), ...unreadSentences(unmanaged)]
    .filter(Boolean)
    .join("\n\n");
}

const mostNamed = 10;

export function unmanagedHeadline({ resources, problems, ...counts }: Unmanaged): string {
  const { projects } = counts;
  if (projects === 0 && problems.length > 0) return `Nothing was compared: ${counted(problems.length, "problem")}`;
  const owners = new Set(resources.map(({ project }) => project)).size;
  const of = `${owners === projects ? "" : `${owners} of `}${ownersCounted(counts)}`;
  return resources.length === 0
    ? `Nothing unmanaged in ${ownersCounted(counts)}`
    : `${counted(resources.length, "unmanaged resource")} in ${of}`;
}

export function unreadSentences({ unread }: Unmanaged): readonly string[] {
  const [whole, partly] = [true, false].map((is) =>
    unread.filter(({ projects, total }) => (projects === total) === is),
  );
  const wholly = owners.flatMap((of) => {
    const sections = (whole ?? []).flatMap((each) => (each.of === of ? each.section : []));
    return sections.length > 0
      ? [`Not read of ${pluralOwner(of)}: ${joinedByAnd(sections)}, because no policy has such a section.`]
      : [];
  });
  const alike = grouped(partly ?? [], ({ of, projects, total }) => `Not read in ${projects} of ${counted(total, of)}`);
  return [...wholly, ...[...alike].map(partlyUnread)];
}

function partlyUnread([where, sections]: readonly [where: string, sections: readonly UnreadSection[]]): string {
  return `${where}: ${joinedByAnd(sections.map(({ section }) => section))}, because no policy for them has such a section.`;
}

export function unmanagedJson({ resources, unread, problems, warnings, ...counts }: Unmanaged): string {
  const summary = { ...counts, unmanaged: resources.length };
  return JSON.stringify({ format_version: "1.0", summary, resources, unread, problems, warnings }, null, 2);
}
