import { type Selected, selectedFields } from "./graphql.ts";
import { hole, masked, type TextFragment } from "./text.ts";
import type { Token } from "./tokens.ts";

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
  if (schemas.size < 2 || !schemas.has("unknown")) return queries;
  if (schemas.size === 3) return queries;
  return queries.map((query) => ({ ...query, fields: query.fields.map((field) => ({ ...field, schema })) }));
}

const beginning =
  /^(?:\s|#[^\n]*\n|\$\{[^}]*\})*(?:(?:query|mutation|subscription)\b[^{]*\{|fragment\s+\w+\s+on\s+\w+|\{\s*\w)/;
/** The value of "query" in JSON, also where the JSON is itself a string with escaped quotes. */
const inJson: readonly RegExp[] = [
  /(?<!\\)"query"\s*:\s*"((?:\\[\s\S]|[^"\\])*)/g,
  /\\"query\\"\s*:\s*\\"((?:\\\\\\"|\\\\[nrt]|\\[nrt]|[^"\\])*)/g,
];

function queriesInText({ text, start }: TextFragment): readonly Query[] {
  const direct = beginning.test(text) ? parsed({ text, start }) : undefined;
  if (direct) return [direct];
  const values = inJson.flatMap((pattern) => [...text.matchAll(pattern)]);
  return values.flatMap((found) => {
    const query = found[1] ?? "";
    const at = start + found.index + found[0].length - query.length;
    const inner = beginning.test(plain(query)) && parsed({ text: plain(query), start: at });
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

function parsed({ text, start }: TextFragment): Query | undefined {
  for (const interpolation of interpolations) {
    const open = masked(text, interpolation, hole);
    for (const candidate of [open, open.replace(/\{\{/g, "{ ").replace(/\}\}/g, " }")]) {
      const fields = selectedFields({ text: candidate, start });
      if (fields) return { text, start, fields };
    }
  }
  return undefined;
}
