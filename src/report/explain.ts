import { didYouMean } from "../base/nearest.ts";
import { paragraphs } from "../base/text-format.ts";
import { type Catalogue, hasActiveParameter, type Integration, type IntegrationParameter } from "../model/catalogue.ts";
import { keyFieldsOf, ownersOf, type ResourceKind, sectionOf, writtenCall } from "../model/resource-kind.ts";
import {
  fieldFacts,
  fieldValues,
  formatOwner,
  kindExample,
  kindLimits,
  listForm,
  sample,
  unmarked,
} from "./kind-words.ts";
import { columns, factLines, type Palette } from "./terminal.ts";

export interface Explained {
  readonly text: (palette: Palette) => string;
  readonly json: readonly object[];
}

/** Explains all integrations, or `SLUG`, `SLUG.PARAMETER`, `KIND` or `KIND.FIELD`; a kind by its section, too. */
export function explain(catalogue: Catalogue, selection?: string): Explained | { readonly unknown: string } {
  const integrations = [...catalogue.integrations.values()];
  if (selection === undefined) {
    const json = integrations.map((each) => integrationJson(each));
    return { text: (palette) => integrationListText(integrations, palette), json };
  }
  const dot = selection.indexOf(".");
  const [name, field] = dot < 0 ? [selection, undefined] : [selection.slice(0, dot), selection.slice(dot + 1)];
  const topics = [...kindFiles(catalogue).map(kindTopic), ...integrations.map(integrationTopic)];
  const named = topics.filter((topic) => topic.name === name || topic.kind?.singular === name);
  const selected = field === undefined ? named : withField(named, field);
  if (selected.length > 0) return explained(selected, field);
  if (named[0] && field !== undefined) return { unknown: unknownField(named, name, field) };
  const word = field === undefined && name !== "" ? explainedWord(topics, name) : undefined;
  return word ?? { unknown: unknownName(catalogue, name) };
}

function withField(topics: readonly Topic[], field: string): readonly Topic[] {
  return topics.filter(({ fields }) => fields.some(({ name }) => name === field));
}

function explained(topics: readonly Topic[], field: string | undefined): Explained {
  return {
    text: (palette) => topics.map((topic) => topicText(topic, field, palette)).join("\n\n"),
    json: topics.map(({ json }) => json(field)),
  };
}

/** Explains the word of a field, of a request's path, or of a kind's name: one place in full, several as a list. */
function explainedWord(topics: readonly Topic[], word: string): Explained | undefined {
  const ofField = withField(topics, word);
  const field = ofField.length > 0 ? word : undefined;
  const called = topics.filter(({ kind }) =>
    Object.values(kind?.calls ?? {}).some((call) => writtenCall(call).path.split(/[/?]/).includes(word)),
  );
  const wordsOf = ({ name, title = "" }: ResourceKind) => `${name} ${title}`.toLowerCase().split(/[^a-z0-9]+/);
  const named = topics.filter(({ kind }) => kind && wordsOf(kind).includes(word.toLowerCase()));
  const places = [ofField, called, named].find(({ length }) => length > 0);
  if (!places) return undefined;
  const all = explained(places, field);
  if (new Set(places.map(({ name }) => name)).size === 1) return all;
  return { ...all, text: (palette) => placesText(word, places, field, palette) };
}

function placesText(word: string, topics: readonly Topic[], field: string | undefined, palette: Palette): string {
  const rows = topics.map(({ name, description, fields }): readonly [string, string] => {
    const about = field === undefined ? description : fields.find((each) => each.name === field)?.description;
    return [field === undefined ? name : `${name}.${field}`, /^.*?[.](?=\s|$)/s.exec(about ?? "")?.[0] ?? about ?? ""];
  });
  return `${JSON.stringify(word)} is a word in:\n\n${columns(["name", "what it is"], [...new Map(rows)], palette)}`;
}

export function explainKinds(catalogue: Catalogue): Explained {
  const kinds = kindFiles(catalogue);
  return { text: (palette) => kindListText(kinds, palette), json: kinds.map((kind) => kindJson(kind)) };
}

/** Kinds in the order of the catalogue. A kind of both projects and groups is listed once. */
export function kindFiles({ kinds }: Catalogue): readonly ResourceKind[] {
  return [...new Set([...kinds.values()].map(({ file }) => file))];
}

