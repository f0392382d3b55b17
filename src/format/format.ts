import { type Document, isAlias, isMap, isScalar, parseAllDocuments, type YAMLMap } from "yaml";
import { canonical, isObject } from "../base/json.ts";
import { parseManifest } from "../manifest/document.ts";
import { parseYaml } from "../manifest/yaml.ts";
import type { Problem } from "../model/types.ts";
import { type Arranged, arrange, lined } from "./arrange.ts";
import { orderOf } from "./order.ts";

/** The text in order, or why it was not touched: it has mistakes of syntax, or is another tool's and no manifest. */
export type Formatted =
  | { readonly text: string }
  | { readonly problems: readonly Problem[] }
  | { readonly foreign: true };

/**
 * Puts the keys of every manifest in a file into the order of the schemas, and ends the file with a line break.
 * Comments, blank lines, quotes, what is in braces and everything else stay as written; what the text means never
 * changes, and formatting twice is formatting once. Documents that are no manifests are left alone, files with mistakes
 * of syntax or without a manifest altogether; a tag that only another tool knows is no mistake of that tool's file.
 */
export function format(file: string, text: string): Formatted {
  const { documents, problems } = parseManifest(file, text);
  if (!mention.test(text)) return problems.length > 0 && isBroken(text) ? { problems } : { foreign: true };
  if (problems.length > 0) return { problems };
  if (!documents.some(({ value }) => isOurs(value))) return { foreign: true };
  const complete = ended(text);
  const arranged = arrangedAll(means(complete, text) ? complete : text);
  return means(arranged, text) ? { text: arranged } : { problems: [unsafe(file)] };
}

/** Nobody is to believe that such a file was formatted. */
function unsafe(file: string): Problem {
  const message = "was not formatted: its keys cannot be put in order without a change of what it means";
  return { severity: "error", rule: "format", message, place: { file, line: 1, column: 1 } };
}

const mention = /\bapiVersion["']?\s*:\s*["']?evenkeel\//;

function isOurs(value: unknown): boolean {
  return isObject(value) && String(value.apiVersion).startsWith("evenkeel/");
}

function isBroken(text: string): boolean {
  const documents = parseAllDocuments(text, { uniqueKeys: false, prettyErrors: false });
  return [...documents].some(({ errors }) => errors.length > 0);
}

/** With a line break at the end, so that the last block can be moved as well. */
function ended(text: string): string {
  if (text === "" || text.endsWith("\n")) return text;
  return `${text}${text.includes("\r\n") ? "\r\n" : "\n"}`;
}

const options = { schema: "core", uniqueKeys: false, prettyErrors: false, keepSourceTokens: true } as const;

function arrangedAll(text: string): string {
  const source = lined(text);
  const moves = [...parseAllDocuments(text, options)].flatMap((document): Arranged[] => {
    const { contents } = document;
    if (!isMap(contents)) return [];
    const order = orderOf(scalarAt(document, contents, "apiVersion"), scalarAt(document, contents, "kind"));
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

/** Keys may be in any order; an alias, say, may not come before its anchor. */
function means(arranged: string, text: string): boolean {
  const [after, before] = [parseYaml(arranged), parseYaml(text)];
  return "values" in after && "values" in before && canonical(after.values) === canonical(before.values);
}
