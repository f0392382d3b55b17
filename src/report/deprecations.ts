import { printable } from "../base/printable.ts";
import { counted } from "../base/text-format.ts";
import { type Deprecation, isRemoved } from "../model/deprecations.ts";
import { compareReleases } from "../model/releases.ts";
import type { Finding } from "../scan/scan.ts";
import type { Palette } from "./terminal.ts";

/** What `deprecations` was asked: undefined parts were not. */
export interface ScheduleFilter {
  /** Only rows of this release and earlier ones. */
  readonly release: string | undefined;
  /** Only what is removed by this day, `YYYY-MM-DD`. */
  readonly asOf: string | undefined;
  /** The release that marks what is due where no day was given. */
  readonly reached: string;
}

/** One sub-item as `deprecations --report json` gives it (docs/deprecations.md). */
export interface Listed extends Omit<Deprecation, "detect"> {
  /** Whether the removal has come, by the release or the day that was asked for. */
  readonly due: boolean;
  /** Whether `deprecations scan` can find uses, and rewrite some of them. */
  readonly detectable: boolean;
  readonly fixable: boolean;
}

/** The rows asked for, in the order of the specification. */
export function scheduleRows(schedule: readonly Deprecation[], asked: ScheduleFilter): readonly Listed[] {
  const { release, asOf } = asked;
  return schedule
    .filter((entry) => release === undefined || compareReleases(release, entry.release) >= 0)
    .filter(({ removal_date }) => asOf === undefined || (removal_date !== null && removal_date <= asOf))
    .map((entry) => rowOf(entry, asked));
}

function rowOf(entry: Deprecation, { asOf, reached }: ScheduleFilter): Listed {
  const { id, release, removal_date, change, replacement, detect } = entry;
  const fixes = ["rename", "replace", "drop", "nest"];
  return {
    id,
    release,
    removal_date,
    change,
    replacement,
    due: asOf === undefined ? isRemoved(entry, reached) : removal_date !== null && removal_date <= asOf,
    detectable: detect !== null,
    fixable: (detect ?? []).some((detection) => fixes.some((fix) => fix in detection)),
  };
}

/** The schedule for people: a heading a release and day, below it a line a sub-item and what to do instead. */
export function scheduleText(rows: readonly Listed[], { asOf, reached }: ScheduleFilter, palette: Palette): string {
  if (rows.length === 0) return "No removals are scheduled by then.";
  const headings = [...new Set(rows.map(headingOf))];
  const parts = headings.map((heading) => {
    const below = rows.filter((row) => headingOf(row) === heading);
    const mark = below.some((row) => row.due) ? palette.warn("  due") : "";
    return [`${palette.strong(heading)}${mark}`, ...below.map((row) => rowText(row, palette))];
  });
  const due = rows.filter((row) => row.due).length;
  const when = asOf === undefined ? `release ${reached}` : asOf;
  const total = `${counted(rows.length, "change")}, ${due} due by ${when}.`;
  return [...parts.map((lines) => lines.join("\n")), total].join("\n\n");
}

function headingOf({ release, removal_date }: Listed): string {
  return `Release ${release}, ${removal_date ?? "no removal date set"}`;
}

function rowText({ id, change, replacement }: Listed, palette: Palette): string {
  return `  ${change}${replacement === null ? "" : `; ${replacement}`} ${palette.faint(`(${id})`)}`;
}

/** A line a use: `file:line:column  severity  message  (id)`. */
export function findingsText(findings: readonly Finding[], palette: Palette): string {
  const lines = findings.map(({ file, line, column, severity, message, id }) => {
    const word = severity === "error" ? palette.remove(severity) : palette.warn(severity);
    return `${printable(`${file}:${line}:${column}`)}  ${word}  ${printable(message)}  ${palette.faint(`(${id})`)}`;
  });
  return [...lines, tally(findings)].join("\n");
}

function tally(findings: readonly Finding[]): string {
  if (findings.length === 0) return "No uses found.";
  const counts = (["error", "warning", "hint"] as const)
    .map((word) => [word, findings.filter(({ severity }) => severity === word).length] as const)
    .filter(([, count]) => count > 0);
  return `Found ${counts.map(([word, count]) => counted(count, word)).join(", ")}.`;
}
