import { typeOf } from "../../../base/json.ts";
import { createRedactor, type Redactor } from "../../../base/known-secrets.ts";
import { didYouMean } from "../../../base/nearest.ts";
import { missingField } from "../../../manifest/field-availability.ts";
import { unavailable } from "../../../model/availability.ts";
import { type Catalogue, type Integration, type IntegrationParameter, isRequiredAt } from "../../../model/catalogue.ts";
import { comparableScalar } from "../../../model/field-meaning.ts";
import { outOfRelease } from "../../../model/kind-availability.ts";
import { kindOf, type PolicyKind, policyKinds } from "../../../model/kinds.ts";
import type { Owner } from "../../../model/owner.ts";
import { parameterFaults } from "../../../model/parameter-check.ts";
import type { Platform, Problem, Scalar } from "../../../model/types.ts";
import { replaceDeprecated } from "../import-integration.ts";
import type { Blank, ImportedValue } from "../policy.ts";
import { type ForeignIntegration, type ForeignValue, notImported, type TranslatedEntry } from "./foreign.ts";

/** Translates the declarations of one source. Equal secrets get one number. */
export interface Translator {
  readonly translate: (foreign: ForeignIntegration) => TranslatedEntry;
  readonly numberOf: (value: unknown) => number;
}

/**
 * `all` is every value of the source: a value that contains one of its secrets is a secret too.
 */
export function translatorFor(all: Iterable<ForeignIntegration>, catalogue: Catalogue, platform: Platform): Translator {
  const secrets = collectSecrets(all, catalogue);
  const numbers = new Map<string, number>();
  const numberOf = (value: unknown): number => {
    const key = JSON.stringify(value) ?? "";
    const existing = numbers.get(key) ?? numbers.size;
    numbers.set(key, existing);
    return existing;
  };
  return { translate: (foreign) => translate(foreign, { catalogue, platform, secrets, numberOf }), numberOf };
}

interface Context {
  readonly catalogue: Catalogue;
  readonly platform: Platform;
  readonly secrets: Redactor;
  readonly numberOf: (value: unknown) => number;
}

function collectSecrets(all: Iterable<ForeignIntegration>, catalogue: Catalogue): Redactor {
  const secrets = createRedactor();
  for (const { slug, parameters } of all) {
    const integration = findIntegration(catalogue, slug);
    for (const [name, { value, secret, unknown }] of parameters) {
      const isSecret = secret || (integration && findParameter(integration, name)?.secret);
      if (isSecret && unknown === undefined && typeof value === "string" && value !== "")
        secrets.learn(value, "[secret]");
    }
  }
  return secrets;
}

function findIntegration({ integrations, foreignNames }: Catalogue, name: string): Integration | undefined {
  return integrations.get(name) ?? integrations.get(foreignNames.get(name)?.name ?? "");
}

function findParameter({ parameters, foreignNames }: Integration, name: string): IntegrationParameter | undefined {
  return parameters.get(name) ?? parameters.get(foreignNames.get(name)?.name ?? "");
}

function translate(foreign: ForeignIntegration, context: Context): TranslatedEntry {
  const { slug, isOff, of } = foreign;
  const { catalogue, platform } = context;
  const integration = findIntegration(catalogue, slug);
  if (!integration) return leaveOut(foreign, describeUnknown(slug, catalogue));
  const missing =
    unavailable(integration, platform)?.message ?? outOfRelease(catalogue, integrations(catalogue, of), platform);
  if (missing) return leaveOut(foreign, `${slug} is left out: ${missing}`);
  return isOff ? { off: integration.slug, named: [], problems: [] } : turnedOn(integration, foreign, context);
}

/** The kind whose keys are slugs. @throws RangeError without one, an internal error. */
function integrations(catalogue: Catalogue, of: Owner): PolicyKind {
  const found = policyKinds(catalogue, of).find(({ kind }) => kindOf(catalogue, kind).keys);
  if (!found) throw new RangeError(`${of}s have no integrations`);
  return found;
}

function describeUnknown(slug: string, { integrations, foreignNames }: Catalogue): string {
  return `${slug} is left out: it is not in the catalogue${didYouMean(slug, [...integrations.keys(), ...foreignNames.keys()])}`;
}

function turnedOn(integration: Integration, foreign: ForeignIntegration, context: Context): TranslatedEntry {
  const { slug, parameters, place } = foreign;
  const read = [...parameters].map((parameter) => readParameter(integration, foreign, parameter, context));
  const values = new Map(read.flatMap(({ field }) => (field ? [field] : [])));
  const lacking = [...integration.parameters.values()].filter(
    (parameter) => isRequiredAt(parameter, context.platform.release) && !values.has(parameter.name),
  );
  const impossible = lacking.find(({ types }) => !types.includes("string"));
  if (impossible) return leaveOut(foreign, `${slug} is left out: ${impossible.name} is required, and not stated`);
  for (const { name, secret } of lacking) values.set(name, blank(secret ? "a secret" : "required, and not stated"));
  if (integration.parameters.has(on)) values.set(on, { form: "value", value: true });
  const { fields, problems } = dropDeprecated(integration, values, place);
  const { kind } = integrations(context.catalogue, foreign.of);
  const entry = { kind, key: integration.slug, fields, remarks: [] };
  const named = read.flatMap((each) => each.named);
  return { entry, named, problems: [...read.flatMap(({ problem }) => problem ?? []), ...problems] };
}

