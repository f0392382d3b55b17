import { grouped } from "../base/grouped.ts";
import { printable } from "../base/printable.ts";
import { counted, paragraphs } from "../base/text-format.ts";
import type { Override } from "../manifest/overrides.ts";
import { ownerOfName } from "../model/owner.ts";
import type { Place } from "../model/types.ts";
import { lineText } from "../plan/groups.ts";
import { overrideText } from "../plan/overrides.ts";
import { type Listing, listingText } from "./revision.ts";
import { columns, type Palette } from "./terminal.ts";

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

function groupText(group: readonly OverriddenEntry[], palette: Palette): string {
  const [first] = group;
  if (!first) return "";
  const { policy, entry, loses } = first;
  const of = ownerOfName(first.project) === "group" ? ({ of: "group" } as const) : {};
  const title = overrideText({ policy, entry, projects: group.length, differ: null, ...of });
  const rows = group.map(({ project, wins }) => [`  ${printable(project)}`, lineText({ ...wins, column: 1 })]);
  const [, ...lines] = columns(["  in", "set in"], rows, palette).split("\n");
  return [`${palette.strong(printable(title))}  ${palette.faint(lineText({ ...loses, column: 1 }))}`, ...lines].join(
    "\n",
  );
}
