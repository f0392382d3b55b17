import { format } from "node:util";
import files from "../../src/model/kinds.json" with { type: "json" };
import { type FieldSchema, keyFieldsOf, ownersOf, type ResourceKind } from "../../src/model/resource-kind.ts";

const kinds = files as unknown as readonly ResourceKind[];

/** docs/kinds-reference.md: the bundled kinds of resources, as their files have them. */
export function kindsPage(): string {
  const ofProjects = kinds.filter((kind) => ownersOf(kind).includes("project"));
  const ofGroups = kinds.filter((kind) => !ownersOf(kind).includes("project"));
  return `${[head, section("Of projects", ofProjects), section("Of groups", ofGroups)].join("\n\n")}\n`;
}

const head = `# Reference of the bundled kinds

Generated from \`schemas/kinds/\` by \`npm run docs\`. [Kinds of resources](kinds.md) explains how a kind works, and how to write your own.
Integrations are described by \`evenkeel explain\`. Where a field has a release, servers have it from that release on.`;

function section(title: string, all: readonly ResourceKind[]): string {
  return [`## ${title}`, ...all.map(page)].join("\n\n");
}

function page(kind: ResourceKind): string {
  const { name, title = name, description = "", notes = [], fields } = kind;
  const owner = ownersOf(kind).includes("project") ? "" : " of groups";
  const rows = Object.entries(fields.properties).map(([field, schema]) => row(kind, field, schema));
  return [
    `### ${title}`,
    `\`${name}\`${owner}. ${description} ${needs(kind)}`,
    ["```yaml", ...example(kind), "```"].join("\n"),
    ["| field | values | | |", "|---|---|---|---|", ...rows].join("\n"),
    ...(notes.length > 0 ? [notes.map((note) => `- ${note}`).join("\n")] : []),
  ].join("\n\n");
}

function needs({ needs = {}, removed, calls, replace }: ResourceKind): string {
  const { role, tier, release } = needs;
  const parts = [
    ...(role ? [`Writing needs the role ${role}.`] : []),
    ...(tier && tier !== "free" ? [`Tier ${tier}.`] : []),
    ...(release ? [`From ${release}.`] : []),
    ...(removed ? [`Removed in ${removed.release}: ${removed.instead}.`] : []),
    ...(calls.create ? [] : ["It can be changed, but neither created nor deleted."]),
    ...(replace ? ["A change that the server cannot make is a replacement."] : []),
  ];
  return parts.join(" ");
}

/** What a policy says at least. */
function example(kind: ResourceKind): readonly string[] {
  const { name, only, fields } = kind;
  const keys = keyFieldsOf(kind);
  const required = (fields.required ?? []).filter((field) => !keys.includes(field));
  const shown = required.length > 0 ? required : Object.keys(fields.properties).filter((each) => !keys.includes(each));
  const values = shown.slice(0, Math.max(required.length, 1)).map((field) => {
    return `${field}: ${sample(fields.properties[field] ?? {})}`;
  });
  if (keys.length === 0) return [`${name}: { ${values.join(", ")} }`];
  const key = keys.map((field) => sample(fields.properties[field] ?? {}, field)).join("@");
  const value = only ? sample(fields.properties[only] ?? {}) : `{ ${values.join(", ")} }`;
  return [`${name}:`, `  ${JSON.stringify(key)}: ${value}`];
}

function sample(field: FieldSchema, name?: string): string {
  const { writeOnly, enum: allowed, "x-words": words, minimum = 0 } = field;
  if (name) return field["x-url"] ? "https://example.com" : String(field.default ?? name.toUpperCase());
  if (writeOnly) return "{ secret: env:SECRET }";
  const [word, value] = Object.entries(words ?? {})[0] ?? [];
  if (allowed) return String(typeof value === "number" ? word : allowed[0]);
  const [type = "string"] = [field.type ?? []].flat();
  const { pattern = "" } = field;
  const text = pattern.startsWith("^#") ? '"#d9534f"' : pattern.startsWith("^(ssh-") ? "ssh-ed25519 AAAA…" : "…";
  const samples: Readonly<Record<string, string>> = { boolean: "true", integer: String(minimum), string: text };
  return samples[type] ?? (type === "array" ? "[…]" : "{ … }");
}

function row(kind: ResourceKind, name: string, field: FieldSchema): string {
  const cells = [`\`${name}\``, values(field), facts(kind, name, field), describe(field)];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function values(field: FieldSchema): string {
  const { enum: allowed, items, properties, "x-words": words = {} } = field;
  const named = Object.entries(words).filter(([, value]) => typeof value === "number");
  const spelled = new Map(named.map(([word, value]) => [String(value), word]));
  const filledIn = "default" in field ? [`default ${plain(field.default, spelled)}`] : [];
  if (allowed) return [allowed.map((value) => plain(value, spelled)).join(", "), ...filledIn].join("; ");
  const types = [field.type ?? []].flat().filter((type) => type !== "null");
  const of = items ? ` of ${items.properties ? mapping(items.properties) : values(items)}` : "";
  const inside = properties ? `: ${mapping(properties)}` : "";
  return [`${types.map((type) => typeWords[type] ?? type).join(" or ")}${of}${inside}`, ...filledIn].join("; ");
}

const typeWords: Readonly<Record<string, string>> = { array: "list", object: "mapping", string: "text" };

function mapping(properties: Readonly<Record<string, FieldSchema>>): string {
  return Object.keys(properties)
    .map((each) => `\`${each}\``)
    .join(", ");
}

function plain(value: unknown, spelled: ReadonlyMap<string, string>): string {
  return spelled.get(String(value)) ?? (value === "" ? "none" : `\`${format("%s", value)}\``);
}

function facts(kind: ResourceKind, name: string, field: FieldSchema): string {
  const facts = [
    ...(keyFieldsOf(kind).includes(name) ? ["key"] : []),
    ...(kind.fields.required?.includes(name) ? ["required"] : []),
    ...(field.writeOnly ? ["secret"] : []),
    ...(field["x-set"] ? ["in any order"] : []),
    ...(field["x-immutable"] && !keyFieldsOf(kind).includes(name) ? ["only at creation"] : []),
    ...(field["x-tier"] ? [field["x-tier"]] : []),
    ...(field["x-introduced"] ? [`from ${field["x-introduced"]}`] : []),
    ...(field["x-removed"] ? [`until ${field["x-removed"]}`] : []),
  ];
  return facts.join(", ");
}

function describe({ description = "", deprecationMessage }: FieldSchema): string {
  return deprecationMessage ? `${description} Deprecated: ${deprecationMessage}.` : description;
}