function unknownField(topics: readonly Topic[], name: string, field: string): string {
  const names = topics.flatMap(({ fields }) => fields.map((each) => each.name));
  const integration = topics[0]?.integration;
  if (!integration) return `${name} has no field ${JSON.stringify(field)}${didYouMean(field, names)}`;
  const sentence = `${name} has no parameter ${JSON.stringify(field)}`;
  const why = integration.undeclared.get(field);
  return why === undefined ? withNearest(sentence, field, names, integration.foreignNames) : `${sentence} here: ${why}`;
}

function unknownName(catalogue: Catalogue, name: string): string {
  const sections = kindFiles(catalogue).flatMap((kind) => [kind.name, kind.singular]);
  const sentence = `there is no integration or kind ${JSON.stringify(name)}`;
  const unknown = withNearest(sentence, name, [...catalogue.integrations.keys(), ...sections], catalogue.foreignNames);
  const lists = "evenkeel explain lists the integrations, evenkeel explain --kinds the kinds";
  return unknown === sentence ? `${sentence}; ${lists}` : unknown;
}

function withNearest(
  sentence: string,
  word: string,
  names: Iterable<string>,
  foreignNames: Catalogue["foreignNames"],
): string {
  const other = foreignNames.get(word);
  if (other) return `${sentence}: that is a name of dialect ${other.dialect}; here it is ${other.name}`;
  return `${sentence}${didYouMean(word, names)}`;
}

function integrationListText(integrations: readonly Integration[], palette: Palette): string {
  const rows = integrations.map(({ slug, title, tier, ...rest }) => [slug, title, tier, availability(rest).join(", ")]);
  const table = columns(["slug", "title", "tier", "available"], rows, palette);
  return `${table}\n\nOther kinds of resources: evenkeel explain --kinds`;
}

function kindListText(kinds: readonly ResourceKind[], palette: Palette): string {
  const rows = kinds.map((kind) => {
    const { singular, title = "", needs: { tier = "free", release } = {}, removed } = kind;
    const available = availability({ introduced: release, removed: removed?.release }).join(", ");
    return [sectionOf(kind), singular, ownersOf(kind).join(", "), keyFieldsOf(kind).join("@"), tier, available, title];
  });
  return columns(["section", "kind", "of", "key", "tier", "available", "title"], rows, palette);
}

type Available = Partial<Pick<Integration, "introduced" | "removed" | "environment">>;

function availability({ introduced, removed, environment }: Available): readonly string[] {
  return [
    ...(introduced ? [`from release ${introduced} on`] : []),
    ...(removed ? [`before release ${removed}`] : []),
    ...(environment ? [`in environment ${environment} only`] : []),
  ];
}

/** A kind or an integration. */
interface Topic {
  readonly kind?: ResourceKind;
  readonly integration?: Integration;
  readonly json: (field?: string) => object;
  readonly name: string;
  /** Text behind the name, such as the title and the owners. */
  readonly title: string;
  readonly owner: string;
  readonly description: string | undefined;
  readonly limits: readonly string[];
  readonly fields: readonly TopicField[];
  readonly notes: readonly string[];
  readonly example: readonly string[];
}

interface TopicField {
  readonly name: string;
  readonly takes: string;
  readonly facts: readonly string[];
  readonly description: string | undefined;
  readonly form?: string | undefined;
}

function topicText(topic: Topic, field: string | undefined, palette: Palette): string {
  const { name, title, owner, description, limits, fields, notes, example } = topic;
  const shown = fields.find((each) => each.name === field);
  if (shown) {
    const { takes, facts, form = "" } = shown;
    const rest = [
      ["takes", takes],
      ["written", form],
      ["notes", facts.join(", ")],
    ] as const;
    const heading = `${palette.strong(`${name}.${shown.name}`)}${owner}`;
    return paragraphs([[heading, shown.description].filter(Boolean).join("\n"), factLines(rest, palette)]);
  }
  const rows = fields.map((each) => [each.name, each.takes, each.facts.join(", ")]);
  const forms = fields.flatMap(({ name, form }) => (form === undefined ? [] : [`${name}: ${form}`]));
  return paragraphs([
    [`${palette.strong(name)}  ${title}${namesOwner.test(title) ? "" : owner}`.trimEnd(), description]
      .filter(Boolean)
      .join("\n"),
    limits.join(" "),
    columns(["field", "takes", "notes"], rows, palette),
    notes.map((note) => `- ${note}`).join("\n"),
    `${palette.faint("In a policy:")}\n\n${example.join("\n")}`,
    forms.length > 0 ? `${palette.faint("Lists:")}\n\n${forms.join("\n")}` : "",
  ]);
}

