import {
  type CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type LineCounter,
  type Pair,
  parseAllDocuments,
  type YAMLMap,
} from "yaml";
import integrationsSchema from "../../../schemas/integrations.schema.json" with { type: "json" };
import kindSchema from "../../../schemas/resource-kind.schema.json" with { type: "json" };
import { canonical, isObject } from "../../base/json.ts";
import { linesOf } from "../../base/lines.ts";
import { memoized } from "../../base/memoize.ts";
import { compareTexts } from "../../base/text-format.ts";
import { parseManifest } from "../../manifest/document.ts";
import { apiVersion, documentKinds } from "../../manifest/shape.ts";
import { parseYaml } from "../../manifest/yaml.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { dialects } from "../../model/dialects.ts";
import { renamedSchema } from "../../model/renamed-schema.ts";
import { manifestSchema } from "../../model/schemas.ts";
import type { Problem } from "../../model/types.ts";

/** The formatted text, or the errors: invalid syntax, or no manifest. */
export type Formatted =
  | { readonly text: string }
  | { readonly problems: readonly Problem[] }
  | { readonly foreign: true };

/**
 * Sorts the keys of every manifest in a file by the schemas and the kinds of a catalogue, and ends the file with a line break.
 * Comments, blank lines, quotes and flow collections are preserved; the meaning of the text never
 * changes, and formatting is idempotent: if sorting would change the meaning, the order stays. Documents that are not manifests are not changed, nor are files with errors
 * of syntax or without a manifest; a custom tag in another tool's file is no error.
 */
export function format(file: string, text: string, catalogue: Catalogue): Formatted {
  const { documents, problems } = parseManifest(file, text);
  if (!mention.test(text)) return problems.length > 0 && isBroken(text) ? { problems } : { foreign: true };
  if (problems.length > 0) return { problems };
  const isOurs = (value: unknown) =>
    isObject(value) && typeof value.apiVersion === "string" && value.apiVersion.startsWith("evenkeel/");
  if (!documents.some(({ value }) => isOurs(value))) return { foreign: true };
  // With a line break at its end, the last block can be moved too.
  const complete = text === "" || text.endsWith("\n") ? text : `${text}${lineEnd(text)}`;
  const start = means(complete, text) ? complete : text;
  const arranged = arrangedAll(start, catalogue);
  return { text: means(arranged, text) ? arranged : start };
}

