import { isObject, type JsonObject } from "../base/json.ts";
import type { SchemaFault } from "../base/schema.ts";
import { propertyOf, typesOf } from "../model/field-meaning.ts";
import type { FieldSchema } from "../model/resource-kind.ts";
import type { Fields, Problem, Value } from "../model/types.ts";
import type { Path } from "./positions.ts";
import { problemAt } from "./problem.ts";
import { type SecretField, secretLiteral, secretReference } from "./secret-reference.ts";
import type { Workspace } from "./workspace.ts";
import { pathIn, type WrittenResource } from "./written-resource.ts";

/** Reads the values of a resource as policies write them, with the references to secrets wherever its kind has some. */
export class ResourceReading {
  readonly problems: Problem[] = [];
  readonly plaintext: [string, string][] = [];
  /** The fields that cannot be used. */
  readonly broken = new Set<string>();
  readonly #settled = new Set<string>();
  readonly #written: WrittenResource;
  readonly #workspace: Workspace;

  constructor(written: WrittenResource, workspace: Workspace) {
    this.#written = written;
    this.#workspace = workspace;
  }

  fields(fields: JsonObject): Fields {
    const { properties } = this.#written.fields;
    const read = Object.entries(fields).map(([name, value]) => [name, this.#value(properties[name], value, [name])]);
    return Object.fromEntries(read);
  }

  /** Whether a value has been checked, so that the schema need not. */
  isSettled(path: SchemaFault["path"]): boolean {
    return this.#settled.has(JSON.stringify(path));
  }

  #value(field: FieldSchema = {}, value: unknown, path: Path): Value {
    const mayRefer = field.writeOnly || (this.#written.entry && isObject(value));
    if (mayRefer && !isShapeless(value)) return this.#secret(field, value, path);
    if (Array.isArray(value))
      return value.map((each, index) => this.#value(field.items, each, [...path, index])) as Value;
    if (!isObject(value)) return value as Value;
    if (isStray(field, value)) return this.#fault(path, this.#strayReference(path));
    const read = Object.entries(value).map(([name, each]) => {
      return [name, this.#value(propertyOf(field, name), each, [...path, name])];
    });
    return Object.fromEntries(read);
  }

  #secret(field: FieldSchema, value: unknown, path: Path): Value {
    const at = { document: this.#written.document, path: pathIn(this.#written, path) };
    const isText = typesOf(field).includes("string");
    const read: SecretField = isObject(value)
      ? secretReference(at, value, isText, this.#workspace)
      : secretLiteral(at, value, this.#workspace);
    this.#settled.add(JSON.stringify(path));
    if (read.form === "fault") return this.#fault(path, read.problem);
    if (read.literal !== undefined) this.plaintext.push([read.value.secret, read.literal]);
    return read.value;
  }

  #strayReference(path: Path): Problem {
    const { document } = this.#written;
    const message = `only a secret can be a reference, and ${path.at(-1)} is none`;
    return problemAt("secret-reference", message, { document, path: pathIn(this.#written, path) });
  }

  #fault(path: Path, problem: Problem): Value {
    this.problems.push(problem);
    this.broken.add(String(path[0]));
    this.#settled.add(JSON.stringify(path));
    return "";
  }
}

/** A mapping that is no reference is of the wrong type, which the schema says. */
function isShapeless(value: unknown): boolean {
  return isObject(value) && !Object.hasOwn(value, "secret");
}

/** Whether a reference stands where no mapping is expected, or none with that key. */
function isStray(field: FieldSchema, value: JsonObject): boolean {
  const isMapping = field.properties !== undefined || field.additionalProperties !== undefined;
  return !isMapping && typeof value.secret === "string" && !typesOf(field).includes("object");
}
