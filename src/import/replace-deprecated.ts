import equal from "fast-deep-equal";
import type { IntegrationParameter } from "../model/catalogue.ts";
import type { Fields, Scalar } from "../model/types.ts";

type Values = ReadonlyMap<string, Scalar>;

/** Values without deprecated parameters, and a remark for each that had no replacement. */
export interface WithoutDeprecated {
  readonly values: Values;
  readonly remarks: readonly string[];
}

/**
 * Replaces deprecated parameters by their replacements, unless the server contradicts: if it reports the replacement
 * with another value, that value is kept, and the deprecated parameter is left out.
 */
export function replaceDeprecated(
  parameters: ReadonlyMap<string, IntegrationParameter>,
  reported: Values,
  live: Fields,
): WithoutDeprecated {
  const values = new Map(reported);
  const remarks: string[] = [];
  for (const [name, value] of reported) {
    const old = parameters.get(name);
    if (old?.deprecated === undefined) continue;
    values.delete(name);
    const replacement = [...parameters.values()].find((other) => replaces(other, old));
    const word = replacement && wordFor(old, value, replacement);
    const said = replacement && live[replacement.name];
    if (replacement && word !== undefined && (said === undefined || said === word)) values.set(replacement.name, word);
    else remarks.push(`${name}: ${value} is deprecated (${old.deprecated}) and left out`);
  }
  return { values, remarks };
}

/** Two parameters that both select the branches for notifications mean the same setting. */
function replaces(other: IntegrationParameter, old: IntegrationParameter): boolean {
  return other.deprecated === undefined && other.route?.role === "branches" && old.route?.role === "branches";
}

function wordFor(old: IntegrationParameter, value: Scalar, { route }: IntegrationParameter): string | undefined {
  if (route?.role !== "branches" || old.route?.role !== "branches") return undefined;
  const reach = old.route.reach[String(value)];
  return Object.keys(route.reach).find((word) => equal(route.reach[word], reach));
}
