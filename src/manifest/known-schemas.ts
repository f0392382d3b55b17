import manifestProviders from "../../schemas/secret-providers.schema.json" with { type: "json" };
import { ajvOptions, schemaDigest } from "../base/schema.ts";
import { bundledKinds } from "../model/bundled-kinds.ts";
import { catalogueOf } from "../model/catalogue.ts";
import { resourceSchema } from "../model/kind-schema.ts";
import { owners } from "../model/owner.ts";
import { documentShape, policyShape } from "./shape.ts";

type KnownSchema = readonly [schema: object, references?: readonly object[]];

/** The schemas for manifests without own kinds, and the options of Ajv (generate.mjs). */
export function knownSchemas(): { readonly options: object; readonly schemas: ReadonlyMap<string, KnownSchema> } {
  const schemas: readonly KnownSchema[] = [
    ...(["Workspace", "Rule", "Test", "StorageMigration"] as const).map(documentShape),
    ...owners.map((owner) => policyShape(catalogueOf(), owner)),
    ...Object.values(bundledKinds).flatMap(({ file }): KnownSchema[] => (file.keys ? [] : [[resourceSchema(file)]])),
    [manifestProviders],
  ];
  return { options: ajvOptions, schemas: new Map(schemas.map((schema) => [schemaDigest(...schema), schema])) };
}