const mention = /\bapiVersion["']?\s*:\s*["']?evenkeel\//;

function isBroken(text: string): boolean {
  const documents = parseAllDocuments(text, { uniqueKeys: false, prettyErrors: false });
  return [...documents].some(({ errors }) => errors.length > 0);
}

export function lineEnd(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

const options = { schema: "core", uniqueKeys: false, prettyErrors: false, keepSourceTokens: true } as const;

function arrangedAll(text: string, catalogue: Catalogue): string {
  const source = lined(text);
  const moves = [...parseAllDocuments(text, options)].flatMap((document): Arranged[] => {
    const { contents } = document;
    if (!isMap(contents)) return [];
    const order = chooseOrder(document, contents, catalogue);
    const move = order && arrange(source, contents, order);
    return move ? [move] : [];
  });
  return moves.reduceRight((whole, move) => whole.slice(0, move.from) + move.text + whole.slice(move.to), text);
}

function scalarAt(document: Document, map: YAMLMap, key: string): unknown {
  const node = map.get(key, true);
  const value = isAlias(node) ? node.resolve(document) : node;
  return isScalar(value) ? value.value : undefined;
}

/** True if two texts have the same values. Sorting may not, for example, move an alias before its anchor. */
function means(arranged: string, text: string): boolean {
  const [after, before] = [parseYaml(arranged), parseYaml(text)];
  return "values" in after && "values" in before && canonical(after.values) === canonical(before.values);
}

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly definitions?: Readonly<Record<string, Schema>>;
  readonly "x-order"?: "name";
}

const manifestOf = memoized((catalogue: Catalogue) => manifestSchema(catalogue) as Schema, new WeakMap());
/** All dialects have the same order. */
const integrations = Array.from(dialects.values(), (dialect) => {
  return (renamedSchema(integrationsSchema, dialect) as Schema).properties ?? {};
});

/** The order of a document by the schema of its kind; undefined if it is not a manifest. */
function chooseOrder(document: Document, contents: YAMLMap, catalogue: Catalogue): Order | undefined {
  if (scalarAt(document, contents, "apiVersion") !== apiVersion) return undefined;
  const kind = scalarAt(document, contents, "kind");
  if (kind === "ResourceKind") return createOrder(kindSchema as Schema, kindSchema as Schema);
  const manifest = manifestOf(catalogue);
  const known = documentKinds.find((each) => each === kind);
  const schema = known && manifest.definitions?.[known];
  return schema && createOrder(schema, manifest);
}

/** `root` resolves the schema's references. */
function createOrder(schema: Schema, root: Schema): Order | undefined {
  const { $ref, anyOf, properties, patternProperties = {}, "x-order": named } = schema;
  if ($ref === integrationsSchema.$id) return bySchema(integrations, integrationsSchema as Schema);
  if ($ref) return createOrder(root.definitions?.[$ref.replace("#/definitions/", "")] ?? {}, root);
  if (anyOf) return anyOf.map((each) => createOrder(each, root)).find((order) => order !== undefined);
  const [resource = {}] = Object.values(patternProperties);
  if (!named) return properties && bySchema([properties], root);
  return {
    // Without case first, as licenses are compared.
    compare: (a, b) => compareTexts(a.toLowerCase(), b.toLowerCase()) || compareTexts(a, b),
    below: () => createOrder(resource, root),
  };
}

/** Unknown keys come last, in their original order. */
function bySchema(schemas: readonly Readonly<Record<string, Schema>>[], root: Schema): Order {
  const ranks = new Map(schemas.flatMap((properties) => Object.keys(properties).map((key, index) => [key, index])));
  const known = new Map(schemas.flatMap((properties) => Object.entries(properties)));
  const rank = (key: string) => ranks.get(key) ?? (key === "inherit" ? -1 : ranks.size);
  return {
    compare: (a, b) => rank(a) - rank(b),
    below: (key) => createOrder(known.get(key) ?? {}, root),
  };
}

/** The order of the keys of a mapping, and of the mappings below it. */
interface Order {
  /** Negative if `a` comes before `b`, zero if the order does not matter. */
  readonly compare: (a: string, b: string) => number;
  readonly below: (key: string) => Order | undefined;
}

export interface Lined {
  readonly text: string;
  readonly lines: LineCounter;
}

interface Block {
  readonly from: number;
  readonly to: number;
  readonly key: string;
  readonly pair: Pair;
}

interface Arranged extends Pick<Block, "from" | "to"> {
  readonly text: string;
}

/**
 * Sorts the keys of a mapping and of the mappings below it. Blocks are moved without changing a line, with the comments
 * above and after them. Flow mappings are not changed. Undefined if the order is correct. The result may have another
 * meaning if an anchor moves behind its alias, or a comment behind a block scalar.
 */
function arrange(source: Lined, map: YAMLMap, order: Order): Arranged | undefined {
  const blocks = map.flow ? [] : lineBlocks(source, map);
  const [first] = blocks;
  const last = blocks.at(-1);
  if (!first || !last) return undefined;
  const texts = new Map(blocks.map((block) => [block, arrangeBlock(source, block, order)]));
  const sorted = blocks.toSorted((a, b) => order.compare(a.key, b.key));
  const moved = sorted[0] === first ? texts : withMovedGap(texts, first, sorted[0] ?? first);
  return { from: first.from, to: last.to, text: sorted.map((block) => moved.get(block) ?? "").join("") };
}

/** Swaps the blank lines of the block that was first and of the one that is first now. */
function withMovedGap(texts: ReadonlyMap<Block, string>, was: Block, is: Block): ReadonlyMap<Block, string> {
  const [before, after] = [texts.get(was) ?? "", texts.get(is) ?? ""];
  const [given, own] = [blankLines(after), blankLines(before)];
  return new Map([...texts, [was, given + before.slice(own.length)], [is, own + after.slice(given.length)]]);
}

function blankLines(text: string): string {
  return /^(?:[ \t]*\r?\n)*/.exec(text)?.[0] ?? "";
}

function arrangeBlock(source: Lined, { from, to, key, pair: { value } }: Block, order: Order): string {
  const below = order.below(key);
  const inner = below && isMap(value) ? arrange(source, value, below) : undefined;
  if (!inner) return source.text.slice(from, to);
  return source.text.slice(from, inner.from) + inner.text + source.text.slice(inner.to, to);
}

/** The blocks of a block mapping, each with the comments above it; none if a key does not start its line. */
function lineBlocks(source: Lined, map: YAMLMap): readonly Block[] {
  const { items } = map;
  const starts = items.map((pair, index) => blockStart(source, pair, items[index - 1]));
  if (starts.includes(undefined)) return [];
  return items.map((pair, index) => {
    const next = starts[index + 1] ?? lineStart(source, lineBehind(source, pair));
    return { key: isScalar(pair.key) ? String(pair.key.value) : "", pair, from: starts[index] ?? 0, to: next };
  });
}

/** Undefined if the key does not start its line. */
function blockStart(source: Lined, pair: Pair, previous: Pair | undefined): number | undefined {
  const start = startOf(pair);
  const line = lineAt(source, start);
  const indent = source.text.slice(lineStart(source, line), start);
  if (/[^ ]/.test(indent)) return undefined;
  if (previous) return lineStart(source, Math.min(lineBehind(source, previous), line));
  let top = line;
  // Comments at the start of a document stay there.
  while (indent !== "" && top > 0 && isFloating(lineText(source, top - 1))) top--;
  return lineStart(source, top);
}

/** The line after a block and the comments that are indented deeper than its key. */
export function lineBehind(source: Lined, pair: Pair): number {
  const start = startOf(pair);
  const column = start - lineStart(source, lineAt(source, start));
  let behind = lineAt(source, endOf(pair) - 1) + 1;
  for (let at = behind; at < source.lines.lineStarts.length && isFloating(lineText(source, at)); at++) {
    const indent = /^ *(?=#)/.exec(lineText(source, at))?.[0] ?? "";
    if (indent.length > column) behind = at + 1;
  }
  return behind;
}

function isFloating(line: string): boolean {
  return /^[ \t]*(?:#.*)?\r?\n?$/.test(line);
}

const beforeKeys: ReadonlySet<CST.SourceToken["type"]> = new Set(["anchor", "tag", "explicit-key-ind"]);

/** The start of a pair, including its anchor, tag or question mark if it has source tokens. */
export function startOf({ key, srcToken }: Pair): number {
  const first = srcToken?.start.find(({ type }) => beforeKeys.has(type));
  return first?.offset ?? (isNode(key) ? (key.range?.[0] ?? 0) : 0);
}

/** The end of a pair, without trailing comments and white space. */
export function endOf({ key, value }: Pair): number {
  return Math.max(endOfNode(key), endOfNode(value));
}

/** The end of a node, without trailing comments and white space. */
export function endOfNode(node: unknown): number {
  if (isMap(node) && !node.flow && node.items.length > 0) return endOf(node.items.at(-1) as Pair);
  if (isSeq(node) && !node.flow && node.items.length > 0) return endOfNode(node.items.at(-1));
  return isNode(node) ? (node.range?.[1] ?? 0) : 0;
}

export function lined(text: string): Lined {
  return { text, lines: linesOf(text) };
}

/** The line of an offset, from 0. */
export function lineAt({ lines }: Lined, offset: number): number {
  return lines.linePos(offset).line - 1;
}

/** The offset of a line; the end of the text after the last one. */
export function lineStart({ text, lines }: Lined, line: number): number {
  return lines.lineStarts[line] ?? text.length;
}

function lineText(source: Lined, line: number): string {
  return source.text.slice(lineStart(source, line), lineStart(source, line + 1));
}
