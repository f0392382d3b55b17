import type { JsonObject } from "../base/json.ts";
import { type Integration, type IntegrationParameter, type ObservedQuirk, quirksAt } from "../model/catalogue.ts";
import { type FaultKind, parameterFaults } from "../model/parameter-check.ts";
import type { Scalar } from "../model/types.ts";
import { readBoolean, readInteger } from "./parameters.ts";
import type { World } from "./world.ts";

export interface ReadIntegration {
  readonly values: Readonly<Record<string, Scalar>>;
  /** What `active` says, where it is a parameter and is listened to. */
  readonly active: boolean | undefined;
  readonly faults: readonly string[];
}

/** Reads what a PUT carries: form fields in words and JSON alike. A null, or an empty boolean or integer, clears. */
export function readIntegration(world: World, integration: Integration, raw: JsonObject): ReadIntegration {
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(raw)) read[name] = readValue(integration.parameters.get(name), value);
  const faults = faultsOf(world, integration, read);
  const { active, ...values } = kept(world, integration, read);
  return { values, active: typeof active === "boolean" ? active : undefined, faults };
}

function readValue(parameter: IntegrationParameter | undefined, value: unknown): unknown {
  if (!parameter || parameter.types.includes("string")) return value;
  if (value === "") return null;
  const [type] = parameter.types;
  return (type === "boolean" ? readBoolean(value) : readInteger(value)) ?? value;
}

const words: Record<FaultKind, string> = {
  missing: "is missing",
  unknown: "is unknown",
  type: "is invalid",
  enum: "does not have a valid value",
  pattern: "does not have a valid value",
};

const lenient: ReadonlySet<FaultKind> = new Set(["unknown", "enum", "pattern"]);

function faultsOf({ behaviour, release }: World, integration: Integration, read: JsonObject): string[] {
  const set = Object.fromEntries(Object.entries(read).filter(([, value]) => value !== null));
  const faults = parameterFaults(integration, set, release)
    .filter(({ fault }) => !(behaviour.lenientParameters && lenient.has(fault)))
    .map(({ parameter, fault }) => `${parameter} ${words[fault]}`);
  if (!behaviour.quirks) return faults;
  const required = [...integration.parameters.values()].filter(
    (parameter) => quirksAt(parameter, release).has("required") && !(parameter.name in read),
  );
  return [...faults, ...required.map(({ name }) => `${name} is missing`)];
}

/** The values that the server stores. */
function kept({ behaviour, release }: World, { parameters }: Integration, read: JsonObject): Record<string, Scalar> {
  const values: Record<string, Scalar> = {};
  for (const [name, value] of Object.entries(read)) {
    const parameter = parameters.get(name);
    const quirks = parameter && behaviour.quirks ? quirksAt(parameter, release) : noQuirks;
    if (parameter && !quirks.has("dropped")) values[name] = altered(quirks, value as Scalar);
  }
  if (behaviour.putActivates) delete values.active;
  return values;
}

const noQuirks: ReadonlySet<ObservedQuirk> = new Set();

function altered(quirks: ReadonlySet<ObservedQuirk>, value: Scalar): Scalar {
  if (typeof value !== "string") return value;
  const trimmed = quirks.has("trimmed") ? value.trim() : value;
  return quirks.has("slash") ? trimmed.replace(/\/$/, "") : trimmed;
}
