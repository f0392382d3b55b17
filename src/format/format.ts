import { type Document, isAlias, isMap, isScalar, parseAllDocuments, type YAMLMap } from "yaml";
import { canonical, isObject } from "../base/json.ts";
import { parseManifest } from "../manifest/document.ts";
import { parseYaml } from "../manifest/yaml.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { Problem } from "../model/types.ts";
import { type Arranged, arrange, lined } from "./arrange.ts";
import { orderOf } from "./order.ts";

/** The formatted text, or why there is none: syntax errors, or no manifest in it. */
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
  if (!documents.some(({ value }) => isOurs(value))) return { foreign: true };
  const complete = ended(text);
  const start = means(complete, text) ? complete : text;
  const arranged = arrangedAll(start, catalogue);
  return { text: means(arranged, text) ? arranged : start };
}

const mention = /\bapiVersion["']?\s*:\s*["']?evenkeel\//;

function isOurs(value: unknown): boolean {
  return isObject(value) && typeof value.apiVersion === "string" && value.apiVersion.startsWith("evenkeel/");
}

function isBroken(text: string): boolean {
  const documents = parseAllDocuments(text, { uniqueKeys: false, prettyErrors: false });
  return [...documents].some(({ errors }) => errors.length > 0);
}

/** Ends the text with a line break, so that the last block can be moved too. */
function ended(text: string): string {
  if (text === "" || text.endsWith("\n")) return text;
  return `${text}${text.includes("\r\n") ? "\r\n" : "\n"}`;
}

const options = { schema: "core", uniqueKeys: false, prettyErrors: false, keepSourceTokens: true } as const;

function arrangedAll(text: string, catalogue: Catalogue): string {
  const source = lined(text);
  const moves = [...parseAllDocuments(text, options)].flatMap((document): Arranged[] => {
    const { contents } = document;
    if (!isMap(contents)) return [];
    const order = orderOf(scalarAt(document, contents, "apiVersion"), scalarAt(document, contents, "kind"), catalogue);
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

/** Whether two texts have the same values. Sorting may not, for example, move an alias before its anchor. */
function means(arranged: string, text: string): boolean {
  const [after, before] = [parseYaml(arranged), parseYaml(text)];
  return "values" in after && "values" in before && canonical(after.values) === canonical(before.values);
}
