import { isObject, type JsonObject } from "../../../src/base/json.ts";

/** A published description of the platform's API: OpenAPI 3, or Swagger 2. */
export interface ApiDocument {
  /** Undefined if the document does not say. */
  readonly release: string | undefined;
  /** Parameters of each operation, by `METHOD /path` as {@link operationOf} writes it. */
  readonly operations: ReadonlyMap<string, ReadonlySet<string>>;
}

export const noDocument: ApiDocument = { release: undefined, operations: new Map() };

/** Reads a parsed document. */
export function readDocument(root: unknown): ApiDocument {
  const { info, paths } = root as { info?: JsonObject; paths: JsonObject };
  const version = String(info?.version ?? "");
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(isObject(methods) ? methods : {}).flatMap(([method, operation]) =>
      isObject(operation)
        ? [[operationOf(method, path.replace(/^\/api\/v4/, "")), parametersOf(operation, root)] as const]
        : [],
    ),
  );
  return { release: /^\d+\.\d+$/.test(version) ? version : undefined, operations: new Map(operations) };
}

/** `PUT /projects/{}/hooks/{}`: without the query, and whatever the parts of the path are called. */
export function operationOf(method: string, path: string): string {
  const [bare = ""] = path.split("?");
  return `${method.toUpperCase()} ${bare.replace(/:[\w.]+|\{[^}]+\}|\*\w+/g, "{}")}`;
}

/** Names in the query and in the body. */
function parametersOf(operation: JsonObject, root: unknown): ReadonlySet<string> {
  const listed = Array.isArray(operation.parameters) ? operation.parameters.filter(isObject) : [];
  const named = listed.filter((each) => each.in !== "path" && each.in !== "body").map(({ name }) => String(name));
  const content = isObject(operation.requestBody) ? resolved(operation.requestBody, root).content : undefined;
  const bodies = [...listed.filter((each) => each.in === "body"), ...Object.values(isObject(content) ? content : {})];
  const fields = bodies.flatMap((body) => (isObject(body) ? propertiesOf(body.schema, root) : []));
  return new Set([...named.map((name) => name.replace(/\[.*/, "")), ...fields]);
}

function propertiesOf(schema: unknown, root: unknown): readonly string[] {
  if (!isObject(schema)) return [];
  const { properties, allOf, oneOf, anyOf } = resolved(schema, root);
  const parts = [allOf, oneOf, anyOf].flatMap((each) => (Array.isArray(each) ? each : []));
  return [...Object.keys(isObject(properties) ? properties : {}), ...parts.flatMap((each) => propertiesOf(each, root))];
}

/** What a `$ref` points to; any other object as it is. */
function resolved(value: JsonObject, root: unknown): JsonObject {
  if (typeof value.$ref !== "string") return value;
  const keys = value.$ref.replace(/^#\//, "").split("/");
  const found = keys.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), root);
  return isObject(found) ? found : {};
}
