import { type FieldSchema, keyFieldsOf, type ResourceKind } from "../model/resource-kind.ts";
import { isScalar } from "../model/values.ts";

/** Sentences on who may write resources of a kind, where it exists, and what cannot be done with it. */
export function kindLimits({ needs = {}, removed, calls, replace }: ResourceKind): readonly string[] {
  const { role, tier, release } = needs;
  return [
    ...(role ? [`Writing needs the role ${role}.`] : []),
    ...(tier && tier !== "free" ? [`Tier ${tier}.`] : []),
    ...(release ? [`From ${release}.`] : []),
    ...(removed ? [`Removed in ${removed.release}: ${removed.instead}.`] : []),
    ...(calls.create ? [] : ["It can be changed, but neither created nor deleted."]),
    ...(replace ? ["A change that the server cannot make is a replacement."] : []),
  ];
}

/** What a policy says at least, as lines of YAML. */
export function kindExample(kind: ResourceKind): readonly string[] {
  const { name, only, fields } = kind;
  const keys = keyFieldsOf(kind);
  const required = (fields.required ?? []).filter((field) => !keys.includes(field));
  const shown = required.length > 0 ? required : Object.keys(fields.properties).filter((each) => !keys.includes(each));
  const values = shown.slice(0, Math.max(required.length, 1)).map((field) => {
    return `${field}: ${sample(fields.properties[field] ?? {})}`;
  });
  if (keys.length === 0) return [`${name}: { ${values.join(", ")} }`];
  const key = keys.map((field) => keySample(fields.properties[field] ?? {}, field)).join("@");
  const value = only ? sample(fields.properties[only] ?? {}) : `{ ${values.join(", ")} }`;
  return [`${name}:`, `  ${JSON.stringify(key)}: ${value}`];
}

function keySample(field: FieldSchema, name: string): string {
  return field["x-url"] ? "https://example.com" : String(field.default ?? name.toUpperCase());
}

function sample(field: FieldSchema): string {
  const { writeOnly, enum: allowed, "x-words": words, minimum = 0, pattern = "" } = field;
  if (writeOnly) return "{ secret: env:SECRET }";
  const [word, value] = Object.entries(words ?? {})[0] ?? [];
  if (word !== undefined && typeof value === "number") return word;
  if (allowed) return String(allowed[0]);
  const [type = "string"] = [field.type ?? []].flat();
  const text = pattern.startsWith("^#") ? '"#d9534f"' : pattern.startsWith("^(ssh-") ? "ssh-ed25519 AAAA…" : "…";
  const samples: Readonly<Record<string, string>> = { boolean: "true", integer: String(minimum), string: text };
  return samples[type] ?? (type === "array" ? "[…]" : "{ … }");
}

/** How a report sets a value or a name that people may write. */
type Mark = (text: string) => string;

/** What a field takes, and what it is if nobody sets it: `developer, maintainer; default maintainer`. */
export function fieldValues(field: FieldSchema, mark: Mark): string {
  const { enum: allowed, items, properties, "x-words": words = {}, "x-usual": usually = null } = field;
  const named = Object.entries(words).filter(([, value]) => typeof value === "number");
  const spelled = new Map(named.map(([word, value]) => [String(value), word]));
  const shown = (value: unknown) => spelled.get(String(value)) ?? shownValue(value, mark);
  const filledIn = [
    ...("default" in field ? [`default ${shown(field.default)}`] : []),
    ...(isScalar(usually) && usually !== null ? [`usually ${shown(usually)}`] : []),
  ];
  if (allowed) return [allowed.map(shown).join(", "), ...filledIn].join("; ");
  const types = [field.type ?? []].flat().filter((type) => type !== "null");
  const spellings = named.length > 0 ? [`${named.map(([word]) => mark(word)).join(", ")}, or `] : [];
  const of = items ? ` of ${items.properties ? namesOf(items.properties, mark) : fieldValues(items, mark)}` : "";
  const inside = properties ? `: ${namesOf(properties, mark)}` : "";
  return [`${spellings}${types.map((type) => typeWords[type] ?? type).join(" or ")}${of}${inside}`, ...filledIn].join(
    "; ",
  );
}

const typeWords: Readonly<Record<string, string>> = { array: "list", object: "mapping", string: "text" };

function namesOf(properties: Readonly<Record<string, FieldSchema>>, mark: Mark): string {
  return Object.keys(properties).map(mark).join(", ");
}

function shownValue(value: unknown, mark: Mark): string {
  if (value === "") return "none";
  return mark(typeof value === "string" ? value : JSON.stringify(value));
}

/** What else is to be known of a field, in a few words: `required`, `secret`, `from 15.6`. */
export function fieldFacts(kind: ResourceKind, name: string): readonly string[] {
  const field = kind.fields.properties[name] ?? {};
  const isKey = keyFieldsOf(kind).includes(name);
  return [
    ...(isKey ? ["key"] : []),
    ...(kind.fields.required?.includes(name) ? ["required"] : []),
    ...(field.writeOnly ? ["secret"] : []),
    ...(field["x-set"] ? ["in any order"] : []),
    ...(field["x-immutable"] && !isKey ? ["only at creation"] : []),
    ...(field["x-tier"] ? [field["x-tier"]] : []),
    ...(field["x-introduced"] ? [`from ${field["x-introduced"]}`] : []),
    ...(field["x-removed"] ? [`until ${field["x-removed"]}`] : []),
  ];
}

/** What a field is for. */
export function fieldPurpose({ description = "", deprecationMessage }: FieldSchema): string {
  return deprecationMessage ? `${description} Deprecated: ${deprecationMessage}.` : description;
}
