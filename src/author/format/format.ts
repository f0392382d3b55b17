import { type Document, isAlias, isMap, isScalar, parseAllDocuments, type YAMLMap } from "yaml";
import integrationsSchema from "../../../schemas/integrations.schema.json" with { type: "json" };
import kindSchema from "../../../schemas/resource-kind.schema.json" with { type: "json" };
import { canonical, isObject } from "../../base/json.ts";
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
import { type Arranged, arrange, lined, type Order } from "./arrange.ts";

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

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly definitions?: Readonly<Record<string, Schema>>;
  readonly "x-order"?: "name";
}

const manifestOf: (catalogue: Catalogue) => Schema = memoized(
  (catalogue: Catalogue) => manifestSchema(catalogue) as Schema,
  new WeakMap(),
);
/** All dialects have the same order. */
const integrations = [...dialects.values()].map((dialect) => renamedSchema(integrationsSchema, dialect) as Schema);

/** The order of a document by the schema of its kind. Undefined if it is no manifest. */
function orderOf(version: unknown, kind: unknown, catalogue: Catalogue): Order | undefined {
  if (version !== apiVersion) return undefined;
  if (kind === "ResourceKind") return orderBy(kindSchema as Schema, kindSchema as Schema);
  const manifest = manifestOf(catalogue);
  const known = documentKinds.find((each) => each === kind);
  const schema = known && manifest.definitions?.[known];
  return schema && orderBy(schema, manifest);
}

/** `root` resolves the schema's references. */
function orderBy(schema: Schema, root: Schema): Order | undefined {
  const { $ref, anyOf, properties, patternProperties = {}, "x-order": named } = schema;
  if ($ref === integrationsSchema.$id)
    return bySchema(
      integrations.map(({ properties = {} }) => properties),
      integrationsSchema as Schema,
    );
  if ($ref) return orderBy(root.definitions?.[$ref.replace("#/definitions/", "")] ?? {}, root);
  if (anyOf) return anyOf.map((each) => orderBy(each, root)).find((order) => order !== undefined);
  const [resource = {}] = Object.values(patternProperties);
  if (named) return { compare: byName, below: () => orderBy(resource, root) };
  return properties && bySchema([properties], root);
}

/** Compares names without case first, as licenses are compared. */
function byName(a: string, b: string): number {
  return compareTexts(a.toLowerCase(), b.toLowerCase()) || compareTexts(a, b);
}

/** Unknown keys come last, in their original order. */
function bySchema(schemas: readonly Readonly<Record<string, Schema>>[], root: Schema): Order {
  const ranks = new Map(schemas.flatMap((properties) => Object.keys(properties).map((key, index) => [key, index])));
  const known = new Map(schemas.flatMap((properties) => Object.entries(properties)));
  const rank = (key: string) => ranks.get(key) ?? ranks.size;
  return {
    compare: (a, b) => rank(a) - rank(b),
    below: (key) => orderBy(known.get(key) ?? {}, root),
  };
}
