import {
  type Catalogue,
  catalogueOf,
  hasActiveParameter,
  type Integration,
  type IntegrationParameter,
  type ObservedQuirk,
  type ParameterType,
} from "../model/catalogue.ts";
import { expectationOf } from "../model/parameter-check.ts";
import { selectIn, type Unexplained } from "./explain-json.ts";
import { columns, factLines, type Palette, plain } from "./terminal.ts";

/** The catalogue for people: a table of integrations, one integration with an example to copy, or one parameter in full. */
export function explainText(
  selection?: string,
  palette: Palette = plain,
  catalogue: Catalogue = catalogueOf(),
): string | Unexplained {
  if (selection === undefined) return listText(catalogue, palette);
  const selected = selectIn(catalogue, selection);
  if ("unknown" in selected) return selected;
  const { integration, parameter } = selected;
  return parameter ? parameterText(integration, parameter, palette) : integrationText(integration, palette);
}

function listText({ integrations }: Catalogue, palette: Palette): string {
  const rows = [...integrations.values()].map((each) => [each.slug, each.title, each.tier, limits(each).join(", ")]);
  const table = columns(["slug", "title", "tier", "available"], rows, palette);
  return `${table}\n\nOther kinds of resources: evenkeel explain --kinds`;
}

function limits({ introduced, removed, environment }: Integration): string[] {
  return [
    introduced ? `from release ${introduced} on` : "",
    removed ? `before release ${removed}` : "",
    environment ? `in environment ${environment} only` : "",
  ].filter(Boolean);
}

function integrationText(integration: Integration, palette: Palette): string {
  const { slug, title, description, tier } = integration;
  const rows = [...integration.parameters.values()].map(parameterRow);
  return [
    `${palette.strong(slug)}  ${title}\n${description}`,
    `Available: ${[`tier ${tier}`, ...limits(integration)].join(", ")}`,
    columns(["parameter", "type", "required", "default", "notes"], rows, palette),
    `${palette.faint("In a policy:")}\n\n${snippet(integration)}`,
  ].join("\n\n");
}

function parameterRow(parameter: IntegrationParameter): string[] {
  const { name, types } = parameter;
  return [name, types.join("|"), requiredText(parameter), defaultText(parameter), notes(parameter).join("; ")];
}

function requiredText({ isRequired, optionalFrom }: IntegrationParameter): string {
  if (!isRequired) return "no";
  return optionalFrom === undefined ? "yes" : `before release ${optionalFrom}`;
}

function defaultText({ default: value }: IntegrationParameter): string {
  if (value === undefined) return "";
  return value === "" ? '""' : String(value);
}

function notes(parameter: IntegrationParameter): string[] {
  const values = parameter.enum || parameter.pattern ? [expectationOf(parameter)] : [];
  return [...(parameter.secret ? ["secret"] : []), ...values, ...otherNotes({ ...parameter, secret: false })];
}

function otherNotes(parameter: IntegrationParameter): string[] {
  const { secret, list, introduced, removed, deprecated, deprecationMessage } = parameter;
  return [
    secret ? "secret" : "",
    list ? `a ${list}-separated list` : "",
    introduced ? `from release ${introduced} on` : "",
    removed ? `before release ${removed}` : "",
    deprecated ? `deprecated: ${deprecationMessage ?? "deprecated"}` : "",
  ].filter(Boolean);
}

const quirks: Readonly<Record<ObservedQuirk, string>> = {
  hidden: "stored, never returned",
  dropped: "accepted, not stored",
  slash: "a trailing slash is stripped",
  trimmed: "leading and trailing white space is stripped",
  required: "some servers refuse a write without it",
};

function parameterText({ slug }: Integration, parameter: IntegrationParameter, palette: Palette): string {
  const { name, description, level } = parameter;
  const facts = [
    ["takes", expectationOf(parameter)],
    ["required", requiredText(parameter)],
    ["default", defaultText(parameter)],
    ["notes", otherNotes(parameter).join("; ")],
    ["read", level === "top" ? "at the top level of a response" : "under properties in a response"],
    ["some servers", quirkWords(parameter).join("; ")],
  ] as const;
  return `${palette.strong(`${slug}.${name}`)}\n${description}\n\n${factLines(facts, palette)}`;
}

/** How servers treat the parameter, and in which releases if that is known. */
function quirkWords({ observed, quirks: spans }: IntegrationParameter): readonly string[] {
  const always = [...observed].filter((quirk) => spans.every(({ says }) => says !== quirk));
  return [
    ...always.map((quirk) => quirks[quirk]),
    ...spans.map(({ says, from, until }) => {
      const releases = [from && ` from release ${from} on`, until && ` before release ${until}`];
      return quirks[says] + releases.filter(Boolean).join(",");
    }),
  ];
}

function snippet(integration: Integration): string {
  const { slug, parameters } = integration;
  const required = [...parameters.values()].filter(({ isRequired }) => isRequired);
  const lines = required.map((parameter) => `    ${parameter.name}: ${placeholder(slug, parameter)}`);
  const on = hasActiveParameter(integration) ? ["    active: true"] : [];
  return ["integrations:", `  ${slug}:`, ...lines, ...on].join("\n");
}

const placeholders: Readonly<Record<ParameterType, (name: string) => string>> = {
  string: (name) => `<${name.replaceAll("_", " ")}>`,
  boolean: () => "true",
  integer: () => "1",
  number: () => "1",
  array: () => "[]",
  object: () => "{}",
};

function placeholder(
  slug: string,
  { name, types, secret, "x-url": url, pattern, enum: allowed }: IntegrationParameter,
): string {
  if (secret) return `{ secret: env:${`${slug}_${name}`.toUpperCase().replaceAll("-", "_")} }`;
  if (url) return pattern ? `https://example.com/${pattern}` : "https://example.com";
  return allowed?.[0] ?? placeholders[types[0] ?? "string"](name);
}
