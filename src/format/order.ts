import integrationsSchema from "../../schemas/integrations.schema.json" with { type: "json" };
import kindSchema from "../../schemas/resource-kind.schema.json" with { type: "json" };
import { memoized } from "../base/memoize.ts";
import { compareTexts } from "../base/text-format.ts";
import { apiVersion, documentKinds } from "../manifest/shape.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { dialects } from "../model/dialects.ts";
import { renamedSchema } from "../model/renamed-schema.ts";
import { manifestSchema } from "../model/schemas.ts";

/** The order of the keys of a mapping, and of the mappings below it. */
export interface Order {
  /** Negative if `a` comes before `b`, zero if the order does not matter. */
  readonly compare: (a: string, b: string) => number;
  readonly below: (key: string) => Order | undefined;
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
export function orderOf(version: unknown, kind: unknown, catalogue: Catalogue): Order | undefined {
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
