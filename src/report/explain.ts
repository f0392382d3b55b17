import { didYouMean } from "../base/nearest.ts";
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
import type { Environment, Scalar, Tier } from "../model/types.ts";
import type { Unexplained } from "./explain-kinds.ts";
import { columns, factLines, type Palette, plain } from "./terminal.ts";

/** The catalogue for people: a table of integrations, one integration with an example, or one parameter. */
export function explainText(
  selection?: string,
  palette: Palette = plain,
  catalogue: Catalogue = catalogueOf(),
): string | Unexplained {
  if (selection === undefined) return listText(catalogue, palette);
  const selected = resolveSelection(catalogue, selection);
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
    ["some servers", describeQuirks(parameter).join("; ")],
  ] as const;
  return `${palette.strong(`${slug}.${name}`)}\n${description}\n\n${factLines(facts, palette)}`;
}

/** Known deviations of servers, with the releases that have them. */
function describeQuirks({ observed, quirks: spans }: IntegrationParameter): readonly string[] {
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

/** One integration as `explain --report json` gives it (docs/running.md). Null if the specification does not define it. */
export interface ExplainedIntegration {
  readonly slug: string;
  readonly tier: Tier;
  readonly introduced: string | null;
  readonly removed: string | null;
  readonly environment: Environment | null;
  readonly parameters: readonly ExplainedParameter[];
}

interface ExplainedParameter {
  readonly name: string;
  /** `string`, `boolean` or `integer`; two of them joined by `|` where the specification lists one and describes another. */
  readonly type: string;
  readonly required: boolean;
  readonly enum: readonly string[] | null;
  readonly default: Scalar;
  readonly deprecated: boolean;
  readonly secret: boolean;
}

/**
 * The catalogue for scripts: all of it, one integration (`SLUG`), or one parameter (`SLUG.PARAM`), in the order of the
 * specification.
 */
export function explainJson(
  selection?: string,
  catalogue: Catalogue = catalogueOf(),
): readonly ExplainedIntegration[] | Unexplained {
  if (selection === undefined) return [...catalogue.integrations.values()].map((each) => integrationJson(each));
  const selected = resolveSelection(catalogue, selection);
  if ("unknown" in selected) return selected;
  const { integration, parameter } = selected;
  return [integrationJson(integration, parameter ? [parameter] : undefined)];
}

interface Selected {
  readonly integration: Integration;
  readonly parameter: IntegrationParameter | undefined;
}

/** Resolves `SLUG` or `SLUG.PARAM`. */
function resolveSelection({ integrations, kinds, foreignNames }: Catalogue, selection: string): Selected | Unexplained {
  const dot = selection.indexOf(".");
  const slug = dot < 0 ? selection : selection.slice(0, dot);
  const integration = integrations.get(slug);
  if (!integration) {
    const sections = [...kinds.values()].flatMap(({ file }) => (file ? [file.name, file.singular] : []));
    const what = `there is no integration or kind ${JSON.stringify(slug)}`;
    const suggestion = suggestNearest(what, slug, [...integrations.keys(), ...sections], foreignNames);
    return suggestion.unknown === what ? { unknown: `${what}; ${lists}` } : suggestion;
  }
  if (dot < 0) return { integration, parameter: undefined };
  const name = selection.slice(dot + 1);
  const parameter = integration.parameters.get(name);
  if (parameter) return { integration, parameter };
  const why = integration.undeclared.get(name);
  if (why !== undefined) return { unknown: `${slug} has no parameter ${JSON.stringify(name)} here: ${why}` };
  return suggestNearest(
    `${slug} has no parameter ${JSON.stringify(name)}`,
    name,
    integration.parameters.keys(),
    integration.foreignNames,
  );
}

const lists = "evenkeel explain lists the integrations, evenkeel explain --kinds the kinds";

function suggestNearest(
  sentence: string,
  word: string,
  names: Iterable<string>,
  foreignNames: Catalogue["foreignNames"],
): Unexplained {
  const other = foreignNames.get(word);
  if (other) return { unknown: `${sentence}: that is a name of dialect ${other.dialect}; here it is ${other.name}` };
  return { unknown: `${sentence}${didYouMean(word, names)}` };
}

function integrationJson(
  integration: Integration,
  parameters: Iterable<IntegrationParameter> = integration.parameters.values(),
): ExplainedIntegration {
  return {
    slug: integration.slug,
    tier: integration.tier,
    introduced: integration.introduced ?? null,
    removed: integration.removed ?? null,
    environment: integration.environment ?? null,
    parameters: [...parameters].map(parameterJson),
  };
}

function parameterJson(parameter: IntegrationParameter): ExplainedParameter {
  return {
    name: parameter.name,
    type: parameter.types.join("|"),
    required: parameter.isRequired,
    enum: parameter.enum ?? null,
    default: parameter.default ?? null,
    deprecated: parameter.deprecated ?? false,
    secret: parameter.secret,
  };
}
