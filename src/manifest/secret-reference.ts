import { isObject, type JsonObject, objectOf, typeWord } from "../base/json.ts";
import { propertyOf, typesOf } from "../model/field-meaning.ts";
import type { FieldSchema } from "../model/resource-kind.ts";
import type { Fields, Problem, SecretReference, Value } from "../model/types.ts";
import { pathIn, type WrittenResource } from "./entries.ts";
import type { Path } from "./positions.ts";
import { type ManifestLocation, problemAt, type Rule } from "./problem.ts";
import { isTemplate, referencesOf } from "./template.ts";

/**
 * An error message for a reference that is not valid. It never quotes the reference, which may be a secret in the wrong
 * field. References with interpolations are checked as far as possible.
 */
export function referenceFault(text: string): string | undefined {
  if (isTemplate(schemeOf(text).scheme)) return "the part before the colon is not interpolated";
  // A letter is valid anywhere in a name.
  const whole = referencesOf(text).length > 0 ? text.replaceAll("$${", "${").replace(/\$\{[^}]*\}?/g, "x") : text;
  if (!form.test(whole) || /\p{Cc}/u.test(whole)) return "expected env:NAME, file:PATH or PROVIDER:NAME";
  return ownVariable.test(whole) ? "Evenkeel's own token and key must not be sent to an integration" : undefined;
}

/**
 * The part after the provider must not start with `//`, because a URL must not be mistaken for a reference and printed,
 * nor with `-`, because a command could interpret it as an option.
 */
const form = /^(?:env:[A-Za-z_][A-Za-z0-9_]*|file:[^\s].*|(?!env:|file:|manifest:)[a-z][a-z0-9_-]*:(?!\/\/|-)\S.*)$/;

/** Variables with Evenkeel's own credentials, each also with `_FILE`. No manifest may send them anywhere. */
const ownVariables = [
  ...(["EVENKEEL_TOKEN", "EVENKEEL_LEDGER_KEY", "EVENKEEL_HOOK_SECRET", "EVENKEEL_CONSOLE_TOKEN"] as const),
  ...(["EVENKEEL_STATE", "EVENKEEL_QUEUE"] as const),
];

export type OwnVariable = (typeof ownVariables)[number];

const ownVariable = new RegExp(`^env:(?:${ownVariables.join("|")})(?:_FILE)?$`, "i");

/**
 * True if a project's path may be interpolated into a reference. Otherwise the name of a project could select another
 * file or argument. Platforms do not allow other characters either.
 */
export function isPlainPath(path: string): boolean {
  return path.split("/").every((part) => /^[A-Za-z0-9_.][\w.-]*$/.test(part) && !/^\.+$/.test(part));
}

/** Reads a mapping with the key `secret`: a reference, or its first problem. `isText`: a text is allowed there. */
function secretReference(
  { document, path }: ManifestLocation,
  { secret, version, ...others }: JsonObject,
  isText: boolean,
  ledger: string | undefined,
): SecretReference | Problem {
  const fault = (rule: Rule, message: string, ...inside: Path) =>
    problemAt(rule, message, { document, path: [...path, ...inside] });
  if (!isText) return fault("parameter-type", "only a string parameter can be a secret");
  const why = referenceFault(typeof secret === "string" ? secret : "");
  if (why !== undefined) return fault("secret-reference", why, "secret");
  const [other] = Object.keys(others);
  if (other !== undefined) return fault("secret-reference", "a secret reference has only secret and version", other);
  if (version === undefined) return { secret: String(secret) };
  if (!Number.isSafeInteger(version) || Number(version) < 1) {
    const isLarge = typeof version === "number" && version > 1;
    const bound = isLarge ? `at most ${Number.MAX_SAFE_INTEGER}` : "at least 1";
    return fault("secret-reference", `expected an integer of ${bound}`, "version");
  }
  if (ledger === undefined)
    return fault("secret-version", "a version needs a ledger; set ledger in evenkeel.yaml", "version");
  return { secret: String(secret), version: Number(version) };
}

function secretLiteral(
  location: ManifestLocation,
  value: unknown,
  { allowPlaintextSecrets }: Pick<SecretRules, "allowPlaintextSecrets">,
  flag: string | undefined,
): SecretReference | Problem {
  if (!allowPlaintextSecrets) {
    const message = `${location.path.at(-1)} is a secret${flag === undefined ? "" : ` while ${flag} is true`}: use a reference such as { secret: env:NAME }`;
    return problemAt("plaintext-secret", message, location);
  }
  if (typeof value !== "string")
    return problemAt("parameter-type", `expected a string, got ${typeWord(value)}`, location);
  const { file, line, column } = location.document.place(location.path);
  return { secret: `manifest:${file}:${line}:${column}` };
}

