import type { JsonObject } from "../base/json.ts";
import {
  type Integration,
  type IntegrationParameter,
  isDestination,
  type ObservedQuirk,
  quirksAt,
} from "../model/catalogue.ts";
import { holdsIn } from "../model/dialect.ts";
import { type FaultKind, parameterFaults } from "../model/parameter-check.ts";
import type { Scalar } from "../model/types.ts";
import { readBoolean, readInteger } from "./parameters.ts";
import { releasesOf } from "./release-facts.ts";
import { json, refused, type ServerReply } from "./reply.ts";
import type { ServerContext } from "./server-context.ts";
import type { IntegrationOwner } from "./state.ts";

export interface ReadIntegration {
  readonly values: Readonly<Record<string, Scalar>>;
  /** `active`, if it is a parameter and is not ignored. */
  readonly active: boolean | undefined;
  readonly faults: readonly string[];
}

/** Reads the parameters of a PUT from form fields or JSON. A null, or an empty boolean or integer, clears a parameter. */
export function readIntegration(context: ServerContext, integration: Integration, raw: JsonObject): ReadIntegration {
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(raw)) read[name] = readValue(integration.parameters.get(name), value);
  const faults = faultsOf(context, integration, read);
  const { active, ...values } = kept(context, integration, read);
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

/** No integration has it, and every write may contain it. */
const inheriting = "use_inherited_settings";

/** Whether servers of the release take it, in every behaviour: Evenkeel sends it to all of them. */
export function knowsInheriting({ release }: Pick<ServerContext, "release">): boolean {
  return holdsIn(releasesOf("inherited-integrations"), release);
}

const lenient: ReadonlySet<FaultKind> = new Set(["unknown", "enum", "pattern"]);

function faultsOf(context: ServerContext, integration: Integration, read: JsonObject): string[] {
  const { behaviour, release } = context;
  const set = Object.fromEntries(Object.entries(read).filter(([, value]) => value !== null));
  const faults = parameterFaults(integration, set, release)
    .filter(({ fault }) => !(behaviour.lenientParameters && lenient.has(fault)))
    .filter(({ parameter }) => !(parameter === inheriting && knowsInheriting(context)))
    .map(({ parameter, fault }) => `${parameter} ${words[fault]}`);
  if (!behaviour.quirks) return faults;
  const required = [...integration.parameters.values()].filter(
    (parameter) => quirksAt(parameter, release).has("required") && !(parameter.name in read),
  );
  return [...faults, ...required.map(({ name }) => `${name} is missing`)];
}

/** The values that the server stores. */
function kept(
  { behaviour, release }: ServerContext,
  { parameters }: Integration,
  read: JsonObject,
): Record<string, Scalar> {
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

type Values = Readonly<Record<string, Scalar>>;

/** The errors of each field. */
type Faults = readonly (readonly [field: string, sentence: string])[];

/** Validations of deployed servers that the seed enables. */
const checks = {
  block_local_addresses: localAddresses,
  validate_values: invalidValues,
} as const satisfies Record<string, (context: ServerContext, asked: Asked) => Faults>;

interface Asked {
  readonly owner: IntegrationOwner;
  readonly integration: Integration;
  /** The values of the request. */
  readonly given: Values;
  /** The resulting values of the integration. */
  readonly result: Values;
}

/** The validation error of an integration; undefined if it is valid or no feature requires the check. */
export function modelRefusal(context: ServerContext, asked: Asked): ServerReply | undefined {
  const asking = Object.entries(checks).filter(([feature]) => context.state.features.has(feature));
  const faults = asking.flatMap(([, check]) => check(context, asked));
  if (faults.length === 0) return undefined;
  if (!context.behaviour.validationTold) return refused(400, "Bad Request");
  const fields = faults.map(([field, sentence]) => `:${field}=>[${JSON.stringify(sentence)}]`);
  return json(400, { message: `Failed to update integration. {${fields.join(", ")}}` });
}

function localAddresses(_: ServerContext, { integration: { parameters }, given }: Asked): Faults {
  return Object.entries(given)
    .filter(([name, value]) => isDestination(parameters.get(name) ?? {}) && isLocal(String(value)))
    .map(([name]) => [name, "is blocked: Requests to the local network are not allowed"]);
}

const local = /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|0\.0\.0\.0|\[::1?\]|\[f[cd])/i;

function isLocal(value: string): boolean {
  return URL.canParse(value) && local.test(new URL(value).hostname);
}

function invalidValues({ behaviour, slugs }: ServerContext, { owner, integration, result }: Asked): Faults {
  const faults = [...integration.parameters.values()].flatMap((parameter) => valueFaults(parameter, result));
  const isTaken = behaviour.oneIssueTracker && integration.alone && hasAnother(owner, integration, slugs);
  return isTaken ? [...faults, ["base", alreadyInUse]] : faults;
}

const alreadyInUse = "Another issue tracker is already in use. Only one issue tracker service can be active at a time";

function valueFaults({ name, valid, isRequired }: IntegrationParameter, values: Values): Faults {
  const isBlank = (each: string) => String(values[each] ?? "").trim() === "";
  const faults: [string, string][] = [];
  if (valid.pattern && !isBlank(name) && !new RegExp(valid.pattern).test(String(values[name])))
    faults.push([name, "is invalid"]);
  if (valid.pattern && isRequired && isBlank(name)) faults.push([name, "can't be blank"]);
  if (valid.instead && isBlank(name) && isBlank(valid.instead)) faults.push([name, "can't be blank"]);
  if (valid.with && isBlank(name) !== isBlank(valid.with))
    faults.push([isBlank(name) ? name : valid.with, "can't be blank"]);
  return faults;
}

function hasAnother({ integrations }: IntegrationOwner, { slug }: Integration, slugs: ServerContext["slugs"]): boolean {
  return [...integrations.values()].some((record) => {
    const other = slugs.get(record.slug);
    return record.active && record.slug !== slug && other !== undefined && !("status" in other) && other.alone;
  });
}
