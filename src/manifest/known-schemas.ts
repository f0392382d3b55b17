import manifestProviders from "../../schemas/secret-providers.schema.json" with { type: "json" };
import type { KnownSchema } from "../base/known-checks.ts";
import { bundledKinds } from "../model/bundled-kinds.ts";
import { catalogueOf } from "../model/catalogue.ts";
import { dialects } from "../model/dialects.ts";
import { resourceSchema } from "../model/kind-schema.ts";
import { owners } from "../model/owner.ts";
import { parameterSchema } from "../model/parameter-check.ts";
import { documentShape, policyShape } from "./shape.ts";

export { schemaDigest } from "../base/known-checks.ts";
export { ajvOptions } from "../base/schema-violations.ts";

/** What workspaces without kinds of their own are checked with; build-checks.mjs has Ajv compile it. */
export function knownSchemas(): readonly KnownSchema[] {
  const parameters = [...dialects.keys()].flatMap((dialect) =>
    [...catalogueOf(dialect).integrations.values()].flatMap((each) => [...each.parameters.values()]),
  );
  return [
    ...(["Workspace", "Rule", "StorageMigration"] as const).map(documentShape),
    ...owners.map((owner) => policyShape(catalogueOf(), owner)),
    ...Object.values(bundledKinds).flatMap(({ file }): KnownSchema[] => (file ? [[resourceSchema(file)]] : [])),
    ...parameters.map((each): KnownSchema => [parameterSchema(each)]),
    [manifestProviders],
  ];
}
