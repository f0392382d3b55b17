import {
  type DocumentNode,
  type FieldNode,
  Kind,
  parse,
  type SelectionSetNode,
  Source as Text,
  type ValueNode,
} from "graphql";
import { ifPossible } from "../base/exit.ts";
import { type GraphqlDetection, vocabulary } from "../model/deprecations.ts";
import { hole, masked, rewriting, type TextFragment, type Use } from "./text.ts";
import type { Token } from "./tokens.ts";

/** A selected field, and the type on which it is selected, if known. */
interface Selected {
  readonly node: FieldNode;
  readonly on: string | undefined;
  /** True if the document is for this platform's schema. */
  readonly schema: Schema;
  readonly defaults: ReadonlyMap<string, ValueNode>;
}

type Schema = "own" | "other" | "unknown";

/** The fields that a GraphQL document with interpolations selects; undefined if it cannot be parsed. */
function selectedFields({ text }: TextFragment): readonly Selected[] | undefined {
  // An interpolation may be a value, a field or a fragment: a name works for the first two, a space for the others.
  for (const fill of [" ", "_"]) {
    const source = new Text(text.replaceAll(hole, fill));
    const document = ifPossible(() => parse(source, { allowLegacyFragmentVariables: true, maxTokens: 100_000 }));
    if (document) return listFields(document);
  }
  return undefined;
}

const roots: Readonly<Record<string, string>> = { query: "Query", mutation: "Mutation", subscription: "Subscription" };

function listFields(document: DocumentNode): readonly Selected[] {
  const about = { schema: detectSchema(document), defaults: listDefaults(document) };
  return document.definitions.flatMap((definition) => {
    if (!("selectionSet" in definition)) return [];
    const isOperation = definition.kind === Kind.OPERATION_DEFINITION;
    const on = isOperation ? roots[definition.operation] : normaliseType(definition.typeCondition.name.value);
    return below(definition.selectionSet, on, []).map((placed) => ({ ...placed, ...about }));
  });
}

/** Root fields identify the schema. */
function detectSchema({ definitions }: DocumentNode): Schema {
  const sets = definitions.flatMap((each) => (each.kind === Kind.OPERATION_DEFINITION ? [each.selectionSet] : []));
  const names = sets.flatMap(({ selections }) =>
    selections.flatMap((each) => (each.kind === Kind.FIELD ? [each.name.value] : [])),
  );
  if (names.some((name) => vocabulary.graphqlRoots.other.has(name))) return "other";
  return names.some((name) => vocabulary.graphqlRoots.own.has(name)) ? "own" : "unknown";
}

function listDefaults({ definitions }: DocumentNode): Selected["defaults"] {
  const variables = definitions.flatMap((each) =>
    "variableDefinitions" in each ? (each.variableDefinitions ?? []) : [],
  );
  return new Map(
    variables.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, defaultValue] as const] : [],
    ),
  );
}

function below(
  set: SelectionSetNode | undefined,
  on: string | undefined,
  path: readonly string[],
): readonly Pick<Selected, "node" | "on">[] {
  return (set?.selections ?? []).flatMap((selection) => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return [];
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const named = selection.typeCondition?.name.value;
      return below(selection.selectionSet, named === undefined ? on : normaliseType(named), path);
    }
    const inner = [...path, selection.name.value];
    const way = `/${inner.join("/")}`;
    const row = vocabulary.graphql.find(
      ({ at, below: types }) => way.endsWith(`/${at}`) && (!types || types.includes(on ?? "")),
    );
    return [{ node: selection, on }, ...below(selection.selectionSet, row?.is, inner)];
  });
}

const graphqlTypes: ReadonlyMap<string, string> = new Map(Object.entries(vocabulary.graphqlTypes));

function normaliseType(name: string): string {
  return graphqlTypes.get(name) ?? name;
}

export function graphqlUses(
  fields: readonly Selected[],
  { start }: TextFragment,
  detection: GraphqlDetection,
): readonly Use[] {
  const { field, on, argument, unique } = detection;
  return fields
    .filter(({ node, on: type }) => node.name.value === field && (!on || on.includes(type ?? "")))
    .filter(({ schema }) => unique || schema !== "other")
    .flatMap((selected) => {
      const isLikely = !unique && selected.schema !== "own";
      const named = { offset: start + (selected.node.name.loc?.start ?? 0) };
      const uses: readonly Use[] = argument === undefined ? [named] : argumentUses(selected, start, detection);
      return uses.map((use) => ({ ...use, isLikely }));
    });
}

