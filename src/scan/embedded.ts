import { type Selected, selectedFields } from "./graphql.ts";
import { hole, masked, type TextFragment } from "./text.ts";
import type { Token } from "./tokens.ts";

/** A GraphQL document, where it stands and which fields it selects. */
export interface Query extends TextFragment {
  readonly fields: readonly Selected[];
}

/** A whole file. */
export function queryOf(text: string): readonly Query[] {
  const fields = selectedFields({ text, start: 0 });
  return fields ? [{ text, start: 0, fields }] : [];
}

/** Documents in the texts of a program: bare, in JSON, with interpolations. Fragments are of the schema of the others. */
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
/** The value of "query" in JSON, also where its quotes are escaped because the JSON stands in a text. */
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

/** Escapes as characters of their own, as many as before. */
function plain(text: string): string {
  return text
    .replace(/\\\\\\"/g, '   "')
    .replace(/\\\\"/g, '  "')
    .replace(/\\"/g, ' "')
    .replace(/\\+[nrt]/g, (found) => " ".repeat(found.length));
}

/** How programs write interpolations into texts; braces alone are tried last, since GraphQL has its own. */
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