interface SecretRules {
  readonly ledger: string | undefined;
  readonly allowPlaintextSecrets: boolean;
}

/** The fields of a resource with their secrets as references. */
export interface ResourceReading {
  readonly fields: Readonly<Record<string, Value>>;
  readonly problems: Problem[];
  readonly plaintext: (readonly [reference: string, literal: string])[];
  /** Top-level fields with problems, in which a reference without a name is in place of a faulty value. */
  readonly broken: Set<string>;
}

export function readSecrets(written: WrittenResource, rules: SecretRules): ResourceReading {
  const { parameters, document, entry } = written;
  const into = { problems: [] as Problem[], plaintext: [] as [string, string][], broken: new Set<string>() };
  const fail = (path: Path, problem: Problem): Value => {
    into.problems.push(problem);
    into.broken.add(String(path[0]));
    return { secret: "" };
  };
  const readSecret = (field: FieldSchema, value: unknown, path: Path, flag: string | undefined): Value => {
    const at = { document, path: pathIn(written, path) };
    const read = isObject(value)
      ? secretReference(at, value, typesOf(field).includes("string"), rules.ledger)
      : secretLiteral(at, value, rules, flag);
    if ("rule" in read) return fail(path, read);
    if (typeof value === "string") into.plaintext.push([read.secret, value]);
    return read;
  };
  const read = (field: FieldSchema = {}, value: unknown, path: Path, beside: JsonObject): Value => {
    const mayRefer = field.writeOnly || (entry && isObject(value));
    const flag = secretFlag(field, beside);
    const isLiteral = field["x-returned"] === true && !isObject(value) && flag === undefined;
    // A mapping that is not a reference has the wrong type, which the schema reports.
    const isShapeless = isObject(value) && !Object.hasOwn(value, "secret");
    if (mayRefer && !isShapeless && !isLiteral) return readSecret(field, value, path, flag);
    if (Array.isArray(value)) return value.map((each, index) => read(field.items, each, [...path, index], {})) as Value;
    if (!isObject(value)) return value as Value;
    if (isStray(field, value)) {
      const message = `only a secret can be a reference, and ${path.at(-1)} is none`;
      return fail(path, problemAt("secret-reference", message, { document, path: pathIn(written, path) }));
    }
    return objectOf(Object.keys(value), (name) => {
      return read(propertyOf(field, name), value[name], [...path, name], value);
    }) as Value;
  };
  const { properties } = written.fields;
  const fields = objectOf(Object.keys(parameters), (name) => {
    return read(properties[name], parameters[name], [name], parameters);
  });
  return { fields, ...into };
}

function secretFlag({ "x-secret-with": flags = [] }: FieldSchema, beside: JsonObject): string | undefined {
  return flags.find((flag) => beside[flag] === true);
}

/** Literals that only other values, unknown when they were read, make secret. */
export function plaintextProblems(written: WrittenResource, fields: Fields): readonly Problem[] {
  return Object.entries(written.fields.properties).flatMap(([name, field]) => {
    const flag = typeof fields[name] === "string" ? secretFlag(field, fields) : undefined;
    if (flag === undefined) return [];
    const at = { document: written.document, path: pathIn(written, [name]) };
    const read = secretLiteral(at, fields[name], { allowPlaintextSecrets: false }, flag);
    return "rule" in read ? [read] : [];
  });
}

/** True if a reference is in a place without a mapping, or in one without that key. */
function isStray(field: FieldSchema, value: JsonObject): boolean {
  const isMapping = field.properties !== undefined || field.additionalProperties !== undefined;
  return !isMapping && typeof value.secret === "string" && !typesOf(field).includes("object");
}

/** Built-in sources of secrets; no provider may have one of these names. */
export const builtInSchemes = ["env", "file", "manifest"] as const;

/** Splits `vault:payments/hook` into `vault` and `payments/hook`; the scheme is empty if there is none. */
export function schemeOf(reference: string): { readonly scheme: string; readonly name: string } {
  const colon = Math.max(reference.indexOf(":"), 0);
  return { scheme: reference.slice(0, colon), name: reference.slice(colon + 1) };
}

export function isProvided(reference: string): boolean {
  const { scheme } = schemeOf(reference);
  return scheme !== "" && !builtInSchemes.some((each) => each === scheme);
}