function leaveOut({ place }: ForeignIntegration, message: string): TranslatedEntry {
  return { problems: [notImported(place(), message)] };
}

interface ReadParameter {
  readonly field?: readonly [name: string, value: ImportedValue];
  /** The key that sets it; undefined if nothing does. */
  readonly named: readonly string[];
  readonly problem?: Problem;
}

function readParameter(
  integration: Integration,
  { slug }: ForeignIntegration,
  [written, value]: readonly [name: string, value: ForeignValue],
  context: Context,
): ReadParameter {
  const named = [written];
  const problem = (message: string) => ({ named, problem: notImported(value.place(), message) });
  const truth = value.truth ?? value.value;
  if (written === on && value.unknown === undefined && truth !== null && truth !== undefined && truth !== true)
    return problem(truth === false ? describeOff(slug) : `${on} of ${slug} is left out: expected true or false`);
  if (written === on) return { named: truth === true ? named : [] };
  const parameter = findParameter(integration, written);
  if (!parameter) {
    const suggestion = didYouMean(written, [...integration.parameters.keys(), ...integration.foreignNames.keys()]);
    return problem(`${written} is left out: ${slug} has no such parameter${suggestion}`);
  }
  const missing = missingField({ ...integration, singular: slug }, parameter.name, value.value, context.platform);
  if (missing !== undefined) return problem(missing);
  if (value.unknown === undefined && (value.value === null || value.value === undefined)) return { named: [] };
  const read = statedValue(integration, parameter, value, context);
  return "why" in read
    ? problem(`${written} of ${slug} is left out: ${read.why}`)
    : { field: [parameter.name, read.value], named };
}

/** A value as a policy declares it, or the reason why it cannot. */
function statedValue(
  integration: Integration,
  parameter: IntegrationParameter,
  foreign: ForeignValue,
  { secrets, numberOf }: Context,
): { readonly value: ImportedValue } | { readonly why: string } {
  const { name, types, secret } = parameter;
  if ((secret || foreign.secret === true) && types.includes("string")) return { value: secretOf(foreign, numberOf) };
  if (foreign.unknown !== undefined) return { why: `${foreign.unknown} is not known from these files` };
  const got = `got ${typeOf(foreign.value)}`;
  const value = toScalar(parameter, foreign);
  if (value === undefined) return { why: `expected one value, ${got}` };
  if (typeof value === "string" && (secrets.isIn(value) || hasCredentials(value)))
    return { value: blank("it holds a secret", numberOf(value)) };
  const fault = parameterFaults(integration, { [name]: value }).find((each) => each.parameter === name);
  return fault
    ? { why: `expected ${fault.expected}, ${got}${foreign.hint ?? ""}` }
    : { value: { form: "value", value } };
}

/** Integrations of other tools are always active: servers activate what is configured. */
const on = "active";

function describeOff(slug: string): string {
  return `${on} of ${slug} is left out: servers turn on what is configured; list it in disabled if it has to be off`;
}

/** A reference to a secret whose value is not repeated. */
export function secretOf({ value, unknown }: ForeignValue, numberOf: Context["numberOf"]): Blank {
  if (unknown !== undefined) return blank(`a secret, was ${unknown}`, numberOf(`unknown ${unknown}`));
  const placeholder = typeof value === "string" ? /^\$\{\w+\}$/.exec(value)?.[0] : undefined;
  return blank(placeholder ? `a secret, was ${placeholder}` : "a secret", numberOf([value]));
}

function blank(why: string, same?: number): Blank {
  return { form: "blank", why: `set this: ${why}`, reference: "", ...(same !== undefined && { same }) };
}

/** The value in the type of its parameter; undefined for several values. */
function toScalar(parameter: IntegrationParameter, { value, truth }: ForeignValue): Scalar | undefined {
  const { list, types } = parameter;
  if (types[0] === "boolean" && truth !== undefined) return truth;
  if (Array.isArray(value) && list && value.every((item) => typeof item === "string"))
    return value.join(list === "comma" ? "," : " ");
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return undefined;
  return types[0] === "string" ? String(value) : comparableScalar(parameter, value);
}

/** True if a text is a URL with a password. */
export function hasCredentials(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\/[^/\s:]*:[^/\s]*@/i.test(text);
}

function dropDeprecated(
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
  return { fields, problems: replaced.remarks.map((remark) => notImported(place(), remark)) };
}