function argumentUses({ node, defaults }: Selected, start: number, detection: GraphqlDetection): readonly Use[] {
  const { argument, values = [], replace } = detection;
  return (node.arguments ?? [])
    .filter(({ name }) => name.value === argument)
    .map(({ value }) => (value.kind === Kind.VARIABLE ? (defaults.get(value.name.value) ?? value) : value))
    .flatMap((value) => (value.kind === Kind.LIST ? value.values : [value]))
    .filter((value) => value.kind === Kind.ENUM && values.includes(value.value))
    .map((value) => {
      const from = start + (value.loc?.start ?? 0);
      return { offset: from, ...rewriting(from, start + (value.loc?.end ?? 0), replace) };
    });
}

/** A GraphQL document and the fields that it selects. */
export interface Query extends TextFragment {
  readonly fields: readonly Selected[];
}

/** A whole file. */
export function queryOf(text: string): readonly Query[] {
  const fields = selectedFields({ text, start: 0 });
  return fields ? [{ text, start: 0, fields }] : [];
}

/** Documents in string literals: plain, in JSON, with interpolations. Fragments belong to the schema of the other documents. */
export function queriesIn(tokens: readonly Token[]): readonly Query[] {
  const queries = tokens.flatMap((token) => (token.kind === "text" ? queriesInText(token) : []));
  const schemas = new Set(queries.flatMap(({ fields }) => fields.map(({ schema }) => schema)));
  const schema = schemas.has("other") ? "other" : "own";
  if (schemas.size !== 2 || !schemas.has("unknown")) return queries;
  return queries.map((query) => ({ ...query, fields: query.fields.map((field) => ({ ...field, schema })) }));
}

const beginning =
  /^(?:\s|#[^\n]*\n|\$\{[^}]*\})*(?:(?:query|mutation|subscription)\b[^{]*\{|fragment\s+\w+\s+on\s+\w+|\{\s*\w)/;
/** The value of "query" in JSON, even if the JSON is itself a string with escaped quotes. */
const inJson: readonly RegExp[] = [
  /(?<!\\)"query"\s*:\s*"((?:\\[\s\S]|[^"\\])*)/g,
  /\\"query\\"\s*:\s*\\"((?:\\\\\\"|\\\\[nrt]|\\[nrt]|[^"\\])*)/g,
];

function queriesInText({ text, start }: TextFragment): readonly Query[] {
  const direct = beginning.test(text) ? parsedQuery({ text, start }) : undefined;
  if (direct) return [direct];
  const values = inJson.flatMap((pattern) => [...text.matchAll(pattern)]);
  return values.flatMap((found) => {
    const query = found[1] ?? "";
    const at = start + found.index + found[0].length - query.length;
    const inner = beginning.test(plain(query)) && parsedQuery({ text: plain(query), start: at });
    return inner ? [inner] : [];
  });
}

/** Replaces escapes without changing offsets. */
function plain(text: string): string {
  return text
    .replace(/\\\\\\"/g, '   "')
    .replace(/\\\\"/g, '  "')
    .replace(/\\"/g, ' "')
    .replace(/\\+[nrt]/g, (found) => " ".repeat(found.length));
}

/** Interpolations; bare braces are tried last, because GraphQL has braces too. */
const interpolations: readonly RegExp[] = [
  /\$\{[^{}]*\}|#\{[^{}]*\}/g,
  /\$\{[^{}]*\}|#\{[^{}]*\}|(?<!\{)\{[\w.]+\}(?!\})|%[sd]/g,
];

function parsedQuery({ text, start }: TextFragment): Query | undefined {
  for (const interpolation of interpolations) {
    const open = masked(text, interpolation, hole);
    for (const candidate of [open, open.replace(/\{\{/g, "{ ").replace(/\}\}/g, " }")]) {
      const fields = selectedFields({ text: candidate, start });
      if (fields) return { text, start, fields };
    }
  }
  return undefined;
}
