import integrations from "../../schemas/integrations.schema.json" with { type: "json" };
import manifest from "../../schemas/manifest.schema.json" with { type: "json" };
import plan from "../../schemas/plan.schema.json" with { type: "json" };
import secretProviders from "../../schemas/secret-providers.schema.json" with { type: "json" };
import type { JsonObject } from "../base/json.ts";
import { type Catalogue, catalogueOf } from "./catalogue.ts";
import type { Dialect } from "./dialect.ts";
import { editorSections, type PolicySections, withInherit } from "./kind-schema.ts";
import { renamedSchema } from "./renamed-schema.ts";

export function policyProperties(sections: PolicySections): JsonObject {
  const { exclusive: _, ...own } = manifest.definitions.Policy.properties;
  return { ...own, ...sections };
}

export function manifestSchema(catalogue: Catalogue): typeof manifest {
  const { definitions } = manifest;
  const properties = policyProperties(editorSections(catalogue)) as typeof definitions.Policy.properties;
  return { ...manifest, definitions: { ...definitions, Policy: { ...definitions.Policy, properties } } };
}

/** The public schemas for editors and readers of plans, by file name, in the names of a dialect. */
export function schemasIn(dialect: Dialect, catalogue = catalogueOf(dialect.name)): ReadonlyMap<string, object> {
  const { properties, ...schema } = renamedSchema(integrations, dialect);
  const inheriting = Object.entries(properties).map(([slug, each]) => [slug, withInherit(each)]);
  return new Map<string, object>([
    ["integrations.schema.json", { ...schema, properties: Object.fromEntries(inheriting) }],
    ["manifest.schema.json", manifestSchema(catalogue)],
    ["plan.schema.json", plan],
    ["secret-providers.schema.json", secretProviders],
  ]);
}
