import { pluralOwner } from "../model/owner.ts";
import { type FieldSchema, keyFieldsOf, ownersOf, type ResourceKind } from "../model/resource-kind.ts";
import { isScalar } from "../model/values.ts";

export function formatOwner(kind: ResourceKind): string {
  const owners = ownersOf(kind);
  return owners.includes("project") && owners.length === 1 ? "" : ` of ${owners.map(pluralOwner).join(" and ")}`;
}

export function kindLimits({ needs = {}, removed, calls, replace }: ResourceKind): readonly string[] {
  const { role, tier, release } = needs;
  return [
    ...(role ? [`Writing requires the role ${role}.`] : []),
    ...(tier && tier !== "free" ? [`Tier ${tier}.`] : []),
    ...(release ? [`From release ${release} on.`] : []),
    ...(removed ? [`Removed in ${removed.release}: ${removed.instead}.`] : []),
    ...(calls.create ? [] : ["It can be changed, but neither created nor deleted."]),
    ...(calls.create && !calls.delete ? ["It can be created and changed, but not deleted."] : []),
    ...(replace ? ["If the server cannot make a change, the resource is deleted and created again."] : []),
  ];
}

/** The smallest valid declaration, as lines of YAML. */
export function kindExample(kind: ResourceKind): readonly string[] {
  const { name, only, fields } = kind;
  const keys = keyFieldsOf(kind);
  const required = (fields.required ?? []).filter((field) => !keys.includes(field));
  const optional = Object.keys(fields.properties).filter((each) => !keys.includes(each));
  const isSimple = (field: string) => {
    const { writeOnly, "x-introduced": introduced } = fields.properties[field] ?? {};
    return !writeOnly && !introduced;
  };
  const shown = required.length > 0 ? required : [...optional.filter(isSimple), ...optional];
  const values = shown.slice(0, Math.max(required.length, 1)).map((field) => {
    return `${field}: ${sample(fields.properties[field] ?? {}, field, kind.singular)}`;
  });
  if (keys.length === 0) return [`${name}: { ${values.join(", ")} }`];
  const key = keys.map((field) => keySample(fields.properties[field] ?? {}, field)).join("@");
  const value = only ? sample(fields.properties[only] ?? {}, only, kind.singular) : `{ ${values.join(", ")} }`;
  const lines = [`${name}:`, `  ${JSON.stringify(key)}: ${value}`];
  return kind.under === undefined ? lines : [`${kind.under}:`, ...lines.map((line) => `  ${line}`)];
}

function keySample(field: FieldSchema, name: string): string {
  return field["x-url"] ? "https://example.com" : String(field.default ?? name.toUpperCase());
}

/** `[{ access_level: maintainer }, { user: ada }]`; undefined for anything but a list of mappings. */
export function listForm({ items }: FieldSchema, field: string): string | undefined {
  if (!items?.properties) return undefined;
  const { properties, required = [], maxProperties } = items;
  const pair = (name: string) => `${name}: ${examples[name] ?? sample(properties[name] ?? {}, name, field)}`;
  const names = Object.keys(properties);
  const forms = maxProperties === 1 ? names.map(pair) : [(required.length > 0 ? required : names).map(pair).join(", ")];
  return `[${forms.map((form) => `{ ${form} }`).join(", ")}]`;
}

const examples: Readonly<Record<string, string>> = { user: "ada", group: "payments", deploy_key_id: "42" };

export function sample(field: FieldSchema, name: string, owner: string): string {
  const { writeOnly, enum: allowed, "x-words": words = {}, "x-url": isUrl, minimum = 0, pattern = "" } = field;
  if (writeOnly && !field["x-returned"])
    return `{ secret: env:${`${owner}_${name}`.toUpperCase().replaceAll("-", "_")} }`;
  const [word, value] = Object.entries(words)[0] ?? [];
  if (word !== undefined && typeof value === "number") return word;
  if (allowed) return String(allowed[0]);
  if (isUrl) return pattern.startsWith(":") ? `https://example.com/${pattern}` : "https://example.com";
  const [type = "string"] = [field.type ?? []].flat();
  const text = pattern.startsWith("^#")
    ? '"#d9534f"'
    : pattern.startsWith("^(ssh-")
      ? "ssh-ed25519 AAAA…"
      : `<${name.replaceAll("_", " ")}>`;
  const samples: Readonly<Record<string, string>> = {
    boolean: "true",
    integer: String(minimum),
    number: "1",
    string: text,
  };
  return samples[type] ?? (type === "array" ? "[…]" : "{ … }");
}

/** Formats a literal value or name, for example as code. */
type Mark = (text: string) => string;

export const unmarked: Mark = (text) => text;

/** The values that a field takes and its default: `developer, maintainer; default maintainer`. */
export function fieldValues(field: FieldSchema, mark: Mark): string {
  const { enum: allowed, items, properties, "x-words": words = {}, "x-usual": usually = null } = field;
  const named = Object.entries(words).filter(([, value]) => typeof value === "number");
  const spelled = new Map(named.map(([word, value]) => [String(value), word]));
  const shown = (value: unknown) =>
    spelled.get(String(value)) ?? mark(typeof value === "string" && value !== "" ? value : JSON.stringify(value));
  const filledIn = [
    ...("default" in field ? [`default ${shown(field.default)}`] : []),
    ...(isScalar(usually) && usually !== null ? [`new ones usually have ${shown(usually)}`] : []),
  ];
  if (allowed) return [allowed.map(shown).join(", "), ...filledIn].join("; ");
  const types = [field.type ?? []].flat().filter((type) => type !== "null");
  const spellings = named.length > 0 ? [`${named.map(([word]) => mark(word)).join(", ")}, or `] : [];
  const of = items ? ` of ${items.properties ? formatNames(items.properties, mark) : fieldValues(items, mark)}` : "";
  const inside = properties ? `: ${formatNames(properties, mark)}` : "";
  return [`${spellings}${types.map((type) => typeWords[type] ?? type).join(" or ")}${of}${inside}`, ...filledIn].join(
    "; ",
  );
}
const typeWords: Readonly<Record<string, string>> = { array: "list", object: "mapping", string: "text" };

function formatNames(properties: Readonly<Record<string, FieldSchema>>, mark: Mark): string {
  return Object.keys(properties).map(mark).join(", ");
}

/** Short notes on a field: `required`, `secret`, `from 15.6`. */
export function fieldFacts(kind: ResourceKind, name: string): readonly string[] {
  const field = kind.fields.properties[name] ?? {};
  const isKey = keyFieldsOf(kind).includes(name);
  return [
    ...(isKey ? ["key"] : []),
    ...(kind.fields.required?.includes(name) ? ["required"] : []),
    ...(field.writeOnly ? [field["x-returned"] ? "or a secret" : "secret"] : []),
    ...(field["x-set"] ? ["in any order"] : []),
    ...(field["x-immutable"] && !isKey
      ? [`${field["x-immutable"] === true ? "" : "on some servers "}only at creation`]
      : []),
    ...(field["x-tier"] ? [field["x-tier"]] : []),
    ...(field["x-introduced"] ? [`from ${field["x-introduced"]}`] : []),
    ...(field["x-removed"] ? [`until ${field["x-removed"]}`] : []),
    ...(field.deprecationMessage ? [`deprecated: ${field.deprecationMessage}`] : []),
  ];
}
