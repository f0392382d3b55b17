import { linesOf } from "../base/lines.ts";
import {
  type CallDetection,
  type Deprecation,
  type Detection,
  type Hint,
  hints,
  isAnnounced,
  isRemoved,
  type ManifestDetection,
  schedule,
  type TextDetection,
} from "../model/deprecations.ts";
import { compareReleases } from "../model/releases.ts";
import type { Problem } from "../model/types.ts";
import { restUses } from "./addresses.ts";
import { argumentUses, commandUses } from "./commands.ts";
import { type FileView, readFile } from "./file-view.ts";
import { graphqlUses } from "./graphql.ts";
import { variableUses } from "./scripts.ts";
import { type Edit, edited, rewriting, type Source, type Use } from "./text.ts";
import type { Token } from "./tokens.ts";
import { tomlUses } from "./toml.ts";
import { yamlUses } from "./yaml-uses.ts";

/** A use of a deprecated feature (docs/deprecations.md). */
export interface Finding {
  readonly id: string;
  readonly file: string;
  /** Line and column count from 1. */
  readonly line: number;
  readonly column: number;
  /** `error` from the removal release on; `hint` for deprecations without removal, and for uncertain uses. */
  readonly severity: "error" | "warning" | "hint";
  readonly message: string;
}

/**
 * All uses in one file, sorted by position, its text with every mechanical replacement, and the number of findings that
 * the fixed text does not have any more. Never throws. @param included Files that others in the scan include.
 */
export function scanText(source: Source, included: ReadonlySet<string> = new Set()) {
  const view = readFile(source, included);
  const announced = schedule.filter((entry) => isAnnounced(entry, source.release));
  const occurrences = [...announced, ...hints].flatMap((entry) =>
    (entry.detect ?? [])
      .filter((detection) => view.kinds.has(detection.in))
      .flatMap((detection) => findUses(detection, view, source).map((use): Found => ({ entry, detection, use }))),
  );
  const uses = certainFirst(occurrences);
  const edits = uses.map((each) => selectEdits(each, source.release));
  const lines = linesOf(source.text);
  const findings = uses.map((each): Finding => {
    const { entry, use } = each;
    const { line, col: column } = lines.linePos(use.offset);
    const message = use.message ?? [formatMessage(entry), ...(use.note ? [use.note] : [])].join("; ");
    return { id: entry.id, file: source.file, line, column, severity: chooseSeverity(each, source.release), message };
  });
  const fixed = edited(source.text, edits.flat());
  return { findings, fixed, unread: view.unread, rewritten: edits.filter(({ length }) => length > 0).length };
}

interface Found {
  readonly entry: Deprecation | Hint;
  readonly detection: Detection;
  readonly use: Use;
}

/** One use for each entry and position, sorted; certain and rewritable ones win. */
function certainFirst(found: readonly Found[]): readonly Found[] {
  const uses = new Map<string, Found>();
  for (const each of found) {
    const key = `${each.entry.id} ${each.use.offset}`;
    const before = uses.get(key);
    if (!before || computeRank(each) > computeRank(before)) uses.set(key, each);
  }
  return [...uses.values()].sort((a, b) => a.use.offset - b.use.offset);
}

function computeRank({ use }: Found): number {
  return (use.isLikely ? 0 : 2) + (use.edits ? 1 : 0);
}

/** Omits replacements that the release does not support yet; a hint is never rewritten. */
function selectEdits(found: Found, release: string): readonly Edit[] {
  const { detection, use } = found;
  const since = use.since ?? detection.since;
  const isKnown = since === undefined || compareReleases(release, since) >= 0;
  return isKnown && chooseSeverity(found, release) !== "hint" ? (use.edits ?? []) : [];
}

function chooseSeverity({ entry, detection, use }: Found, release: string): Finding["severity"] {
  if (detection.hint || use.isLikely) return "hint";
  return "release" in entry && isRemoved(entry, release) ? "error" : "warning";
}

/** "the keyword type in CI/CD configuration is removed (release 15.0); use stage". */
function formatMessage(entry: Deprecation | Hint): string {
  const when = !("release" in entry)
    ? ""
    : entry.removal_date
      ? ` (release ${entry.release})`
      : " (no removal date set)";
  return `${entry.change}${when}${entry.replacement === null ? "" : `; ${entry.replacement}`}`;
}

function findUses(detection: Detection, view: FileView, source: Source): readonly Use[] {
  switch (detection.by) {
    case "yaml":
      return yamlUses(view.entries, detection, source, view.pipeline);
    case "toml":
      return view.tables.flatMap((table) => tomlUses(table, detection));
    case "graphql":
      return view.queries.flatMap((query) => graphqlUses(query.fields, query, detection));
    case "rest":
      return restUses(view.mentions, detection);
    case "call":
      return view.programs.flatMap((tokens) => callUses(tokens, detection));
    case "text":
      return textUses(view.texts, detection);
    case "argument":
      return argumentUses(view.commands, detection, source);
    case "command":
      return commandUses(view.commands, detection);
    case "variable":
      return variableUses(view.settings, detection);
    case "manifest":
      return manifestUses(view.problems, source, detection);
  }
}

/** Uses such as `gem "name"` and `Feature.enable(:name)`. */
function callUses(tokens: readonly Token[], { receiver, names }: CallDetection): readonly Use[] {
  return tokens.flatMap((token, index) => {
    if (token.text !== receiver || token.kind !== "word") return [];
    const near = tokens.slice(index + 1, index + 7);
    const position = near.findIndex(({ kind, text }) => kind !== "sign" && names.includes(text));
    const name = near[position];
    return name && isArgument(near.slice(0, position)) ? [{ offset: name.start }] : [];
  });
}

/** True if the tokens before a name are `.method(:`, `.method(`, `(` or none. */
function isArgument(before: readonly Token[]): boolean {
  return /^(?:\.w[?!]?)?\(?:?$/.test(before.map(({ kind, text }) => (kind === "sign" ? text : "w")).join(""));
}

function textUses(tokens: readonly Token[], detection: TextDetection): readonly Use[] {
  const pattern = new RegExp(detection.matches);
  return tokens
    .filter(({ kind, text }) => kind === "text" && pattern.test(text))
    .map(({ start }) => ({ offset: start }));
}

function manifestUses(problems: readonly Problem[], { text }: Source, detection: ManifestDetection): readonly Use[] {
  const { rule, values, replace } = detection;
  const { lineStarts: starts } = linesOf(text);
  return problems.flatMap(({ rule: broken, place, message }): readonly Use[] => {
    if (broken !== rule || !place) return [];
    const offset = (starts[place.line - 1] ?? 0) + place.column - 1;
    if (!values) return [{ offset, message }];
    const [whole = "", quote = "", word = ""] = /^(["']?)(\w+)\1/.exec(text.slice(offset, offset + 40)) ?? [];
    if (!values.includes(word)) return [];
    const fix = replace === undefined ? undefined : `${quote}${replace}${quote}`;
    return [{ offset, message, ...rewriting(offset, offset + whole.length, fix) }];
  });
}
