import { grouped } from "../../base/grouped.ts";
import { compareTexts } from "../../base/text.ts";
import { kept } from "../retention.ts";
import type { Sheets } from "../state.ts";
import { fleetIn, fleetSheet, fleetSheetText, readFleetSheet } from "./fleet-sheet.ts";
import type { FleetLook, LookedAt } from "./looked-at.ts";
import { marking, mixed } from "./mark.ts";
import { differencesOf } from "./seen-differences.ts";
import { type Entries, entriesAt, placing } from "./seen-entries.ts";
import { type Sheet, type SheetRow, sheetIn, sheetNames, sheetOf, sightingIn } from "./sheet.ts";
import { type SheetWriter, sheetWriter } from "./sheet-writer.ts";
import {
  type FleetSheet,
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
  const marked = markedLook(look);
  const names = changedSheets(await readFleetSheet(sheets), marked);
  let counts = fleetCounts({ sheets: {} });
  await sheets.change([...names, fleetSheet], (before) => {
    const written = names.map((name) => [name, writtenSheet(name, before.get(name), marked)] as const);
    const heads = Object.fromEntries(written.map(([name, { head }]) => [name, head]));
    const fleet = fleetAfter(fleetIn(before.get(fleetSheet)), heads, look);
    counts = fleetCounts(fleet);
    return new Map([...written.map(([name, { text }]) => [name, text] as const), [fleetSheet, fleetSheetText(fleet)]]);
  });
  return counts;
}

type Marked = LookedAt & { readonly mark: number };

interface MarkedLook extends FleetLook {
  readonly entries: Entries;
  /** The projects of each sheet that it saw, in the order of their names. */
  readonly bySheet: ReadonlyMap<string, readonly Marked[]>;
}

function markedLook(look: FleetLook): MarkedLook {
  const places = placing();
  const markOf = marking(places);
  const marked = look.projects
    .map((each): Marked => ({ ...each, mark: markOf(each) }))
    .sort((a, b) => compareTexts(nameOf(a), nameOf(b)));
  const bySheet = grouped(marked, ({ project }) => sheetOf(project.name));
  return { ...look, entries: entriesAt(look.commit, places), bySheet };
}

/** The names of the sheets of which a look may have seen anything new. */
function changedSheets(fleet: FleetSheet | undefined, { covers, whole, bySheet }: MarkedLook): readonly string[] {
  const names = covers ? sheetNames : [...bySheet.keys()];
  return names.filter((name) => !whole || (fleet?.sheets[name]?.mark ?? noProjects) !== wholeMark(bySheet.get(name)));
}

function writtenSheet(name: string, before: string | undefined, look: MarkedLook) {
  const looked = look.bySheet.get(name) ?? [];
  const writer = sheetWriter();
  merge({ writer, sheet: sheetIn(before), look }, looked);
  const head: SheetHead = { run: look.run, mark: look.whole ? wholeMark(looked) : 0, counts: writer.counts() };
  return { text: writer.text(), head };
}

function fleetAfter(
  before: FleetSheet | undefined,
  heads: FleetSheet["sheets"],
  { run, at, server, exceptions, whole }: FleetLook,
): FleetSheet {
  const sheets = { ...before?.sheets, ...heads };
  return { server, exceptions, whole: whole ? { run, at } : (before?.whole ?? null), sheets };
}

function nameOf({ project }: Pick<LookedAt, "project">): string {
  return project.name.toLowerCase();
}

const noProjects = 1;

function wholeMark(looked: readonly Marked[] = []): number {
  return looked.reduce((mark, each) => mixed(mark, each.mark), noProjects);
}

interface Merge {
  readonly writer: SheetWriter;
  /** As it was before. */
  readonly sheet: Sheet;
  readonly look: MarkedLook;
}

/** The projects of one sheet after a look, in the order of their names. */
function merge({ writer, sheet, look }: Merge, looked: readonly Marked[]): void {
  const before = new Map(sheet.rows.map((row) => [row[0].toLowerCase(), row]));
  const now = new Map(looked.map((each) => [nameOf(each), each]));
  for (const name of [...new Set([...before.keys(), ...now.keys()])].sort()) {
    const [row, each] = [before.get(name), now.get(name)];
    if (each) mergeProject({ writer, sheet, look }, row, each);
    else if (row && stays(row, sheet, look)) writer.copy(sheet, row);
  }
}

function mergeProject({ writer, sheet, look }: Merge, row: SheetRow | undefined, each: Marked): void {
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

function seenNow(before: Sighting | undefined, looked: LookedAt, look: MarkedLook): Sighting {
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
