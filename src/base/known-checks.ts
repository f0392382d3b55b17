import { createHash } from "node:crypto";
import type { ValidateFunction } from "ajv";
import checks from "./checks.json" with { type: "json" };

/** A schema, and those that it refers to. */
export type KnownSchema = readonly [schema: object, references?: readonly object[]];

/** Names a schema by what it says. */
export function schemaDigest([schema, references = []]: KnownSchema): string {
  return createHash("sha256")
    .update(JSON.stringify([schema, references]))
    .digest("hex")
    .slice(0, 32);
}

/** What Ajv compiled of a schema when the program was built (manifest/known-schemas.ts); undefined for any other schema. */
export function knownCheck(schema: KnownSchema): ValidateFunction | undefined {
  const code = (checks as Readonly<Record<string, string>>)[schemaDigest(schema)];
  return code === undefined ? undefined : new Function(`${code}return check.default`)();
}
