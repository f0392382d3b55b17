import { compareReleases } from "../model/availability.ts";
import { type Deprecation, type Detection, type Hint, hints, isRemoved, schedule } from "../model/removals.ts";
import { argumentUses, commandUses, variableUses } from "./commands.ts";
import { graphqlUses } from "./graphql.ts";
import { manifestUses } from "./manifests.ts";
import { callUses, pairUses, textUses } from "./pairs.ts";
import { restUses } from "./requests.ts";
import type { Sought, Source, Use } from "./source.ts";
import { type Edit, edited, placer } from "./text.ts";
import { tomlUses } from "./toml.ts";
import { type View, viewOf } from "./view.ts";
import { yamlUses } from "./yaml.ts";

/** A use of something that is going to be removed (contract 8). */
export interface Finding {
  readonly id: string;
  readonly file: string;
  /** From 1, both. */
  readonly line: number;
  readonly column: number;
  /** `error` from the removal release on; `hint` for what stays accepted. */
  readonly severity: "error" | "warning" | "hint";
  readonly message: string;
}

/** What a file's text was found to hold, and its text with every mechanical replacement made. */
export interface Scanned {
  readonly findings: readonly Finding[];
  readonly fixed: string;
  /** What the file should have been by its name, where it cannot be read as that. */
  readonly unread: View["unread"];
}

/** All uses in one file, sorted by place. Never throws, whatever the text is. */
export function scanText(source: Source): Scanned {
  const view = viewOf(source);
  const found = entries().flatMap(({ entry, detection }) =>
    view.kinds.has(detection.in)
      ? usesOf({ entry, detection }, view, source).map((use) => ({ entry, detection, use }))
      : [],
  );
  const at = placer(source.text);
  const told = new Map(found.map((each) => [`${each.entry.id} ${each.use.offset}`, each]));
  const sorted = [...told.values()].sort((a, b) => a.use.offset - b.use.offset);
  const findings = sorted.map(({ entry, detection, use }): Finding => {
    const severity = severityOf(entry, detection, source.release);
    const message = use.message ?? messageOf(entry);
    return { id: entry.id, file: source.file, ...at(use.offset), severity, message };
  });
  return {
    findings,
    fixed: edited(
      source.text,
      sorted.flatMap((each) => editsOf(each, source.release)),
    ),
    unread: view.unread,
  };
}

function entries(): readonly Sought[] {
  return [...schedule, ...hints].flatMap((entry) =>
    (entry.detect ?? []).map((detection): Sought => ({ entry, detection })),
  );
}

/** A replacement that the release does not know yet would break what works. */
function editsOf({ detection, use }: { detection: Detection; use: Use }, release: string): readonly Edit[] {
  const isKnown = detection.since === undefined || compareReleases(release, detection.since) >= 0;
  return isKnown ? (use.edits ?? []) : [];
}

function severityOf(entry: Deprecation | Hint, detection: Detection, release: string): Finding["severity"] {
  if (detection.hint) return "hint";
  return "release" in entry && isRemoved(entry, release) ? "error" : "warning";
}

/** "the keyword type in CI/CD configuration is removed (release 15.0); use stage". */
function messageOf(entry: Deprecation | Hint): string {
  const when = !("release" in entry)
    ? ""
    : entry.removal_date
      ? ` (release ${entry.release})`
      : " (no removal date set)";
  return `${entry.change}${when}${entry.replacement === null ? "" : `; ${entry.replacement}`}`;
}

function usesOf({ entry, detection }: Sought, view: View, source: Source): readonly Use[] {
  switch (detection.by) {
    case "yaml":
      return yamlUses(view.spots, { entry, detection }, source);
    case "toml":
      return view.tables.flatMap((table) => tomlUses(table, { entry, detection }));
    case "graphql":
      return view.queries.flatMap((query) => graphqlUses(query.fields, query, { entry, detection }));
    case "rest":
      return restUses(view.program, { entry, detection });
    case "pair":
      return pairUses(view.program, source, { entry, detection });
    case "call":
      return callUses(view.program, { entry, detection });
    case "text":
      return textUses(view.program, { entry, detection });
    case "argument":
      return argumentUses(view.commands, { entry, detection });
    case "command":
      return commandUses(view.commands, { entry, detection });
    case "variable":
      return variableUses(view.commands, { entry, detection });
    case "manifest":
      return manifestUses(view.problems, source, { entry, detection });
  }
}
