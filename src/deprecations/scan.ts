import picomatch from "picomatch";
import { compareReleases } from "../catalogue.ts";
import type { Problem } from "../model.ts";
import { type Deprecation, type Detection, type Hint, hints, isRemoved, schedule, surroundings } from "../schedule.ts";
import { allCommands, argumentUses, commandUses, tokensOfCommands, variableUses } from "./commands.ts";
import { type Query, queriesIn, queryOf } from "./embedded.ts";
import { graphqlUses } from "./graphql.ts";
import { manifestProblems, manifestUses } from "./manifests.ts";
import { callUses, pairUses, textUses } from "./pairs.ts";
import { type Program, programOf, restUses } from "./requests.ts";
import { type Command, commandsOf } from "./shell.ts";
import type { Sought, Source, Use } from "./source.ts";
import { type Edit, edited, placer } from "./text.ts";
import { languageOf, type Token, tokensOf } from "./tokens.ts";
import { tomlUses } from "./toml.ts";
import { looksLikeCi, type Spot, yamlSpots, yamlUses } from "./yaml.ts";

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
}

/** A file as the interpreters see it; each part is empty where the file has none. */
interface View {
  /** Names that a detection's `in` may ask for. */
  readonly kinds: ReadonlySet<string>;
  readonly spots: readonly Spot[];
  readonly commands: readonly Command[];
  readonly program: Program;
  readonly queries: readonly Query[];
  readonly problems: readonly Problem[];
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
      return tomlUses(source, { entry, detection });
    case "graphql":
      return view.queries.flatMap((query) => graphqlUses(query.fields, query, { entry, detection }));
    case "rest":
      return restUses(view.program, { entry, detection });
    case "pair":
      return pairUses(view.program, { entry, detection });
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

const matchers = Object.entries(surroundings.files).map(
  ([kind, globs]) => [kind, picomatch([...globs], { dot: true, nocase: true })] as const,
);

function viewOf(source: Source): View {
  const { file, text } = source;
  const kinds = new Set(matchers.filter(([, matches]) => matches(nameOf(file))).map(([kind]) => kind));
  const spots = kinds.has("yaml") || kinds.has("database") ? yamlSpots(text) : [];
  const isManifest = kinds.has("yaml") && spots.some(isManifestHead);
  if (isManifest) return { ...empty, kinds: new Set(["manifest"]), problems: manifestProblems(source) };
  if (kinds.has("yaml") && looksLikeCi(spots)) kinds.add("ci");
  const commands = allCommands(commandsIn(source, spots, kinds), text);
  const tokens = [...programTokens(source), ...tokensOfCommands(commands)];
  const queries = kinds.has("graphql") ? queryOf(text) : queriesIn(tokens);
  if (commands.length > 0) kinds.add("shell");
  for (const kind of tokens.length > 0 ? ["code", "requests"] : []) kinds.add(kind);
  if (queries.length > 0) kinds.add("graphql");
  return { kinds, spots, commands, program: programOf(tokens, commandText(commands)), queries, problems: [] };
}

const empty: Omit<View, "kinds"> = {
  spots: [],
  commands: [],
  program: { tokens: [], speaks: false },
  queries: [],
  problems: [],
};

/** Globs are about the end of a path, wherever the scan began. */
function nameOf(file: string): string {
  return file.replace(/^(?:\.{0,2}\/)+/, "");
}

function isManifestHead({ path, value }: Spot): boolean {
  return path.length === 1 && path[0] === "apiVersion" && String(value).startsWith("evenkeel/");
}

const shellFiles =
  /(?:\.(?:sh|bash|zsh|ksh|env|envrc)|(?:^|\/)(?:\.env[\w.-]*|(?:Docker|Container|Make)file[\w.-]*))$/i;
const shebang = /^#!.*\b(?:ba|z|k|da)?sh\b/;

function commandsIn({ file, text }: Source, spots: readonly Spot[], kinds: ReadonlySet<string>): readonly Command[] {
  if (shellFiles.test(file) || shebang.test(text)) return commandsOf(text);
  return kinds.has("yaml")
    ? spots.filter(({ path }) => isScript(path)).flatMap((spot) => commandsOfScalar(spot, text))
    : [];
}

/** `script: …` and the items of such a list, however deep. */
function isScript(path: Spot["path"]): boolean {
  const name = path.findLast((part) => typeof part === "string") ?? "";
  return [...surroundings.ci.scripts, ...surroundings.yaml.scripts].includes(name);
}

function commandsOfScalar({ value }: Spot, text: string): readonly Command[] {
  if (value === null || !("type" in value) || !value.range) return [];
  const [start, end] = value.range;
  const type = String(value.type);
  if (type.startsWith("QUOTE")) return commandsOf(text, start + 1, end - 1, true);
  if (!type.startsWith("BLOCK")) return commandsOf(text, start, end, true);
  const header = text.indexOf("\n", start) + 1;
  return commandsOf(text, header, end, type === "BLOCK_FOLDED");
}

function programTokens({ file, text }: Source): readonly Token[] {
  const language = languageOf(file);
  return language ? tokensOf(text, language) : [];
}

function commandText(commands: readonly Command[]): string {
  return commands.flatMap(({ words, assignments }) => [...words, ...assignments].map(({ raw }) => raw)).join(" ");
}
