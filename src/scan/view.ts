import picomatch from "picomatch";
import { isScalar } from "yaml";
import { surroundings } from "../model/removals.ts";
import type { Problem } from "../model/types.ts";
import { allCommands, commandsInProgram, tokensOfCommands } from "./commands.ts";
import { type Query, queriesIn, queryOf } from "./embedded.ts";
import { manifestProblems } from "./manifests.ts";
import { type Program, programOf } from "./requests.ts";
import { type Command, commandsOf } from "./shell.ts";
import type { Source } from "./source.ts";
import type { Stretch } from "./text.ts";
import { languageOf, type Token, tokensOf } from "./tokens.ts";
import { parsed } from "./toml.ts";
import { looksLikeCi, type Spot, yamlSpots } from "./yaml.ts";

/** A file as the interpreters see it; each part is empty where the file has none. */
export interface View {
  /** Names that a detection's `in` may ask for. */
  readonly kinds: ReadonlySet<string>;
  readonly spots: readonly Spot[];
  readonly commands: readonly Command[];
  readonly program: Program;
  readonly queries: readonly Query[];
  /** TOML texts. */
  readonly tables: readonly Stretch[];
  readonly problems: readonly Problem[];
  /** What the file should have been by its name, where it is not. */
  readonly unread: "YAML" | "TOML" | "GraphQL" | undefined;
}

const matchers = Object.entries(surroundings.files).map(
  ([kind, globs]) => [kind, picomatch([...globs], { dot: true, nocase: true })] as const,
);

/** Reads a file as often as it can be read: by its name, and by what it holds. */
export function viewOf(source: Source): View {
  const { file, text } = source;
  const kinds = new Set(matchers.filter(([, matches]) => matches(nameOf(file))).map(([kind]) => kind));
  const read = kinds.has("yaml") || kinds.has("database") ? yamlSpots(text) : [];
  const spots = read ?? [];
  const isManifest = kinds.has("yaml") && spots.some(isManifestHead);
  if (isManifest) return { ...empty, kinds: new Set(["manifest"]), problems: manifestProblems(source) };
  if (kinds.has("yaml") && looksLikeCi(spots)) kinds.add("ci");
  const written = programTokens(source);
  const commands = allCommands([...commandsIn(source, spots, kinds), ...commandsInProgram(written, text)], text);
  const values = kinds.has("ci") ? variableTexts(spots, text) : [];
  const tokens = [...written, ...values, ...tokensOfCommands(commands)];
  const unread = unreadAs(source, kinds, read);
  const queries = kinds.has("graphql") ? queryOf(text) : queriesIn(tokens);
  const tables = kinds.has("toml") ? [{ text, start: 0 }] : tablesIn(spots, text);
  if (tables.length > 0) kinds.add("toml");
  if (commands.length > 0) kinds.add("shell");
  for (const kind of tokens.length > 0 ? ["code", "requests"] : []) kinds.add(kind);
  if (queries.length > 0) kinds.add("graphql");
  return {
    kinds,
    spots,
    commands,
    program: programOf(tokens, commandText(commands)),
    queries,
    tables,
    problems: [],
    unread,
  };
}

/** Of files whose names promise what is looked for; any other YAML may be a template of something else. */
function unreadAs({ text }: Source, kinds: ReadonlySet<string>, spots: readonly Spot[] | undefined): View["unread"] {
  if (spots === undefined && (kinds.has("ci") || kinds.has("database"))) return "YAML";
  if (kinds.has("toml") && parsed(text) === undefined) return "TOML";
  return kinds.has("graphql") && text.trim() !== "" && queryOf(text).length === 0 ? "GraphQL" : undefined;
}

const empty: Omit<View, "kinds"> = {
  spots: [],
  commands: [],
  program: { tokens: [], speaks: false },
  queries: [],
  tables: [],
  problems: [],
  unread: undefined,
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
  if (!isScalar(value) || !value.range) return [];
  const [start, end] = value.range;
  const type = value.type ?? "PLAIN";
  if (type.startsWith("QUOTE")) return commandsOf(text, start + 1, end - 1, { folded: true });
  if (!type.startsWith("BLOCK")) return commandsOf(text, start, end, { folded: true });
  const header = text.indexOf("\n", start) + 1;
  return commandsOf(text, header, end, { folded: type === "BLOCK_FOLDED" });
}

/** Values of variables of a CI/CD configuration, as texts of a program. */
function variableTexts(spots: readonly Spot[], text: string): readonly Token[] {
  return spots.flatMap(({ path, value }) => {
    if (!path.includes("variables") || !isScalar(value) || !value.range || value.type?.startsWith("BLOCK")) return [];
    const [start, end] = value.range;
    const quote = /^["']/.test(text[start] ?? "") ? 1 : 0;
    return [
      { kind: "text", text: text.slice(start + quote, end - quote), start: start + quote, group: -1, inText: false },
    ];
  });
}

/** Chart values hold a runner's configuration as a block of text. */
function tablesIn(spots: readonly Spot[], text: string): readonly Stretch[] {
  return spots.flatMap(({ value }) => {
    if (!isScalar(value) || value.type !== "BLOCK_LITERAL" || !value.range) return [];
    const header = text.indexOf("\n", value.range[0]) + 1;
    const block = text.slice(header, value.range[1]);
    return block.includes("[[") ? [{ text: block, start: header }] : [];
  });
}

function programTokens({ file, text }: Source): readonly Token[] {
  const language = languageOf(file);
  return language ? tokensOf(text, language) : [];
}

function commandText(commands: readonly Command[]): string {
  return commands.flatMap(({ words, assignments }) => [...words, ...assignments].map(({ raw }) => raw)).join(" ");
}
