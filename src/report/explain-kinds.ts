import { didYouMean } from "../base/nearest.ts";
import { paragraphs } from "../base/text-format.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { type FieldSchema, keyFieldsOf, ownersOf, type ResourceKind } from "../model/resource-kind.ts";
import { isScalar } from "../model/values.ts";
import { columns, factLines, type Palette } from "./terminal.ts";

/** An error message for a selection that is not in the catalogue, with the nearest name. */
export interface Unexplained {
  readonly unknown: string;
}

/** A kind as `explain --report json` gives it (docs/running.md). */
export interface ExplainedKind {
  readonly section: string;
  /** The singular, as in addresses. */
  readonly kind: string;
  readonly of: readonly string[];
  /** Key fields; empty for a singleton. */
  readonly key: readonly string[];
  readonly tier: string;
  readonly role: string | null;
  readonly introduced: string | null;
  readonly removed: string | null;
  readonly fields: readonly ExplainedField[];
}

interface ExplainedField {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly secret: boolean;
  readonly immutable: boolean;
  readonly default: unknown;
  readonly enum: readonly unknown[] | null;
}

/** Kinds in the order of the catalogue. A kind of both projects and groups is listed once. */
export function kindFiles({ kinds }: Catalogue): readonly ResourceKind[] {
  return [...new Set([...kinds.values()].flatMap(({ file }) => file ?? []))];
}

export function kindListText(catalogue: Catalogue, palette: Palette): string {
  const rows = kindFiles(catalogue).map((kind) => {
    const { name, singular, title = "", needs: { tier = "free", release } = {}, removed } = kind;
    const available = [release ? `from ${release}` : "", removed ? `before ${removed.release}` : ""].filter(Boolean);
    return [name, singular, ownersOf(kind).join(", "), keyFieldsOf(kind).join("@"), tier, available.join(", "), title];
  });
  return columns(["section", "kind", "of", "key", "tier", "available", "title"], rows, palette);
}

interface SelectedKind {
  readonly kind: ResourceKind;
  readonly field: string | undefined;
}

/** Resolves `SECTION`, `KIND`, `SECTION.FIELD` or `KIND.FIELD`; empty if no kind has that name. */
export function resolveKinds(catalogue: Catalogue, selection: string): readonly SelectedKind[] | Unexplained {
  const dot = selection.indexOf(".");
  const [word, field] = dot < 0 ? [selection, undefined] : [selection.slice(0, dot), selection.slice(dot + 1)];
  const kinds = kindFiles(catalogue).filter(({ name, singular }) => name === word || singular === word);
  if (field === undefined || kinds.length === 0) return kinds.map((kind) => ({ kind, field }));
  const matches = kinds.filter(({ fields }) => Object.hasOwn(fields.properties, field));
  if (matches.length > 0) return matches.map((kind) => ({ kind, field }));
  const names = kinds.flatMap(({ fields }) => Object.keys(fields.properties));
  return { unknown: `${word} has no field ${JSON.stringify(field)}${didYouMean(field, names)}` };
}

export function kindsText(selected: readonly SelectedKind[], palette: Palette): string {
  return selected.map((each) => (each.field === undefined ? kindText : fieldText)(each, palette)).join("\n\n");
}

function kindText({ kind }: SelectedKind, palette: Palette): string {
  const { name, title = "", description, notes = [] } = kind;
  const rows = Object.entries(kind.fields.properties).map(([field, schema]) => [
    field,
    fieldValues(schema, unmarked),
    fieldFacts(kind, field).join(", "),
  ]);
  return paragraphs([
    paragraph(`${palette.strong(name)}  ${title}${formatOwner(kind)}`.trimEnd(), description),
    kindLimits(kind).join(" "),
    columns(["field", "takes", "notes"], rows, palette),
    notes.map((note) => `- ${note}`).join("\n"),
    `${palette.faint("In a policy:")}\n\n${kindExample(kind).join("\n")}`,
  ]);
}

/** A heading with an optional text: kinds of a workspace may lack a description. */
function paragraph(heading: string, text: string | undefined): string {
  return text ? `${heading}\n${text}` : heading;
}

const unmarked = (text: string) => text;

