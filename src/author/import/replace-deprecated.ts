import equal from "fast-deep-equal";
import type { IntegrationParameter } from "../../model/catalogue.ts";
import type { Fields, Plain } from "../../model/types.ts";
import { inlineText } from "../../model/values.ts";

type Values = ReadonlyMap<string, Plain>;

/** Values without deprecated parameters, with a remark for each that had no replacement. */
export interface WithoutDeprecated {
  readonly values: Values;
  readonly remarks: readonly string[];
}

/**
 * Replaces deprecated parameters. If the server reports the replacement
 * with another value, that value is kept and the deprecated parameter is left out.
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
    if (!old?.deprecated) continue;
    values.delete(name);
    const replacement = [...parameters.values()].find((other) => replaces(other, old));
    const newValue = replacement && replacementValue(old, value, replacement);
    const reportedValue = replacement && live[replacement.name];
    if (replacement && newValue !== undefined && (reportedValue === undefined || reportedValue === newValue))
      values.set(replacement.name, newValue);
    else
      remarks.push(
        `${name}: ${inlineText(value)} is deprecated (${old.deprecationMessage ?? "deprecated"}) and left out`,
      );
  }
  return { values, remarks };
}

/** Two parameters that select the branches for notifications are the same setting. */
function replaces(other: IntegrationParameter, old: IntegrationParameter): boolean {
  return !other.deprecated && other.route?.role === "branches" && old.route?.role === "branches";
}

function replacementValue(
  old: IntegrationParameter,
  value: Plain,
  { route }: IntegrationParameter,
): string | undefined {
  if (route?.role !== "branches" || old.route?.role !== "branches") return undefined;
  const reach = old.route.reach[inlineText(value)];
  return Object.keys(route.reach).find((newValue) => equal(route.reach[newValue], reach));
}
