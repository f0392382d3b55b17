import { isMap, isScalar, isSeq, type Node } from "yaml";
import { parseManifest } from "../manifest/document.ts";
import { readPolicies } from "../manifest/policies.ts";
import { sortedProblems } from "../manifest/problem.ts";
import { readWorkspace } from "../manifest/workspace.ts";
import { dialects } from "../model/dialects.ts";
import type { Problem } from "../model/types.ts";
import { evidenceIn, type Mention } from "./addresses.ts";
import { allCommands, commandsInProgram, tokensOfCommands } from "./commands.ts";
import { type Query, queriesIn, queryOf } from "./graphql.ts";
import { canOnlyBeCi, kindsByName, type Pipeline, pipelineOf } from "./pipelines.ts";
import { nodesOf } from "./program.ts";
import {
  commandsInYaml,
  mentionsInCommands,
  settingsInCommands,
  settingsInYaml,
  type VariableSetting,
} from "./scripts.ts";
import { type Command, commandsOf } from "./shell.ts";
import { addressInText, enclosingCalls, mentionsInProgram } from "./statements.ts";
import type { Source, TextFragment } from "./text.ts";
import { languageOf, type Token, tokensOf, tokensWithin } from "./tokens.ts";
import { parsed } from "./toml.ts";
import {
  configurationEntries,
  innerRange,
  nameOf,
  stringOf,
  valueAt,
  type YamlEntry,
  yamlDocuments,
  yamlEntries,
} from "./yaml.ts";

/** A file as detections see it; parts that it does not have are empty. */
export interface FileView {
  /** Values of a detection's `in` that apply to it. */
  readonly kinds: ReadonlySet<string>;
  /** Entries of a YAML file; those of a CI/CD configuration are resolved. */
  readonly entries: readonly YamlEntry[];
  readonly pipeline: Pipeline;
  readonly commands: readonly Command[];
  readonly settings: readonly VariableSetting[];
  /** String literals, without documentation and messages. */
  readonly texts: readonly Token[];
  /** Tokens of the program, and of programs within commands. */
  readonly programs: readonly (readonly Token[])[];
  readonly mentions: readonly Mention[];
  readonly queries: readonly Query[];
  readonly tables: readonly TextFragment[];
  readonly problems: readonly Problem[];
  /** The language that its name promises, if it cannot be parsed. */
  readonly unread: "YAML" | "TOML" | "GraphQL" | undefined;
}

/** Reads a file in every way that applies, by its name, its includers and its content. */
export function readFile(source: Source, included: ReadonlySet<string>): FileView {
  const { file, text } = source;
  const kinds = kindsByName(file);
  const documents = kinds.has("yaml") || kinds.has("database") ? yamlDocuments(text) : [];
  if (kinds.has("yaml") && documents?.some((each) => stringOf(valueAt(each, "apiVersion"))?.startsWith("evenkeel/"))) {
    const nothing = readFile({ ...source, text: "" }, included);
    return { ...nothing, kinds: new Set(["manifest"]), problems: manifestProblems(source) };
  }
  const isCi = kinds.has("ci") || included.has(file) || (kinds.has("yaml") && canOnlyBeCi(documents ?? [], file));
  if (isCi) kinds.add("ci");
  const pipeline = pipelineOf(isCi ? (documents ?? []) : [], isCi && included.has(file));
  const entries = (documents ?? []).flatMap((document) =>
    isCi ? configurationEntries(document, included.has(file)) : yamlEntries(document),
  );
  const unread = unreadAs(source, kinds, documents);
  const inside = kinds.has("yaml") ? filesInConfigMaps(documents ?? [], text) : [];
  const files = [{ name: file, start: 0, end: text.length }, ...inside];
  const read = readParts(source, entries, kinds, files);
  const tables = kinds.has("toml") ? [{ text, start: 0 }] : listTables(entries, text);
  const { commands: shell, programs: code, queries: graphql, settings, mentions: requests } = read;
  const parts = { toml: tables, shell, code, graphql, settings, requests };
  for (const [kind, part] of Object.entries(parts)) if (part.length > 0) kinds.add(kind);
  return { ...read, kinds, entries, tables, unread, pipeline, problems: [] };
}

