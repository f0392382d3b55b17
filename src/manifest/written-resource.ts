import type { JsonObject } from "../base/json.ts";
import { typesOf } from "../model/field-meaning.ts";
import type { Integration } from "../model/integration.ts";
import { keyValuesOf, type ResourceKind } from "../model/resource-kind.ts";
import type { Platform } from "../model/types.ts";
import type { Document } from "./document.ts";
import type { Path } from "./positions.ts";

/** A resource as a policy declares it. */
export interface WrittenResource {
  readonly document: Document;
  /** The path of its fields. */
  readonly path: Path;
  readonly file: ResourceKind;
  /** The integration with its key. */
  readonly entry: Integration | undefined;
  /** The schema of its fields. */
  readonly fields: ResourceKind["fields"];
  readonly platform: Platform;
  /** Fields in its key, which need not be repeated. */
  readonly keys: JsonObject;
  readonly parameters: JsonObject;
  /** True if fields that it lacks are those of the next entry in order of precedence (`inherit: true`). */
  readonly inherits: boolean;
  /** The field that stands for the whole value. */
  readonly bare: string | undefined;
}

/** The path of a part of a resource in its document. */
export function pathIn({ path, bare }: Pick<WrittenResource, "path" | "bare">, [top, ...below]: Path): Path {
  if (top === undefined) return path;
  return top === bare ? [...path, ...below] : [...path, top, ...below];
}

/** The fields in a key, in the types of the kind. */
export function keyFieldValues(file: ResourceKind, text: string): JsonObject {
  const typed = (name: string, part: string) => {
    const types = typesOf(file.fields.properties[name] ?? {});
    return !types.includes("string") && /^-?\d{1,15}$/.test(part) ? Number(part) : part;
  };
  return Object.fromEntries(Object.entries(keyValuesOf(file, text)).map(([name, part]) => [name, typed(name, part)]));
}
