import { isObject, type JsonObject } from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import { didYouMean, suggestionFor } from "../base/nearest.ts";
import { typeWord, valueInWords } from "../base/type-words.ts";
import { serverWords } from "../model/availability.ts";
import type { Integration, IntegrationParameter } from "../model/catalogue.ts";
import { type FaultKind, type ParameterFault, parameterFaults } from "../model/parameter-check.ts";
import type { Platform, Problem, Value } from "../model/types.ts";
import type { Document } from "./document.ts";
import type { Path } from "./positions.ts";
import { commentHint, problemAt, type Rule } from "./problem.ts";
import { type SecretField, secretLiteral, secretReference } from "./secret-reference.ts";
import { isTemplate } from "./template.ts";
import type { Workspace } from "./workspace.ts";

/** An integration as a policy declares it. */
export interface WrittenIntegration {
  readonly document: Document;
  readonly path: Path;
  readonly integration: Integration;
  readonly platform: Platform;
  readonly parameters: JsonObject;
}

/** The parameters of an integration before interpolation. */
export interface Declared {
  readonly fields: Readonly<Record<string, Value>>;
  /** Names of fields that are not interpolated yet. */
  readonly templates: readonly string[];
  /** Literal secrets, by their `manifest:` references. */
  readonly plaintext: readonly (readonly [reference: string, literal: string])[];
  readonly problems: readonly Problem[];
}

type Field = { readonly form: "literal" | "template"; readonly value: Value } | SecretField;

/** Checks every parameter of an integration that does not depend on a variable (docs/manifests.md). */
export function declare(written: WrittenIntegration, workspace: Workspace): Declared {
  const fields: Record<string, Value> = {};
  const templates: string[] = [];
  const plaintext: [string, string][] = [];
  const problems: Problem[] = [];
  const settled: string[] = [];
  for (const name of Object.keys(written.parameters)) {
    const value = written.parameters[name];
    const parameter = written.integration.parameters.get(name);
    if (!parameter) continue;
    const field = fieldOf(parameter, value, written, workspace);
    if (field.form !== "literal") settled.push(name);
    if (field.form === "fault") problems.push(field.problem);
    else fields[name] = field.value;
    if (field.form === "template" || (field.form === "secret" && isTemplate(field.value.secret))) templates.push(name);
    if (field.form === "secret" && field.literal !== undefined) plaintext.push([field.value.secret, field.literal]);
  }
  for (const fault of parameterFaults(written.integration, written.parameters, written.platform.release)) {
    if (settled.includes(fault.parameter)) continue;
    delete fields[fault.parameter];
    problems.push(parameterProblem(fault, written, written.parameters));
  }
  problems.push(...deprecations(written), ...inactive(written));
  return { fields, templates, plaintext, problems };
}

function fieldOf(
  parameter: IntegrationParameter,
  value: unknown,
  written: WrittenIntegration,
  workspace: Workspace,
): Field {
  const { name, types } = parameter;
  const at = () => ({ document: written.document, path: [...written.path, name] });
  if (isObject(value) && Object.hasOwn(value, "secret"))
    return secretReference(at(), value, types.includes("string"), workspace);
  if (parameter.secret && !isObject(value)) return secretLiteral(at(), value, workspace);
  return { form: isTemplate(value) ? "template" : "literal", value: value as Value };
}

const faultRules: Readonly<Record<FaultKind, Rule>> = {
  missing: "required-parameter",
  unknown: "unknown-parameter",
  type: "parameter-type",
  enum: "parameter-enum",
  pattern: "parameter-pattern",
};

/** A problem for a fault, at the key for a missing or unknown parameter, else at the value. */
export function parameterProblem(
  { parameter, fault, expected }: ParameterFault,
  { document, path, integration, platform }: WrittenIntegration,
  values: JsonObject,
): Problem {
  const rule = faultRules[fault];
  const here = [...path, parameter];
  if (fault === "missing") {
    const wanted = integration.parameters.get(parameter)?.secret ? "{ secret: env:NAME }" : expected;
    const message = `${integration.slug} needs ${parameter}: ${wanted}${optionalWords(integration, parameter, platform)}`;
    return problemAt(rule, message, { document, path, of: "key" });
  }
  if (fault === "unknown") {
    return problemAt(rule, unknownParameter(integration, parameter), { document, path: here, of: "key" });
  }
  const spec = integration.parameters.get(parameter);
  const value = values[parameter];
  const wanted = spec?.secret && isObject(value) ? "{ secret: env:NAME }" : expected;
  const hint = isObject(value) ? didYouMean(Object.keys(value)[0] ?? "", ["secret"]) : suggestionFor(value, spec?.enum);
  const got = `${gotWord(spec, value)}${commentHint(document, here, value)}`;
  return problemAt(rule, `expected ${wanted}, got ${got}${hint}`, { document, path: here });
}

/** The release from which a parameter is optional, as the end of a sentence; empty if there is none. */
function optionalWords({ parameters }: Integration, name: string, platform: Platform): string {
  const from = parameters.get(name)?.optionalFrom;
  return from === undefined ? "" : `; it is optional from release ${from} on, and ${serverWords(platform)}`;
}

function unknownParameter({ slug, parameters, foreignNames, undeclared }: Integration, name: string): string {
  const why = undeclared.get(name);
  if (why !== undefined) return `${slug} has no parameter ${name} here: ${why}`;
  const other = foreignNames.get(name);
  if (other)
    return `${slug} has no parameter ${name}: that is a name of dialect ${other.dialect}; here it is ${other.name}`;
  return `${slug} has no parameter ${name}${didYouMean(name, parameters.keys()) || `; see evenkeel explain ${slug}`}`;
}

/** Values are quoted only if they cannot be a secret, so free text never is. */
function gotWord(parameter: IntegrationParameter | undefined, value: unknown): string {
  const closed = parameter && !parameter.secret && (parameter.enum || !parameter.types.includes("string"));
  return closed
    ? valueInWords(value)
    : parameter?.pattern && typeof value === "string"
      ? "one without it"
      : typeWord(value);
}

function deprecations({ document, path, integration, parameters }: WrittenIntegration): readonly Problem[] {
  if (!hasDeprecated(integration)) return [];
  const deprecated = (name: string) => integration.parameters.get(name)?.deprecated;
  return Object.keys(parameters)
    .filter((name) => deprecated(name) !== undefined)
    .map((name) =>
      problemAt("deprecated", `${name}: ${deprecated(name)}`, { document, path: [...path, name], of: "key" }),
    );
}

const hasDeprecated = memoized(
  ({ parameters }: Integration) => [...parameters.values()].some(({ deprecated }) => deprecated !== undefined),
  new WeakMap(),
);

function inactive({ document, path, integration, parameters }: WrittenIntegration): readonly Problem[] {
  const active = integration.parameters.get("active");
  if (active?.default !== false || "active" in parameters) return [];
  const message = `${integration.slug} will be off: active is not set, and its default is false`;
  return [problemAt("inactive", message, { document, path, of: "key" })];
}
