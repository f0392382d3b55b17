import type { Integration, IntegrationParameter } from "../model/catalogue.ts";
import { checkParameters, type FaultKind, type ParameterFault } from "../model/parameter-check.ts";
import type { Problem, SecretReference, Value } from "../model/types.ts";
import type { Document } from "./document.ts";
import type { Path } from "./positions.ts";
import { problemAt, type Rule } from "./problem.ts";
import { meant, shown, typeOf } from "./shape.ts";
import { isTemplate } from "./template.ts";
import type { Workspace } from "./workspace.ts";

/** An integration as a policy writes it. */
export interface Written {
  readonly document: Document;
  readonly path: Path;
  readonly integration: Integration;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What its parameters come to before interpolation. */
export interface Declared {
  readonly fields: Readonly<Record<string, Value>>;
  /** Names of fields that are still to be interpolated. */
  readonly templates: readonly string[];
  /** Literals that stand behind `manifest:` references. */
  readonly plaintext: readonly (readonly [reference: string, literal: string])[];
  readonly problems: readonly Problem[];
}

type Field =
  | { readonly form: "literal" | "template"; readonly value: Value }
  | { readonly form: "secret"; readonly value: SecretReference; readonly literal?: string }
  | { readonly form: "fault"; readonly problem: Problem };

/** Every parameter of an integration, checked as far as no variable is needed (contract 3 "Secrets", "Checks"). */
export function declare(written: Written, workspace: Workspace): Declared {
  const fields: Record<string, Value> = {};
  const templates: string[] = [];
  const plaintext: [string, string][] = [];
  const problems: Problem[] = [];
  const settled = new Set<string>();
  for (const [name, value] of Object.entries(written.parameters)) {
    const parameter = written.integration.parameters.get(name);
    if (!parameter) continue;
    const field = fieldOf(parameter, value, written, workspace);
    if (field.form !== "literal") settled.add(name);
    if (field.form === "fault") problems.push(field.problem);
    else fields[name] = field.value;
    if (field.form === "template") templates.push(name);
    if (field.form === "secret" && field.literal !== undefined) plaintext.push([field.value.secret, field.literal]);
  }
  for (const fault of checkParameters(written.integration.slug, written.parameters)) {
    if (settled.has(fault.parameter)) continue;
    delete fields[fault.parameter];
    problems.push(parameterProblem(fault, written, written.parameters));
  }
  problems.push(...deprecations(written), ...inactive(written));
  return { fields, templates, plaintext, problems };
}

function fieldOf(parameter: IntegrationParameter, value: unknown, written: Written, workspace: Workspace): Field {
  if (isMapping(value) && Object.hasOwn(value, "secret")) return referenceOf(parameter, value, written, workspace);
  if (parameter.secret && !isMapping(value)) return secretLiteral(parameter, value, written, workspace);
  return { form: isTemplate(value) ? "template" : "literal", value: value as Value };
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function referenceOf(
  parameter: IntegrationParameter,
  reference: Readonly<Record<string, unknown>>,
  written: Written,
  { ledger }: Workspace,
): Field {
  const fault = (rule: Rule, message: string, ...rest: Path): Field => ({
    form: "fault",
    problem: problemAt(rule, message, { document: written.document, path: [...written.path, parameter.name, ...rest] }),
  });
  const { secret, version, ...others } = reference;
  if (!parameter.types.includes("string")) return fault("parameter-type", "a secret can only stand for a string");
  if (typeof secret !== "string" || !referenceForm.test(secret)) {
    return fault("secret-reference", "expected env:NAME or file:PATH", "secret");
  }
  if (isTemplate(secret)) return fault("secret-reference", "a secret reference is not interpolated", "secret");
  if (ownVariable.test(secret)) {
    return fault("secret-reference", "Evenkeel's own token and key are never sent to an integration", "secret");
  }
  const [other] = Object.keys(others);
  if (other !== undefined) return fault("secret-reference", "a secret reference has secret and version alone", other);
  if (version === undefined) return { form: "secret", value: { secret } };
  if (!Number.isInteger(version) || Number(version) < 1) {
    return fault("secret-reference", "expected an integer from 1 on", "version");
  }
  if (ledger === undefined) {
    return fault(
      "secret-version",
      "a version needs a ledger to be remembered in; set ledger in evenkeel.yaml",
      "version",
    );
  }
  return { form: "secret", value: { secret, version: Number(version) } };
}

const referenceForm = /^(?:env:[A-Za-z_][A-Za-z0-9_]*|file:[^\s].*)$/;

/** The access token and the ledger's key: no manifest may have them sent anywhere. */
const ownVariable = /^env:EVENKEEL_(?:TOKEN|TOKEN_FILE|LEDGER_KEY)$/i;

function secretLiteral(
  { name }: IntegrationParameter,
  value: unknown,
  { document, path }: Written,
  { allowPlaintextSecrets }: Workspace,
): Field {
  const at = { document, path: [...path, name] };
  if (!allowPlaintextSecrets) {
    const message = `${name} is a secret: name it, such as { secret: env:NAME }, instead of writing it here`;
    return { form: "fault", problem: problemAt("plaintext-secret", message, at) };
  }
  if (typeof value !== "string") {
    return { form: "fault", problem: problemAt("parameter-type", `expected a string, got ${typeWord(value)}`, at) };
  }
  const { file, line, column } = document.place(at.path);
  return { form: "secret", value: { secret: `manifest:${file}:${line}:${column}` }, literal: value };
}

const faultRules: Readonly<Record<FaultKind, Rule>> = {
  missing: "required-parameter",
  unknown: "unknown-parameter",
  type: "parameter-type",
  enum: "parameter-enum",
  pattern: "parameter-pattern",
};

/** A fault in words, at the key for a missing or unknown parameter, else at the value. */
export function parameterProblem(
  { parameter, fault, expected }: ParameterFault,
  { document, path, integration }: Written,
  values: Readonly<Record<string, unknown>>,
): Problem {
  const rule = faultRules[fault];
  const here = [...path, parameter];
  if (fault === "missing") {
    return problemAt(rule, `${integration.slug} needs ${parameter}: ${expected}`, { document, path, of: "key" });
  }
  if (fault === "unknown") {
    return problemAt(rule, unknownParameter(integration, parameter), { document, path: here, of: "key" });
  }
  const spec = integration.parameters.get(parameter);
  const got = gotWord(spec, values[parameter]);
  const hint = meant(values[parameter], spec?.enum);
  return problemAt(rule, `expected ${expected}, got ${got}${hint}`, { document, path: here });
}

function unknownParameter({ slug, parameters }: Integration, name: string): string {
  return `${slug} has no parameter ${name}${meant(name, [...parameters.keys()]) || `; see evenkeel explain ${slug}`}`;
}

/** A value is repeated only where no secret could stand: not in free text. */
function gotWord(parameter: IntegrationParameter | undefined, value: unknown): string {
  const closed = parameter && !parameter.secret && (parameter.enum || !parameter.types.includes("string"));
  return closed ? shown(value) : parameter?.pattern && typeof value === "string" ? "one without it" : typeWord(value);
}

function typeWord(value: unknown): string {
  return typeof value === "boolean" ? "true or false" : typeOf(value);
}

function deprecations({ document, path, integration, parameters }: Written): readonly Problem[] {
  return Object.keys(parameters).flatMap((name) => {
    const deprecated = integration.parameters.get(name)?.deprecated;
    if (deprecated === undefined) return [];
    return [problemAt("deprecated", `${name}: ${deprecated}`, { document, path: [...path, name], of: "key" })];
  });
}

function inactive({ document, path, integration, parameters }: Written): readonly Problem[] {
  const active = integration.parameters.get("active");
  if (active?.default !== false || "active" in parameters) return [];
  const message = `${integration.slug} will be off: active is left out, and its default is false`;
  return [problemAt("inactive", message, { document, path, of: "key" })];
}
