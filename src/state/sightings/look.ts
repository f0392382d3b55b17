import { grouped } from "../../base/grouped.ts";
import { compareTexts } from "../../base/text.ts";
import { kept } from "../retention.ts";
import type { Sheets } from "../state.ts";
import { fleetIn, fleetIndex, fleetIndexText, readFleetIndex } from "./fleet-sheet.ts";
import type { ProjectObservation, RunObservation } from "./looked-at.ts";
import { combine, fingerprint } from "./mark.ts";
import { differencesOf } from "./seen-differences.ts";
import { type Entries, entriesAt, placing } from "./seen-entries.ts";
import { type SheetRow, type SnapshotShard, sheetIn, sheetNames, sheetOf, snapshotIn } from "./sheet.ts";
import { type SheetWriter, sheetWriter } from "./sheet-writer.ts";
import {
  type FleetIndex,
  fleetCounts,
  type ProjectSnapshot,
  type SeenDifference,
  type SheetHead,
  type SyncStatus,
  type SyncStatusCounts,
} from "./sighting.ts";

/**
 * Keeps what a run saw in the place of what was seen before; sheets of which it saw nothing new are neither read nor
 * written. Returns how the fleet stands then. @throws UserError where it cannot be kept.
 */
export async function recordObservation(sheets: Sheets, look: RunObservation): Promise<SyncStatusCounts> {
  const marked = markedLook(look);
  const names = changedSheets(await readFleetIndex(sheets), marked);
  let counts = fleetCounts({ sheets: {} });
  await sheets.change([...names, fleetIndex], (before) => {
    const written = names.map((name) => [name, writtenSheet(name, before.get(name), marked)] as const);
    const heads = Object.fromEntries(written.map(([name, { head }]) => [name, head]));
    const fleet = fleetAfter(fleetIn(before.get(fleetIndex)), heads, look);
    counts = fleetCounts(fleet);
    return new Map([...written.map(([name, { text }]) => [name, text] as const), [fleetIndex, fleetIndexText(fleet)]]);
  });
  return counts;
}

type Marked = ProjectObservation & { readonly mark: number };

interface MarkedLook extends RunObservation {
  readonly entries: Entries;
  /** The projects of each sheet that it saw, in the order of their names. */
  readonly bySheet: ReadonlyMap<string, readonly Marked[]>;
}

function markedLook(look: RunObservation): MarkedLook {
  const places = placing();
  const markOf = fingerprint(places);
  const marked = look.projects
    .map((each): Marked => ({ ...each, mark: markOf(each) }))
    .sort((a, b) => compareTexts(nameOf(a), nameOf(b)));
  const bySheet = grouped(marked, ({ project }) => sheetOf(project.name));
  return { ...look, entries: entriesAt(look.commit, places), bySheet };
}

/** The names of the sheets of which a look may have seen anything new. */
function changedSheets(fleet: FleetIndex | undefined, { covers, whole, bySheet }: MarkedLook): readonly string[] {
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
  before: FleetIndex | undefined,
  heads: FleetIndex["sheets"],
  { run, at, server, exceptions, whole }: RunObservation,
): FleetIndex {
  const sheets = { ...before?.sheets, ...heads };
  return { server, exceptions, whole: whole ? { run, at } : (before?.whole ?? null), sheets };
}

function nameOf({ project }: Pick<ProjectObservation, "project">): string {
  return project.name.toLowerCase();
}

const noProjects = 1;

function wholeMark(looked: readonly Marked[] = []): number {
  return looked.reduce((mark, each) => combine(mark, each.mark), noProjects);
}

interface Merge {
  readonly writer: SheetWriter;
  /** As it was before. */
  readonly sheet: SnapshotShard;
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
    writer.add(seenNow(row && snapshotIn(sheet, row), each, look), isAll ? each.mark : 0);
  }
}

/** What policies do not select any more is forgotten; so is, in time, what nobody looks at. */
function stays([project, , , , , seen]: SheetRow, { words }: SnapshotShard, { covers, at }: RunObservation): boolean {
  return covers?.(project) !== true && Date.parse(at) - Date.parse(words[seen] ?? "") < kept.looks;
}

function seenNow(before: ProjectSnapshot | undefined, looked: ProjectObservation, look: MarkedLook): ProjectSnapshot {
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

function untouched<Told>(
  told: Readonly<Record<string, Told>>,
  { includes, changes }: ProjectObservation,
): Record<string, Told> {
  return Object.fromEntries(Object.entries(told).filter(([rest]) => !changes || !includes(rest)));
}

function standingOf({ changes, problems }: ProjectObservation, differences: readonly SeenDifference[]): SyncStatus {
  if (!changes) return "unreadable";
  if (differences.some(({ cause }) => cause === "drift")) return "drifted";
  if (differences.length > 0) return "pending";
  return problems.length > 0 ? "unreadable" : "in sync";
}
