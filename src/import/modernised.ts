import equal from "fast-deep-equal";
import type { IntegrationParameter } from "../model/catalogue.ts";
import type { Fields, Scalar } from "../model/types.ts";

type Values = ReadonlyMap<string, Scalar>;

/** Values without deprecated parameters, and what has to be said of those. */
export interface Modernised {
  readonly values: Values;
  readonly remarks: readonly string[];
}

/**
 * Says what deprecated parameters say in the words of those that replace them, where the server does not contradict:
 * a replacement that it reports with another value decides, and the deprecated one is left out.
 */
export function modernised(
  parameters: ReadonlyMap<string, IntegrationParameter>,
  reported: Values,
  live: Fields,
): Modernised {
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

/** Two parameters that decide on which branches something is heard of are two words for one thing. */
function replaces(other: IntegrationParameter, old: IntegrationParameter): boolean {
  return other.deprecated === undefined && other.route?.role === "branches" && old.route?.role === "branches";
}

function wordFor(old: IntegrationParameter, value: Scalar, { route }: IntegrationParameter): string | undefined {
  if (route?.role !== "branches" || old.route?.role !== "branches") return undefined;
  const reach = old.route.reach[String(value)];
  return Object.keys(route.reach).find((word) => equal(route.reach[word], reach));
}