function readParts(
  { file, text }: Source,
  entries: readonly YamlEntry[],
  kinds: ReadonlySet<string>,
  files: readonly FileInside[],
) {
  const written = files.flatMap(({ name, start, end }) => {
    const language = languageOf(name);
    return language ? tokensOf({ text: text.slice(start, end), start }, language) : [];
  });
  const nodes = nodesOf(written, text);
  const own = [
    ...files.flatMap((each) => commandsOfFile(each, text)),
    ...(kinds.has("yaml") ? commandsInYaml(entries, text, kinds.has("ci")) : []),
  ];
  const commands = allCommands([...own, ...commandsInProgram(nodes, text, languageOf(file)?.runs)], text);
  const inCommands = tokensOfCommands(commands);
  const evidence = evidenceIn(text);
  const variables = variableTexts(entries, kinds, text);
  const used = nodes.filter((node) => node.kind === "text" && enclosingCalls(node) !== undefined);
  const texts = [...used, ...variables, ...inCommands];
  return {
    commands,
    settings: [...settingsInCommands(commands), ...settingsInYaml(entries, text)],
    texts,
    programs: [written, ...inCommands.map((token) => tokensWithin(token))].filter(({ length }) => length > 0),
    mentions: [
      ...mentionsInProgram(nodes, evidence),
      ...mentionsInCommands(commands, evidence),
      ...variables.flatMap((each) => addressInText(each, evidence)?.mentions ?? []),
    ],
    queries: kinds.has("graphql") ? queryOf(text) : queriesIn(texts),
  };
}

/** Only for files whose names promise a language: other YAML may be a template. */
function unreadAs({ text }: Source, kinds: ReadonlySet<string>, documents: unknown): FileView["unread"] {
  if (documents === undefined && (kinds.has("ci") || kinds.has("database"))) return "YAML";
  if (kinds.has("toml") && parsed(text) === undefined) return "TOML";
  return kinds.has("graphql") && text.trim() !== "" && queryOf(text).length === 0 ? "GraphQL" : undefined;
}

const shellFiles =
  /(?:\.(?:sh|bash|zsh|ksh|env|envrc)|(?:^|\/)(?:\.env[\w.-]*|(?:Docker|Container|Make)file[\w.-]*))$/i;
const powershellFiles = /\.psm?1$/i;
const shebang = /^#!.*\b(?:ba|z|k|da)?sh\b/;

/** A file, or a script or a program in the `data` of a ConfigMap. */
interface FileInside {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

function commandsOfFile({ name, start, end }: FileInside, text: string): readonly Command[] {
  if (shellFiles.test(name) || shebang.test(text.slice(start, end).trimStart())) return commandsOf(text, start, end);
  // PowerShell continues a line with a backtick.
  return powershellFiles.test(name) ? commandsOf(text.replace(/`(?=\r?\n)/g, "\\"), start, end) : [];
}

function filesInConfigMaps(documents: readonly (Node | null)[], text: string): readonly FileInside[] {
  const maps = documents.flatMap((document) => {
    const items = stringOf(valueAt(document, "kind")) === "List" ? valueAt(document, "items") : undefined;
    return isSeq(items) ? (items.items as Node[]) : [document];
  });
  return maps.flatMap((map) => {
    const data = stringOf(valueAt(map, "kind")) === "ConfigMap" ? valueAt(map, "data") : undefined;
    return (isMap(data) ? data.items : []).flatMap(({ key, value }) => {
      const range = innerRange(value, text);
      return range && !range.folded ? [{ name: nameOf(key), start: range.start, end: range.end }] : [];
    });
  });
}

/** Values of variables of a CI/CD configuration. */
function variableTexts(entries: readonly YamlEntry[], kinds: ReadonlySet<string>, text: string): readonly Token[] {
  if (!kinds.has("ci")) return [];
  return entries.flatMap(({ path, value }) => {
    const range = path.includes("variables") ? innerRange(value, text) : undefined;
    if (!range || range.isBlock) return [];
    return [{ kind: "text", text: text.slice(range.start, range.end), start: range.start }];
  });
}

/** Chart values contain a runner's configuration as a block scalar. */
function listTables(entries: readonly YamlEntry[], text: string): readonly TextFragment[] {
  return entries.flatMap(({ value }) => {
    if (!isScalar(value) || value.type !== "BLOCK_LITERAL" || !value.range) return [];
    const header = text.indexOf("\n", value.range[0]) + 1;
    const block = text.slice(header, value.range[1]);
    return block.includes("[[") ? [{ text: block, start: header }] : [];
  });
}

/** Problems of the policies of a manifest at the release of the scan, in any dialect. */
function manifestProblems({ file, text, release }: Source): readonly Problem[] {
  const { workspace } = readWorkspace({ documents: [], problems: [] });
  const { documents } = parseManifest(file, text);
  const problems = [...dialects.keys()].flatMap((dialect) => {
    const platform = { ...workspace, server: { ...workspace.server, release, dialect } };
    return readPolicies({ documents, workspace: platform }).problems;
  });
  return sortedProblems(problems);
}
