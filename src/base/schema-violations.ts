import { isObject, type JsonObject, pointerKeys } from "./json.ts";
import {
  type Check,
  foundBy,
  type KeywordContext,
  keywords,
  memberCheck,
  type Schema,
  typeTest,
  type Violation,
} from "./schema-keywords.ts";

/**
 * Checks values with a JSON Schema of draft 7; `references` are schemas that it refers to by `$id`. Schemas are not turned into
 * programs: a run checks few documents with each, and a schema may come from a user.
 * @throws Error if it has an unknown reference or a pattern that is no regular expression.
 */
export function violationsBy(
  root: object,
  references: readonly object[] = [],
): (value: unknown) => readonly Violation[] {
  const documents = [root, ...references] as readonly JsonObject[];
  const compiled = new Map<Schema, Check>();
  const compile = (schema: Schema, document: JsonObject): Check => {
    const known = compiled.get(schema);
    if (known) return known;
    let own: Check = () => undefined;
    compiled.set(schema, (value, at) => own(value, at));
    own = checkOf(schema, {
      compiled: (inner) => compile(inner, document),
      referred: (reference) => compile(...resolve(reference, document, documents)),
    });
    compiled.set(schema, own);
    return own;
  };
  const check = compile(root as JsonObject, root as JsonObject);
  return (value) => foundBy(check, value, []);
}

/** The schema that a reference in a document leads to, and the document that has it. */
function resolve(reference: string, from: JsonObject, documents: readonly JsonObject[]): [Schema, JsonObject] {
  const [id, pointer = ""] = reference.split("#");
  const document = id === "" ? from : documents.find(({ $id }) => $id === id);
  const found = pointerKeys(pointer).reduce<unknown>(memberOf, document);
  if (!document || !isSchema(found)) throw new Error(`there is no schema ${reference}`);
  return [found, document];
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as JsonObject)[key] : undefined;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "boolean" || isObject(value);
}

function checkOf(schema: Schema, inner: Pick<KeywordContext, "compiled" | "referred">): Check {
  const own = schema === true ? {} : schema === false ? { not: {} } : schema;
  const violated: KeywordContext["violated"] = (keyword, value, { path, found }, key) => {
    found.push({
      keyword,
      schema: own,
      value,
      path: key === undefined ? [...path] : [...path, key],
      ...(key && { key }),
    });
  };
  const context = { ...inner, schema: own, violated };
  const isType = own.type === undefined ? () => true : typeTest([own.type].flat() as string[]);
  const checks = Object.entries(keywords).flatMap(([name, make]) =>
    name in own ? [make(own[name], context, name)] : [],
  );
  const members = memberCheck(context);
  if (members) checks.push(members);
  return (value, at) => {
    if (!isType(value)) return violated("type", value, at);
    for (const check of checks) check(value, at);
  };
}
