import { grouped } from "../base/grouped.ts";
import { printable } from "../base/printable.ts";
import { counted } from "../base/text-format.ts";
import { type Deprecation, isRemoved } from "../model/deprecations.ts";
import { compareReleases } from "../model/releases.ts";
import type { Finding } from "../scan/scan.ts";
import type { Palette } from "./terminal.ts";

/** Filters of `deprecations`; undefined filters match everything. */
export interface ScheduleFilter {
  /** Includes earlier releases. */
  readonly release: string | undefined;
  /** The latest day of removal, `YYYY-MM-DD`. */
  readonly asOf: string | undefined;
  /** The release by which rows are due if no day was given. */
  readonly reached: string;
}

/** A row of `deprecations --report json` (docs/deprecations.md). */
export interface ScheduleRow extends Omit<Deprecation, "detect"> {
  /** True if the removal date or release has been reached. */
  readonly due: boolean;
  /** True if `deprecations scan` can find uses; `fixable` if it can rewrite some of them. */
  readonly detectable: boolean;
  readonly fixable: boolean;
}

export function scheduleRows(schedule: readonly Deprecation[], filter: ScheduleFilter): readonly ScheduleRow[] {
  const { release, asOf, reached } = filter;
  return schedule
    .filter((entry) => release === undefined || compareReleases(release, entry.release) >= 0)
    .filter(({ removal_date }) => asOf === undefined || (removal_date !== null && removal_date <= asOf))
    .map((entry) => {
      const { detect, id, removal_date, change, replacement } = entry;
      return {
        ...{ id, release: entry.release, removal_date, change, replacement },
        due: asOf === undefined ? isRemoved(entry, reached) : removal_date !== null && removal_date <= asOf,
        detectable: detect !== null,
        fixable: (detect ?? []).some((detection) => fixes.some((fix) => fix in detection)),
      };
    });
}

const fixes = ["rename", "replace", "drop", "nest"];

export function scheduleText(
  rows: readonly ScheduleRow[],
  { asOf, reached }: ScheduleFilter,
  palette: Palette,
): string {
  if (rows.length === 0) return "No removals are scheduled by then.";
  const headingOf = ({ release, removal_date }: ScheduleRow) =>
    `Release ${release}, ${removal_date ?? "no removal date set"}`;
  const parts = [...grouped(rows, headingOf)].map(([heading, below]) => {
    const mark = below.some((row) => row.due) ? palette.warn("  due") : "";
    const lines = below.map(({ id, change, replacement }) => {
      return `  ${change}${replacement === null ? "" : `; ${replacement}`} ${palette.faint(`(${id})`)}`;
    });
    return [`${palette.strong(heading)}${mark}`, ...lines].join("\n");
  });
  const due = rows.filter((row) => row.due).length;
  const when = asOf === undefined ? `release ${reached}` : asOf;
  const total = `${counted(rows.length, "change")}, ${due} due by ${when}.`;
  return [...parts, total].join("\n\n");
}

/** One line per use: `file:line:column  severity  message  (id)`. */
export function findingsText(findings: readonly Finding[], palette: Palette): string {
  const lines = findings.map(({ file, line, column, severity, message, id }) => {
    const word = severity === "error" ? palette.remove(severity) : palette.warn(severity);
    return `${printable(`${file}:${line}:${column}`)}  ${word}  ${printable(message)}  ${palette.faint(`(${id})`)}`;
  });
  return [...lines, formatTotals(findings)].join("\n");
}

function formatTotals(findings: readonly Finding[]): string {
  if (findings.length === 0) return "No uses found.";
  const counts = (["error", "warning", "hint"] as const)
    .map((word) => [word, findings.filter(({ severity }) => severity === word).length] as const)
    .filter(([, count]) => count > 0);
  return `Found ${counts.map(([word, count]) => counted(count, word)).join(", ")}.`;
}
