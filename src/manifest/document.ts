import { memoized } from "../base/memoize.ts";
import type { Place, Problem } from "../model/types.ts";
import { type ManifestSource, type Path, placesIn } from "./positions.ts";
import { problemAt, problemIn } from "./problem.ts";
import { parseYaml, type Yaml } from "./yaml.ts";

export interface Document {
  readonly file: string;
  /** Index among the documents of the file that could be read, from 0. */
  readonly index: number;
  readonly value: unknown;
  /** Position of a value or its key. The first call parses the document for positions. */
  place(path: Path, of?: "key" | "value"): Place;
  isCommented(path: Path): boolean;
  within(path: Path, text: string, offset: number): Place;
  numbered(index: number): Document;
}

/** A fleet has many thousands of documents, so each keeps as little as possible. */
class ParsedDocument implements Document {
  readonly #source: ManifestSource;
  readonly #at: number;
  readonly file: string;
  readonly index: number;
  readonly value: unknown;

  constructor(source: ManifestSource, at: number, value: unknown, index = at) {
    this.#source = source;
    this.#at = at;
    this.file = source.file;
    this.index = index;
    this.value = value;
  }

  numbered(index: number): ParsedDocument {
    return new ParsedDocument(this.#source, this.#at, this.value, index);
  }

  place(path: Path, of: "key" | "value" = "value"): Place {
    return placesOf(this.#source).place(this.#at, path, of);
  }

  isCommented(path: Path): boolean {
    return placesOf(this.#source).isCommented(this.#at, path);
  }

  within(path: Path, text: string, offset: number): Place {
    return placesOf(this.#source).within(this.#at, path, text, offset);
  }
}

const placesOf = memoized(placesIn, new WeakMap());

export interface Parsed {
  readonly documents: readonly Document[];
  readonly problems: readonly Problem[];
}

/** Parses the documents of a manifest, without empty ones. A broken document is one problem and does not affect the others. */
export function parseManifest(file: string, text: string): Parsed {
  const whole = parseSource({ file, text, linesBefore: 0 });
  if (whole.problems.length === 0) return whole;
  const sources = splitSource(file, text);
  if (sources.length < 2) return whole;
  const parts = sources.map(parseSource);
  return {
    documents: parts.flatMap(({ documents }) => documents).map((document, index) => document.numbered(index)),
    problems: parts.flatMap(({ problems }) => problems),
  };
}

/** If a file has more documents than this, one broken document makes the whole file invalid. */
const mostDocuments = 1000;

/** Splits at document markers, so that documents before and after a broken one can still be read. */
function splitSource(file: string, text: string): readonly ManifestSource[] {
  const starts = [0, ...[...text.matchAll(/^---(?=\s|$)/gm)].map(({ index }) => index).filter((index) => index > 0)];
  if (starts.length > mostDocuments) return [];
  let linesBefore = 0;
  return starts.map((start, i) => {
    const source = { file, text: text.slice(start, starts[i + 1]), linesBefore };
    linesBefore += source.text.split("\n").length - 1;
    return source;
  });
}

interface ParsedSource extends Parsed {
  readonly documents: readonly ParsedDocument[];
}

function parseSource(source: ManifestSource): ParsedSource {
  const conflict = mergeConflict(source.text);
  if (conflict) return { documents: [], problems: [toProblem(source, conflict)] };
  const yaml = parseYaml(source.text);
  if ("values" in yaml) return toDocuments(source, yaml.values);
  const lenient = yaml.duplicate ? parseYaml(source.text, { lenient: true }) : yaml;
  if (!("values" in lenient)) {
    return { documents: [], problems: [toProblem(source, unclosedMark(source.text, lenient) ?? lenient)] };
  }
  const { documents, problems } = toDocuments(source, lenient.values);
  return { documents, problems: [...duplicateKeys(source, documents), ...problems] };
}

function toProblem({ file, linesBefore }: ManifestSource, { reason, line, column }: TextMistake): Problem {
  return problemIn(file, "yaml", reason, line + linesBefore + 1, column + 1);
}

function toDocuments(source: ManifestSource, values: readonly unknown[]): ParsedSource {
  const documents = values
    .filter((value) => value !== null && value !== undefined)
    .map((value, index) => new ParsedDocument(source, index, value));
  // Without an anchor there can be no alias, and the parser itself limits nesting.
  const hasAnchors = source.text.includes("&");
  const hasMerges = mayMerge.test(source.text);
  if (!hasAnchors && !hasMerges) return { documents, problems: [] };
  const sound: ParsedDocument[] = [];
  const problems = documents.flatMap((document) => {
    const fault = hasAnchors && aliasFault(document.value);
    if (fault) return problemAt(fault.rule, fault.message, { document, path: [] });
    sound.push(document);
    const merges = hasMerges ? listMergeKeys(document.value, []) : [];
    return merges.map((path) => problemAt("merge-key", mergeKeyWords, { document, path, of: "key" }));
  });
  return { documents: sound, problems };
}

function duplicateKeys(source: ManifestSource, documents: readonly Document[]): readonly Problem[] {
  return documents.flatMap((document) =>
    placesOf(source)
      .duplicates(document.index)
      .map(({ path, place, first }) => ({
        ...problemAt("yaml", `duplicate key; the first is at line ${first.line}`, { document, path, of: "key" }),
        place,
      })),
  );
}

/** Limits for a document with its aliases expanded; no policy exceeds them. */
const most = { size: 1_000_000, depth: 1000 };

interface Measure {
  readonly size: number;
  readonly depth: number;
}

export function aliasFault(
  value: unknown,
): { readonly rule: "alias-cycle" | "alias-bomb"; readonly message: string } | undefined {
  const found = measure(value, new Set(), new Map());
  if (found === "cycle") return { rule: "alias-cycle", message: "an alias refers to the anchor that contains it" };
  if (found.size <= most.size && found.depth <= most.depth) return undefined;
  return { rule: "alias-bomb", message: `aliases expand this document to more than ${most.size} values` };
}

function measure(value: unknown, around: Set<unknown>, known: Map<unknown, Measure>): Measure | "cycle" {
  if (typeof value !== "object" || value === null) return { size: 1, depth: 1 };
  const before = known.get(value);
  if (before) return before;
  if (around.has(value)) return "cycle";
  if (around.size > most.depth) return { size: Number.POSITIVE_INFINITY, depth: around.size };
  around.add(value);
  let size = 1;
  let depth = 1;
  for (const child of Object.values(value)) {
    const inner = measure(child, around, known);
    if (inner === "cycle") return inner;
    size += inner.size;
    depth = Math.max(depth, inner.depth + 1);
  }
  around.delete(value);
  known.set(value, { size, depth });
  return { size, depth };
}

interface TextMistake {
  readonly reason: string;
  readonly line: number;
  readonly column: number;
}

function mergeConflict(text: string): TextMistake | undefined {
  if (!/^[<>=|]{7}/m.test(text)) return undefined;
  const line = text.split("\n").findIndex((each) => /^(?:[<>|]{7}(?=\s|$)|={7}\s*$)/.test(each));
  if (line < 0) return undefined;
  const reason = "unresolved merge conflict; keep one side, and delete the lines with <<<<<<<, ======= and >>>>>>>";
  return { reason, line, column: 0 };
}

const mergeKeyWords =
  "YAML 1.2 has no merge keys, so << would be a key of its own; write the values out, or put them in a policy of more projects";

/** Texts that may have a merge key: cheaper than a walk through its values. */
const mayMerge = /(?:^|[\s{,])<<\s*:/m;

function listMergeKeys(value: unknown, path: Path): readonly Path[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]): readonly Path[] => {
    const here = [...path, Array.isArray(value) ? Number(key) : key];
    return key === "<<" ? [here] : listMergeKeys(each, here);
  });
}

const mostLines = 5000;
const mostCandidates = 20;

interface OpenMark extends TextMistake {
  readonly closing: string;
  /** The end of the line, or the start of a comment after a bracket. */
  readonly end: number;
}

/**
 * The unclosed quote or bracket that explains why a text is not YAML, at its opening: if it is closed at the end of its
 * line, the error disappears or occurs later.
 */
function unclosedMark(text: string, fault: Exclude<Yaml, { readonly values: unknown }>): TextMistake | undefined {
  const lines = text.split("\n");
  const suspects = lines.slice(0, Math.min(fault.line + 1, mostLines));
  const candidates = [openQuote, openBracket].flatMap((findOpen) =>
    suspects.flatMap((text, line) => findOpen(text, line) ?? []).slice(0, mostCandidates),
  );
  return candidates.find(({ line, end, closing }) => {
    const mended = lines.with(line, `${(lines[line] ?? "").slice(0, end).trimEnd()}${closing}`);
    const yaml = parseYaml(mended.join("\n"), { lenient: true });
    if ("values" in yaml || yaml.line > fault.line) return true;
    return /quoted scalar/.test(fault.reason) && !/quoted scalar/.test(yaml.reason);
  });
}

/** A quote that begins a value; the group is one that is not closed in its line. */
const quotes = /(?:^\s*|[-:?]\s+|[[{,]\s*)(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|(["']))/g;

function openQuote(text: string, line: number): OpenMark | undefined {
  const open = [...text.matchAll(quotes)].find(({ 1: quote }) => quote !== undefined);
  if (!open) return undefined;
  const [whole, closing = ""] = open;
  const column = open.index + whole.length - 1;
  return { reason: `this ${closing} is not closed`, closing, line, column, end: text.length };
}

function openBracket(text: string, line: number): OpenMark | undefined {
  const open: { readonly mark: string; readonly column: number }[] = [];
  let end = text.length;
  for (const { 0: mark, index } of text.matchAll(tokens)) {
    if (mark === "[" || mark === "{") open.push({ mark, column: index });
    else if (mark === "]" || mark === "}") open.pop();
    else if (mark.includes("#") && /^\s/.test(mark)) end = index;
  }
  // An unmatched bracket in a comment is a sign of a value without quotes, as in `{ color: #cc0000 }`.
  const inComment = text
    .slice(end)
    .replace(matched, "")
    .replace(/[^\]}]/g, "");
  if (inComment !== "") return { reason: swallowed, closing: inComment, line, column: end + 1, end };
  const last = open.at(-1);
  if (!last) return undefined;
  const { mark, column } = last;
  return { reason: `this ${mark} is not closed`, closing: mark === "[" ? "]" : "}", line, column, end };
}

const matched = /[[{][^[\]{}]*[\]}]/g;

const swallowed = "what follows # is a comment, with the bracket in it; a value that begins with # needs quotes";

const tokens = /"(?:[^"\\]|\\.)*"|'[^']*'|\s#.*|(?<=^|[-:,[{]\s*)[[{]|[\]}]/g;
