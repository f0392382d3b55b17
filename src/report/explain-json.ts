import { didYouMean } from "../base/nearest.ts";
import { type Catalogue, catalogueOf, type Integration, type IntegrationParameter } from "../model/catalogue.ts";
import type { Environment, Scalar, Tier } from "../model/types.ts";

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

/** An error message: the selection is not in the catalogue. It suggests the nearest name. */
export interface Unexplained {
  readonly unknown: string;
}

/**
 * The catalogue for scripts: all of it, one integration (`SLUG`), or one with a single parameter (`SLUG.PARAM`),
 * in the order of the specification.
 */
export function explainJson(
  selection?: string,
  catalogue: Catalogue = catalogueOf(),
): readonly ExplainedIntegration[] | Unexplained {
  if (selection === undefined) return [...catalogue.integrations.values()].map((each) => integrationJson(each));
  const selected = selectIn(catalogue, selection);
  if ("unknown" in selected) return selected;
  const { integration, parameter } = selected;
  return [integrationJson(integration, parameter ? [parameter] : undefined)];
}

interface Selected {
  readonly integration: Integration;
  readonly parameter: IntegrationParameter | undefined;
}

/** What `SLUG` or `SLUG.PARAM` names in the catalogue. */
export function selectIn({ integrations, kinds, foreignNames }: Catalogue, selection: string): Selected | Unexplained {
  const dot = selection.indexOf(".");
  const slug = dot < 0 ? selection : selection.slice(0, dot);
  const integration = integrations.get(slug);
  if (!integration) {
    const sections = [...kinds.values()].flatMap(({ file }) => (file ? [file.name, file.singular] : []));
    const what = `there is no integration or kind ${JSON.stringify(slug)}`;
    const found = unknown(what, slug, [...integrations.keys(), ...sections], foreignNames);
    return found.unknown === what ? { unknown: `${what}; ${lists}` } : found;
  }
  if (dot < 0) return { integration, parameter: undefined };
  const name = selection.slice(dot + 1);
  const parameter = integration.parameters.get(name);
  if (parameter) return { integration, parameter };
  const why = integration.undeclared.get(name);
  if (why !== undefined) return { unknown: `${slug} has no parameter ${JSON.stringify(name)} here: ${why}` };
  return unknown(
    `${slug} has no parameter ${JSON.stringify(name)}`,
    name,
    integration.parameters.keys(),
    integration.foreignNames,
  );
}

const lists = "evenkeel explain lists the integrations, evenkeel explain --kinds the kinds";

function unknown(
  sentence: string,
  word: string,
  known: Iterable<string>,
  foreignNames: Catalogue["foreignNames"],
): Unexplained {
  const other = foreignNames.get(word);
  if (other) return { unknown: `${sentence}: that is a name of dialect ${other.dialect}; here it is ${other.name}` };
  return { unknown: `${sentence}${didYouMean(word, known)}` };
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
