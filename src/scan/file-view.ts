import { isMap, isScalar, isSeq, type Node } from "yaml";
import { grouped } from "../base/grouped.ts";
import { parseManifest } from "../manifest/document.ts";
import { readPolicies } from "../manifest/policies.ts";
import { sortedProblems } from "../manifest/problem.ts";
import { readWorkspace } from "../manifest/workspace.ts";
import { dialects } from "../model/dialects.ts";
import type { Problem } from "../model/types.ts";
import {
  addressIn,
  type Evidence,
  evidenceIn,
  type FoundAddress,
  type Mention,
  parametersIn,
  type SentParameter,
} from "./addresses.ts";
import { allCommands, commandsInProgram, tokensOfCommands } from "./commands.ts";
import { type Query, queriesIn, queryOf } from "./graphql.ts";
import { canOnlyBeCi, kindsByName, type Pipeline, pipelineOf } from "./pipelines.ts";
import { Program, parametersAt } from "./program.ts";
import {
  commandsInYaml,
  mentionsInCommands,
  settingsInCommands,
  settingsInYaml,
  type VariableSetting,
} from "./scripts.ts";
import { type Command, commandsOf } from "./shell.ts";
import { type Calls, enclosingCalls, isRequest } from "./statements.ts";
import { maskedInterpolations, type Source, type TextFragment } from "./text.ts";
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
  if (kinds.has("yaml") && documents?.some(isManifest)) {
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
  const read = readParts(source, entries, { kinds, files });
  const tables = kinds.has("toml") ? [{ text, start: 0 }] : listTables(entries, text);
  const { commands: shell, programs: code, queries: graphql, settings, mentions: requests } = read;
  const parts = { toml: tables, shell, code, graphql, settings, requests };
  for (const [kind, part] of Object.entries(parts)) if (part.length > 0) kinds.add(kind);
  return { ...read, kinds, entries, tables, unread, pipeline, problems: [] };
}

type Parts = Pick<FileView, "commands" | "settings" | "texts" | "programs" | "mentions" | "queries">;

interface Content {
  readonly kinds: ReadonlySet<string>;
  readonly files: readonly FileInside[];
}

function readParts({ file, text }: Source, entries: readonly YamlEntry[], { kinds, files }: Content): Parts {
  const program = new Program(
    files.flatMap((each) => programTokens(each, text)),
    text,
  );
  const written = program.tokens;
  const own = [
    ...files.flatMap((each) => commandsOfFile(each, text)),
    ...(kinds.has("yaml") ? commandsInYaml(entries, text, kinds.has("ci")) : []),
  ];
  const commands = allCommands([...own, ...commandsInProgram(program, text, languageOf(file)?.runs)], text);
  const inCommands = tokensOfCommands(commands);
  const evidence = evidenceIn(text);
  const variables = variableTexts(entries, kinds, text);
  const texts = [...usedTexts(program), ...variables];
  return {
    commands,
    settings: [...settingsInCommands(commands), ...settingsInYaml(entries, text)],
    texts: [...texts, ...inCommands],
    programs: [written, ...inCommands.map((token) => tokensWithin(token))].filter(({ length }) => length > 0),
    mentions: [
      ...mentionsInProgram(program, evidence),
      ...mentionsInCommands(commands, evidence),
      ...variables.flatMap((each) => addressInText(each, evidence)?.mentions ?? []),
    ],
    queries: kinds.has("graphql") ? queryOf(text) : queriesIn([...texts, ...inCommands]),
  };
}

function usedTexts(program: Program): readonly Token[] {
  return program.tokens.filter(({ kind }, index) => kind === "text" && enclosingCalls(program, index) !== undefined);
}

/** Only for files whose names promise a language: other YAML may be a template. */
function unreadAs({ text }: Source, kinds: ReadonlySet<string>, documents: unknown): FileView["unread"] {
  if (documents === undefined && (kinds.has("ci") || kinds.has("database"))) return "YAML";
  if (kinds.has("toml") && parsed(text) === undefined) return "TOML";
  return kinds.has("graphql") && text.trim() !== "" && queryOf(text).length === 0 ? "GraphQL" : undefined;
}

