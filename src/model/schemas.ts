import integrations from "../../schemas/integrations.schema.json" with { type: "json" };
import manifest from "../../schemas/manifest.schema.json" with { type: "json" };
import plan from "../../schemas/plan.schema.json" with { type: "json" };
import secretProviders from "../../schemas/secret-providers.schema.json" with { type: "json" };
import type { Dialect } from "./dialect.ts";
import { renamedSchema } from "./renamed-schema.ts";

/** The public schemas for editors and readers of plans, by file name, in the names of a dialect. */
export function schemasIn(dialect: Dialect): ReadonlyMap<string, object> {
  return new Map<string, object>([
    ["integrations.schema.json", renamedSchema(integrations, dialect)],
    ["manifest.schema.json", manifest],
    ["plan.schema.json", plan],
    ["secret-providers.schema.json", secretProviders],
  ]);
}
