import { groupedAs } from "../../base/grouped.ts";
import { compareTexts } from "../../base/text.ts";
import { kept } from "../retention.ts";
import type { Sheets } from "../state.ts";
import type { FleetLook, LookedAt } from "./looked-at.ts";
import { marking, mixed } from "./mark.ts";
import { differencesOf } from "./seen-differences.ts";
import { type Entries, entriesAt, placing } from "./seen-entries.ts";
import {
  fleetIn,
  fleetSheet,
  fleetSheetText,
  type Sheet,
  type SheetRow,
  type SheetWriter,
  sheetIn,
  sheetNames,
  sheetOf,
  sheetWriter,
  sightingIn,
} from "./sheet.ts";
import {
  fleetCounts,
  type SeenDifference,
  type SheetHead,
  type Sighting,
  type Standing,
  type StandingCounts,
} from "./sighting.ts";

/**
 * Keeps what a run saw in the place of what was seen before; sheets of which it saw nothing new are neither read nor
 * written. Returns how the fleet stands then. @throws Refusal where it cannot be kept.
 */
export async function keepLook(sheets: Sheets, look: FleetLook): Promise<StandingCounts> {
  const places = placing();
  const markOf = marking(places);
  const entries = entriesAt(look.commit, places);
  const marked = look.projects.map((each): Marked => ({ ...each, mark: markOf(each) }));
  const bySheet = groupedAs(
    marked.sort((a, b) => compareTexts(nameOf(a), nameOf(b))),
    ({ project }) => sheetOf(project.name),
    (each) => each,
  );
  const fleet = fleetIn((await sheets.read([fleetSheet])).get(fleetSheet));
  const names = (look.covers ? sheetNames : [...bySheet.keys()]).filter((name) => {
    const head = fleet?.sheets[name];
    return !look.whole || (head?.mark ?? noProjects) !== wholeMark(bySheet.get(name));
  });
  let counts = fleetCounts({ sheets: {} });
  await sheets.change([...names, fleetSheet], (before) => {
    const edited = new Map<string, string>();
    const known = fleetIn(before.get(fleetSheet));
    const heads: Record<string, SheetHead> = { ...known?.sheets };
    for (const name of names) {
      const looked = bySheet.get(name) ?? [];
      const writer = sheetWriter();
      merge(writer, sheetIn(before.get(name)), looked, { ...look, entries });
      edited.set(name, writer.text());
      heads[name] = { run: look.run, mark: look.whole ? wholeMark(looked) : 0, counts: writer.counts() };
    }
    const { run, at, server, exceptions } = look;
    const after = { server, exceptions, whole: look.whole ? { run, at } : (known?.whole ?? null), sheets: heads };
    counts = fleetCounts(after);
    return edited.set(fleetSheet, fleetSheetText(after));
  });
  return counts;
}

type Marked = LookedAt & { readonly mark: number };

function nameOf({ project }: Pick<LookedAt, "project">): string {
  return project.name.toLowerCase();
}

const noProjects = 1;

function wholeMark(looked: readonly Marked[] = []): number {
  return looked.reduce((mark, each) => mixed(mark, each.mark), noProjects);
}

type Looking = FleetLook & { readonly entries: Entries };

/** The projects of one sheet after a look, in the order of their names. */
function merge(writer: SheetWriter, sheet: Sheet, looked: readonly Marked[], look: Looking): void {
  const before = new Map(sheet.rows.map((row) => [row[0].toLowerCase(), row]));
  const now = new Map(looked.map((each) => [nameOf(each), each]));
  for (const name of [...new Set([...before.keys(), ...now.keys()])].sort()) {
    const [row, each] = [before.get(name), now.get(name)];
    if (each) mergeProject(writer, sheet, row, each, look);
    else if (row && stays(row, sheet, look)) writer.copy(sheet, row);
  }
}

function mergeProject(writer: SheetWriter, sheet: Sheet, row: SheetRow | undefined, each: Marked, look: Looking): void {
  const isAll = each.all && each.desired;
  // A look at the whole fleet is told once, above all sheets.
  if (row && isAll && row[2] === each.mark) {
    writer.copy(sheet, row, look.whole ? undefined : { seen: look.at, run: look.run });
  } else if (row || each.desired) {
    writer.add(seenNow(row && sightingIn(sheet, row), each, look), isAll ? each.mark : 0);
  }
}

/** What policies do not select any more is forgotten; so is, in time, what nobody looks at. */
function stays([project, , , , , seen]: SheetRow, { words }: Sheet, { covers, at }: FleetLook): boolean {
  return covers?.(project) !== true && Date.parse(at) - Date.parse(words[seen] ?? "") < kept.looks;
}

function seenNow(before: Sighting | undefined, looked: LookedAt, look: Looking): Sighting {
  const { project, problems, unmanaged } = looked;
  const differences = differencesOf(before, looked, look);
  const standing = standingOf(looked, differences);
  return {
    project: project.name,
    ...(project.id !== undefined && { id: project.id }),
    standing,
    since: before?.standing === standing ? before.since : look.at,
    seen: look.at,
    run: look.run,
    entries: look.entries(before, looked),
    differences,
    unverified: { ...untouched(before?.unverified ?? {}, looked), ...looked.unverified },
    unmanaged,
    problems,
  };
}

function untouched<Told>(told: Readonly<Record<string, Told>>, { includes, changes }: LookedAt): Record<string, Told> {
  return Object.fromEntries(Object.entries(told).filter(([rest]) => !changes || !includes(rest)));
}

function standingOf({ changes, problems }: LookedAt, differences: readonly SeenDifference[]): Standing {
  if (!changes) return "unreadable";
  if (differences.some(({ cause }) => cause === "drift")) return "drifted";
  if (differences.length > 0) return "pending";
  return problems.length > 0 ? "unreadable" : "in sync";
}
