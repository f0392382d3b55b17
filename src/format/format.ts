import { isMap, parseAllDocuments } from "yaml";
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
 * Comments, blank lines, quotes and everything else stay as written; what the text means never changes, and formatting
 * twice is formatting once. Documents that are no manifests are left alone, files with mistakes of syntax or without a
 * manifest altogether; a tag that only another tool knows is no mistake of that tool's file.
 */
export function format(file: string, text: string): Formatted {
  const { documents, problems } = parseManifest(file, text);
  if (!mention.test(text)) return problems.length > 0 && isBroken(text) ? { problems } : { foreign: true };
  if (problems.length > 0) return { problems };
  if (!documents.some(({ value }) => isOurs(value))) return { foreign: true };
  const arranged = inOrder(ended(text));
  return { text: means(arranged, text) ? arranged : text };
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

function inOrder(text: string): string {
  const source = lined(text);
  const documents = parseAllDocuments(text, { schema: "core", uniqueKeys: false, prettyErrors: false });
  const moves = [...documents].flatMap(({ contents }): Arranged[] => {
    const order = isMap(contents) ? orderOf(contents.get("apiVersion"), contents.get("kind")) : undefined;
    const move = isMap(contents) && order ? arrange(source, contents, order) : undefined;
    return move ? [move] : [];
  });
  return moves.reduceRight((whole, move) => whole.slice(0, move.from) + move.text + whole.slice(move.to), text);
}

/** Keys may be in any order; an alias, say, may not come before its anchor. */
function means(arranged: string, text: string): boolean {
  const [after, before] = [parseYaml(arranged), parseYaml(text)];
  return "values" in after && "values" in before && canonical(after.values) === canonical(before.values);
}
