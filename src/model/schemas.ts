import integrations from "../../schemas/integrations.schema.json" with { type: "json" };
import manifest from "../../schemas/manifest.schema.json" with { type: "json" };
import plan from "../../schemas/plan.schema.json" with { type: "json" };
import secretProviders from "../../schemas/secret-providers.schema.json" with { type: "json" };

/** The schemas that are promised to editors and to readers of plans, by file name. */
export const schemas: ReadonlyMap<string, object> = new Map<string, object>([
  ["integrations.schema.json", integrations],
  ["manifest.schema.json", manifest],
  ["plan.schema.json", plan],
  ["secret-providers.schema.json", secretProviders],
]);