/** Titles such as *Instance settings*, after which "of the instance" says nothing new. */
const namesOwner = /^(?:Instance|Group) /;

function kindTopic(kind: ResourceKind): Topic {
  const { name, title = "", description, notes = [] } = kind;
  const fields = Object.entries(kind.fields.properties).map(([field, schema]) => ({
    ...{ name: field, takes: fieldValues(schema, unmarked), facts: fieldFacts(kind, field) },
    description: schema.description,
    form: listForm(schema, field),
  }));
  const [owner, limits, example] = [formatOwner(kind), kindLimits(kind), kindExample(kind)];
  const json = (field?: string) => kindJson(kind, field);
  return { kind, json, name, title, owner, description, limits, fields, notes, example };
}

function integrationTopic(integration: Integration): Topic {
  const { slug, title, description, tier, parameters } = integration;
  const required = [...parameters.values()].filter(({ isRequired }) => isRequired);
  const lines = required.map(
    ({ name, ...field }) => `    ${name}: ${sample({ ...field, "x-returned": false }, name, slug)}`,
  );
  return {
    integration,
    json: (field) => integrationJson(integration, field),
    ...{ name: slug, title, owner: "", description, notes: [] },
    limits: [`Available: ${[`tier ${tier}`, ...availability(integration)].join(", ")}`],
    fields: [...parameters.values()].map(parameterField),
    example: [
      "integrations:",
      `  ${slug}:`,
      ...lines,
      ...(hasActiveParameter(integration) ? ["    active: true"] : []),
    ],
  };
}

function parameterField(parameter: IntegrationParameter): TopicField {
  const { name, description, types, isRequired, optionalFrom, secret, pattern, list, deprecated } = parameter;
  const facts = [
    ...(isRequired ? [optionalFrom === undefined ? "required" : `required before release ${optionalFrom}`] : []),
    ...(secret ? ["secret"] : []),
    ...(pattern === undefined ? [] : [`contains ${pattern}`]),
    ...(list ? [`a ${list}-separated list`] : []),
    ...availability(parameter),
    ...(deprecated ? [`deprecated: ${parameter.deprecationMessage ?? "deprecated"}`] : []),
  ];
  return { name, takes: fieldValues({ ...parameter, type: types }, unmarked), facts, description };
}

function integrationJson(integration: Integration, only?: string) {
  const { slug, tier, introduced = null, removed = null, environment = null } = integration;
  const parameters = [...integration.parameters.values()].filter(({ name }) => only === undefined || name === only);
  return {
    ...{ slug, tier, introduced, removed, environment },
    parameters: parameters.map(({ name, types, isRequired, secret, deprecated = false, ...rest }) => ({
      ...{ name, type: types.join("|"), required: isRequired },
      ...{ enum: rest.enum ?? null, default: rest.default ?? null, deprecated, secret },
    })),
  };
}

function kindJson(kind: ResourceKind, only?: string) {
  const { singular, needs: { tier = "free", role = null, release = null } = {}, removed, fields } = kind;
  const named = Object.entries(fields.properties).filter(([name]) => only === undefined || name === only);
  return {
    ...{ section: sectionOf(kind), kind: singular, of: ownersOf(kind), key: keyFieldsOf(kind) },
    ...{ tier, role, introduced: release, removed: removed?.release ?? null },
    fields: named.map(([name, schema]) => ({
      ...{ name, type: [schema.type ?? []].flat().join("|"), required: fields.required?.includes(name) ?? false },
      ...{ secret: schema.writeOnly ?? false, immutable: schema["x-immutable"] === true },
      ...{ default: schema.default ?? null, enum: schema.enum ?? null },
    })),
  };
}