/** The owners, unless only projects have the kind. */
export function formatOwner(kind: ResourceKind): string {
  const owners = ownersOf(kind);
  return owners.includes("project") && owners.length === 1 ? "" : ` of ${owners.map((of) => `${of}s`).join(" and ")}`;
}

function fieldText({ kind, field = "" }: SelectedKind, palette: Palette): string {
  const schema = kind.fields.properties[field] ?? {};
  const facts = [
    ["takes", fieldValues(schema, unmarked)],
    ["notes", fieldFacts(kind, field).join(", ")],
  ] as const;
  const heading = `${palette.strong(`${kind.name}.${field}`)}${formatOwner(kind)}`;
  return paragraphs([paragraph(heading, fieldPurpose(schema)), factLines(facts, palette)]);
}

/** The document of `explain --report json` for kinds. */
export function kindsJson(selected: readonly SelectedKind[]): readonly ExplainedKind[] {
  return selected.map(({ kind, field }) => {
    const { name, singular, needs = {}, removed, fields } = kind;
    const named = Object.entries(fields.properties).filter(([each]) => field === undefined || each === field);
    return {
      section: name,
      kind: singular,
      of: ownersOf(kind),
      key: keyFieldsOf(kind),
      tier: needs.tier ?? "free",
      role: needs.role ?? null,
      introduced: needs.release ?? null,
      removed: removed?.release ?? null,
      fields: named.map(([each, schema]) => fieldJson(kind, each, schema)),
    };
  });
}

function fieldJson({ fields }: ResourceKind, name: string, schema: FieldSchema): ExplainedField {
  return {
    name,
    type: [schema.type ?? []].flat().join("|"),
    required: fields.required?.includes(name) ?? false,
    secret: schema.writeOnly ?? false,
    immutable: schema["x-immutable"] ?? false,
    default: schema.default ?? null,
    enum: schema.enum ?? null,
  };
}

/** Sentences about role, tier, releases and missing operations. */
export function kindLimits({ needs = {}, removed, calls, replace }: ResourceKind): readonly string[] {
  const { role, tier, release } = needs;
  return [
    ...(role ? [`Writing needs the role ${role}.`] : []),
    ...(tier && tier !== "free" ? [`Tier ${tier}.`] : []),
    ...(release ? [`From ${release}.`] : []),
    ...(removed ? [`Removed in ${removed.release}: ${removed.instead}.`] : []),
    ...(calls.create ? [] : ["It can be changed, but neither created nor deleted."]),
    ...(calls.create && !calls.delete ? ["It can be created and changed, but not deleted."] : []),
    ...(replace ? ["A change that the server cannot make is a replacement."] : []),
  ];
}

/** The smallest valid declaration, as lines of YAML. */
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
  if (writeOnly && !field["x-returned"]) return "{ secret: env:SECRET }";
  const [word, value] = Object.entries(words ?? {})[0] ?? [];
  if (word !== undefined && typeof value === "number") return word;
  if (allowed) return String(allowed[0]);
  const [type = "string"] = [field.type ?? []].flat();
  const text = pattern.startsWith("^#") ? '"#d9534f"' : pattern.startsWith("^(ssh-") ? "ssh-ed25519 AAAA…" : "…";
  const samples: Readonly<Record<string, string>> = { boolean: "true", integer: String(minimum), string: text };
  return samples[type] ?? (type === "array" ? "[…]" : "{ … }");
}

/** Formats a literal value or name, for example as code. */
type Mark = (text: string) => string;

/** The values that a field takes and its default: `developer, maintainer; default maintainer`. */
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

function shownValue(value: unknown, mark: Mark): string {
  if (value === "") return "none";
  return mark(typeof value === "string" ? value : JSON.stringify(value));
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
    ...(field["x-immutable"] && !isKey ? ["only at creation"] : []),
    ...(field["x-tier"] ? [field["x-tier"]] : []),
    ...(field["x-introduced"] ? [`from ${field["x-introduced"]}`] : []),
    ...(field["x-removed"] ? [`until ${field["x-removed"]}`] : []),
  ];
}

/** The description, with a deprecation if there is one. */
export function fieldPurpose({ description = "", deprecationMessage }: FieldSchema): string {
  return deprecationMessage ? `${description} Deprecated: ${deprecationMessage}.` : description;
}
