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
  /** What the catalogue has for its key. */
  readonly entry: Integration | undefined;
  /** The schema of its fields. */
  readonly fields: ResourceKind["fields"];
  readonly platform: Platform;
  /** The fields that its key names, which need no second mention. */
  readonly keys: JsonObject;
  readonly parameters: JsonObject;
  /** Whether fields that it lacks are those of the next entry in order of precedence (`inherit: true`). */
  readonly inherits: boolean;
  /** The field whose value stands in place of a mapping. */
  readonly bare: string | undefined;
}

/** The path of a part of a resource in its document. */
export function pathIn({ path, bare }: Pick<WrittenResource, "path" | "bare">, [top, ...below]: Path): Path {
  if (top === undefined) return path;
  return top === bare ? [...path, ...below] : [...path, top, ...below];
}

/** The fields that the text of a key names, in the types that the kind gives them. */
export function keyFieldValues(file: ResourceKind, text: string): JsonObject {
  const typed = (name: string, part: string) => {
    const types = typesOf(file.fields.properties[name] ?? {});
    return !types.includes("string") && /^-?\d{1,15}$/.test(part) ? Number(part) : part;
  };
  return Object.fromEntries(Object.entries(keyValuesOf(file, text)).map(([name, part]) => [name, typed(name, part)]));
}
