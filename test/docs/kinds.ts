import files from "../../src/model/kinds.json" with { type: "json" };
import { type FieldSchema, ownersOf, type ResourceKind } from "../../src/model/resource-kind.ts";
import { fieldFacts, fieldValues, formatOwner, kindExample, kindLimits } from "../../src/report/kind-words.ts";

// Integrations are listed by evenkeel explain.
const kinds = (files as unknown as readonly ResourceKind[]).filter((kind) => kind.keys === undefined);

/** docs/kinds-reference.md: the bundled kinds of resources, as their files have them. */
export function kindsPage(): string {
  const ofProjects = kinds.filter((kind) => ownersOf(kind).includes("project"));
  const ofGroups = kinds.filter((kind) => !ownersOf(kind).includes("project"));
  return `${[head, section("Of projects", ofProjects), section("Of groups", ofGroups)].join("\n\n")}\n`;
}

const head = `# Reference of the bundled kinds

Generated from \`schemas/kinds/\` by \`npm run docs\`. [Kinds of resources](kinds.md) explains how a kind works, and how to write your own.
\`evenkeel explain\` describes integrations. A release next to a field is the first one that has it.`;

function section(title: string, all: readonly ResourceKind[]): string {
  return [`## ${title}`, ...all.map(page)].join("\n\n");
}

function page(kind: ResourceKind): string {
  const { name, title = name, description = "", notes = [], fields } = kind;
  const rows = Object.entries(fields.properties).map(([field, schema]) => row(kind, field, schema));
  return [
    `### ${title}`,
    `\`${name}\`${formatOwner(kind)}. ${[description, ...kindLimits(kind)].join(" ")}`,
    ["```yaml", ...kindExample(kind), "```"].join("\n"),
    ["| field | values | | |", "|---|---|---|---|", ...rows].join("\n"),
    ...(notes.length > 0 ? [notes.map((note) => `- ${note}`).join("\n")] : []),
  ].join("\n\n");
}

function row(kind: ResourceKind, name: string, field: FieldSchema): string {
  const cells = [code(name), fieldValues(field, code), fieldFacts(kind, name).join(", "), field.description ?? ""];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

const code = (text: string) => `\`${text}\``;