function isManifest(document: Node | null): boolean {
  return isMap(document) && String(stringOf(valueAt(document, "apiVersion"))).startsWith("evenkeel/");
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

function programTokens({ name, start, end }: FileInside, text: string): readonly Token[] {
  const language = languageOf(name);
  return language ? tokensOf({ text: text.slice(start, end), start }, language) : [];
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

interface Part {
  readonly at: number;
  readonly calls: Calls;
  readonly found: FoundAddress | undefined;
  readonly sent: readonly SentParameter[];
}

/** Further ones of a statement are dropped. */
const maxParts = 60;

/** Requests of a program with the parameters in the same call. */
function mentionsInProgram(program: Program, evidence: Evidence): readonly Mention[] {
  const statements = grouped(program.tokens.keys(), (index) => program.head(index));
  const bases = findBases(program);
  return [...statements.values()].flatMap((statement) => readStatement({ program, evidence, bases }, statement));
}

interface Reading {
  readonly program: Program;
  readonly evidence: Evidence;
  /** URLs that variables hold, for paths that begin with one. */
  readonly bases: ReadonlyMap<string, string>;
}

function findBases(program: Program): ReadonlyMap<string, string> {
  const urls = program.tokens.flatMap(({ kind, text }, at) => {
    const isHeld = kind === "text" && /^https?:/.test(text) && program.textAt(at - 1) === "=";
    return isHeld ? [[program.textAt(at - 2), text] as const] : [];
  });
  return new Map(urls);
}

/** The address in a string literal; a word alone is none. */
function addressInText(
  { text, start }: TextFragment,
  evidence: Evidence,
  baseOf?: (before: string) => string | undefined,
): FoundAddress | undefined {
  if (!/[a-z]/.test(text) || text.length > 5000) return undefined;
  const masked = maskedInterpolations(text);
  const found = addressIn({ text: masked, start }, text, evidence, baseOf);
  const isWord = found?.base === "none" && !found.address.path.includes("/") && !masked.includes("?");
  return isWord ? undefined : found;
}

function readStatement(reading: Reading, statement: readonly number[]): readonly Mention[] {
  const { program } = reading;
  const isSent = isRequest(program, statement);
  const parts = statement.flatMap((at) => readPart(reading, at)).slice(0, maxParts);
  return [...parts.flatMap(({ found }) => (found ? pathMentions(found, isSent) : [])), ...pairParts(parts, isSent)];
}

function readPart({ program, evidence, bases }: Reading, at: number): readonly Part[] {
  const token = program.tokens[at];
  if (!token || token.kind === "sign") return [];
  const baseOf = (before: string) =>
    bases.get(
      /^[+.]$/.test(program.textAt(at - 1)) ? program.textAt(at - 2) : (/[{$]\s*([\w$@.]+)/.exec(before)?.[1] ?? ""),
    );
  const found = token.kind === "text" ? addressInText(token, evidence, baseOf) : undefined;
  const sent = [...parametersAt(program, at), ...(token.kind === "text" && !found ? parametersInText(token) : [])];
  const calls = found || sent.length > 0 ? enclosingCalls(program, at) : undefined;
  return calls ? [{ at, calls, found, sent }] : [];
}

/** The address of a literal and the parameters in it; the path alone counts if it is whole or sent. */
function pathMentions({ address, base, mentions }: FoundAddress, isSent: boolean): readonly Mention[] {
  const isUsed = base === "api" || isSent;
  const own = mentions.filter(({ about }) => isUsed || about !== "path");
  return own.map((each) => ({ ...each, address: { ...address, sure: address.sure && isUsed } }));
}

function pairParts(parts: readonly Part[], isSent: boolean): readonly Mention[] {
  return parts.flatMap(({ at, calls, found }) => {
    if (!found) return [];
    const address = { ...found.address, sure: found.address.sure && isSent };
    const sending = parts.filter((each) => each.at === at || calls.some((start) => each.calls.includes(start)));
    return sending.flatMap(({ sent }) => sent.map((each): Mention => ({ about: "sent", address, ...each })));
  });
}

/** Parameters in a string literal that is a query, a form or JSON. */
function parametersInText({ text, start }: Token): readonly SentParameter[] {
  if (text.length > 20_000 || (/\s/.test(text.trim()) && !/^\s*[[{]/.test(text))) return [];
  return parametersIn({ text: maskedInterpolations(text), start });
}
