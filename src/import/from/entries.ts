import { didYouMean } from "../../base/nearest.ts";
import { createRedactor, type Redactor } from "../../base/redact.ts";
import { typeOf } from "../../base/type-words.ts";
import { unavailable, unavailableParameter } from "../../model/availability.ts";
import type { Catalogue, Integration, IntegrationParameter } from "../../model/catalogue.ts";
import { parameterFaults } from "../../model/parameter-check.ts";
import { normaliseParameter } from "../../model/parameter-value.ts";
import type { Platform, Problem, Scalar } from "../../model/types.ts";
import type { ImportedEntry, ImportedValue } from "../imported.ts";
import { replaceDeprecated } from "../replace-deprecated.ts";
import { type ForeignIntegration, type ForeignValue, told } from "./foreign.ts";

/** What an integration comes to in a policy, and what of it does not. */
export interface TranslatedIntegration {
  readonly entry?: ImportedEntry;
  /** The integration that has to be off. */
  readonly off?: string;
  readonly told: readonly Problem[];
}

/** Translates integrations of one source. Secrets that are the same stay the same: they get one number. */
export interface Translator {
  readonly translate: (foreign: ForeignIntegration) => TranslatedIntegration;
}

/**
 * `all` is everything that the source says: a value that holds a secret of it is one, wherever it stands.
 */
export function translatorFor(all: Iterable<ForeignIntegration>, catalogue: Catalogue, platform: Platform): Translator {
  const secrets = secretsOf(all, catalogue);
  const numbers = new Map<string, number>();
  const numberOf = (value: unknown): number => {
    const key = JSON.stringify(value) ?? "";
    const known = numbers.get(key) ?? numbers.size;
    numbers.set(key, known);
    return known;
  };
  return { translate: (foreign) => translated(foreign, { catalogue, platform, secrets, numberOf }) };
}

interface Context {
  readonly catalogue: Catalogue;
  readonly platform: Platform;
  readonly secrets: Redactor;
  readonly numberOf: (value: unknown) => number;
}

function secretsOf(all: Iterable<ForeignIntegration>, catalogue: Catalogue): Redactor {
  const secrets = createRedactor();
  for (const { slug, parameters } of all) {
    const integration = integrationNamed(catalogue, slug);
    for (const [name, { value, secret, unknown }] of parameters) {
      const isSecret = secret || (integration && parameterNamed(integration, name)?.secret);
      if (isSecret && unknown === undefined && typeof value === "string" && value !== "")
        secrets.learn(value, "[secret]");
    }
  }
  return secrets;
}

/** By the name that the platform has for it. */
function integrationNamed({ integrations, elsewhere }: Catalogue, name: string): Integration | undefined {
  return integrations.get(name) ?? integrations.get(elsewhere.get(name)?.name ?? "");
}

function parameterNamed({ parameters, elsewhere }: Integration, name: string): IntegrationParameter | undefined {
  return parameters.get(name) ?? parameters.get(elsewhere.get(name)?.name ?? "");
}

function translated(foreign: ForeignIntegration, context: Context): TranslatedIntegration {
  const { slug, isOff } = foreign;
  const integration = integrationNamed(context.catalogue, slug);
  if (!integration) return left(foreign, unknownWords(slug, context.catalogue));
  const missing = unavailable(integration, context.platform);
  if (missing) return left(foreign, `${slug} is left out: ${missing.message}`);
  return isOff ? { off: integration.slug, told: [] } : turnedOn(integration, foreign, context);
}

function unknownWords(slug: string, { integrations, elsewhere }: Catalogue): string {
  return `${slug} is left out: it is not in the catalogue${didYouMean(slug, [...integrations.keys(), ...elsewhere.keys()])}`;
}

function turnedOn(integration: Integration, foreign: ForeignIntegration, context: Context): TranslatedIntegration {
  const { slug, parameters, place } = foreign;
  const read = [...parameters].map(([name, value]) => parameterOf(integration, foreign, name, value, context));
  const values = new Map(read.flatMap(({ field }) => (field ? [field] : [])));
  const lacking = [...integration.parameters.values()].filter(({ name, required }) => required && !values.has(name));
  const impossible = lacking.find(({ types }) => !types.includes("string"));
  if (impossible) return left(foreign, `${slug} is left out: ${impossible.name} is required, and not stated`);
  for (const { name, secret } of lacking) values.set(name, blank(secret ? "a secret" : "required, and not stated"));
  if (integration.parameters.has(on)) values.set(on, { form: "value", value: true });
  const { fields, problems } = withoutDeprecated(integration, values, place);
  const entry = { kind: "integration", key: integration.slug, fields, remarks: [] } as const;
  return { entry, told: [...read.flatMap(({ problem }) => problem ?? []), ...problems] };
}

function left({ place }: ForeignIntegration, message: string): TranslatedIntegration {
  return { told: [told(place(), message)] };
}

interface ReadParameter {
  readonly field?: readonly [name: string, value: ImportedValue];
  readonly problem?: Problem;
}

function parameterOf(
  integration: Integration,
  foreign: ForeignIntegration,
  written: string,
  value: ForeignValue,
  { platform, secrets, numberOf }: Context,
): ReadParameter {
  const { slug } = foreign;
  const parameter = parameterNamed(integration, written);
  const problem = (message: string) => ({ problem: told(value.place(), message) });
  if (written === on) return value.value === false ? problem(offWords(slug)) : {};
  if (!parameter) {
    const meant = didYouMean(written, [...integration.parameters.keys(), ...integration.elsewhere.keys()]);
    return problem(`${written} is left out: ${slug} has no such parameter${meant}`);
  }
  const { name } = parameter;
  const missing = unavailableParameter(integration, parameter, platform);
  if (missing) return problem(missing.message);
  if (value.unknown === undefined && (value.value === null || value.value === undefined)) return {};
  const isSecret = parameter.secret || value.secret === true;
  if (isSecret && parameter.types.includes("string")) return { field: [name, secretOf(value, numberOf)] };
  if (value.unknown !== undefined)
    return problem(`${written} of ${slug} is left out: ${value.unknown} is not known from these files`);
  const scalar = spelled(parameter, value);
  if (scalar === undefined)
    return problem(`${written} of ${slug} is left out: expected one value, got ${typeOf(value.value)}`);
  if (typeof scalar === "string" && (secrets.isIn(scalar) || hasCredentials(scalar)))
    return { field: [name, blank("it holds a secret", numberOf(scalar))] };
  const fault = parameterFaults(integration, { [name]: scalar }).find((each) => each.parameter === name);
  if (fault)
    return problem(`${written} of ${slug} is left out: expected ${fault.expected}, got ${typeOf(value.value)}`);
  return { field: [name, { form: "value", value: scalar }] };
}

/** What other tools set up is on, whatever they say of it: servers turn on what is configured. */
const on = "active";

function offWords(slug: string): string {
  return `${on} of ${slug} is left out: servers turn on what is configured; list it in disabled if it has to be off`;
}

function secretOf({ value, unknown }: ForeignValue, numberOf: Context["numberOf"]): ImportedValue {
  if (unknown !== undefined) return blank(`a secret, was ${unknown}`, numberOf(`unknown ${unknown}`));
  const placeholder = typeof value === "string" ? /^\$\{\w+\}$/.exec(value)?.[0] : undefined;
  return blank(placeholder ? `a secret, was ${placeholder}` : "a secret", numberOf([value]));
}

function blank(why: string, same?: number): ImportedValue {
  return { form: "blank", why: `set this: ${why}`, reference: "", ...(same !== undefined && { same }) };
}

/** In the type of its parameter; undefined for what is more than one value. */
function spelled(parameter: IntegrationParameter, { value, truth }: ForeignValue): Scalar | undefined {
  const { list, types } = parameter;
  if (types[0] === "boolean" && truth !== undefined) return truth;
  if (Array.isArray(value) && list && value.every((item) => typeof item === "string"))
    return value.join(list === "comma" ? "," : " ");
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return undefined;
  return types[0] === "string" ? String(value) : normaliseParameter(parameter, value);
}

function hasCredentials(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\/[^/\s]*:[^/\s]*@/i.test(text);
}

function withoutDeprecated(
  { parameters }: Integration,
  values: ReadonlyMap<string, ImportedValue>,
  place: ForeignIntegration["place"],
) {
  const plain = new Map([...values].flatMap(([name, each]) => (each.form === "value" ? [[name, each.value]] : [])));
  const replaced = replaceDeprecated(parameters, plain, Object.fromEntries(plain));
  const fields = new Map<string, ImportedValue>();
  for (const name of parameters.keys()) {
    const value = replaced.values.get(name);
    const given = values.get(name);
    if (value !== undefined) fields.set(name, { form: "value", value });
    else if (given && given.form !== "value") fields.set(name, given);
  }
  return { fields, problems: replaced.remarks.map((remark) => told(place(), remark)) };
}
