import { isMap, isPair, isScalar, isSeq, LineCounter, type Pair, parseAllDocuments, type Scalar } from "yaml";
import { grouped } from "../base/grouped.ts";
import { parseManifest } from "../manifest/document.ts";
import { sortedProblems } from "../manifest/problem.ts";
import { apiVersion } from "../manifest/shape.ts";
import { catalogueOf } from "../model/catalogue.ts";
import type { Problem } from "../model/types.ts";
import { translatedGlob } from "./translate-glob.ts";
import { type Translation, translationBetween } from "./translation.ts";
import { writeDialect } from "./write-dialect.ts";

/** A file's text in another dialect, and what could not be translated; or why the file was not changed. */
export type TranslatedText =
  | { readonly text: string; readonly left: readonly Problem[] }
  | { readonly problems: readonly Problem[] };

/**
 * Converts every manifest of a file to another dialect: slugs, parameters, addresses, and `server.dialect`.
 * Nothing else is changed, so that translating back restores the same bytes. CEL rules and globs with another meaning
 * in that dialect are not changed but reported.
 */
export function translate(file: string, text: string, from: string, to: string): TranslatedText {
  const { problems } = parseManifest(file, text);
  if (problems.length > 0) return { problems };
  const edits = editsIn(file, text, translationBetween(from, to));
  const renamed = edited(text, edits);
  const clashes = parseManifest(file, renamed).problems;
  const told = clashes.map((each) => ({
    ...each,
    message: each.message.replace("duplicate key", `duplicate key in dialect ${to}`),
  }));
  if (told.length > 0) return { problems: told };
  const left = edits.flatMap((edit) => ("why" in edit ? [edit.why] : []));
  const stated = writeDialect(renamed, to);
  if (stated === undefined) left.push(unstated(file, to));
  return { text: stated ?? renamed, left: sortedProblems(left) };
}

/** Parameters that the dialect has in no release: a translation keeps them and reports them as problems. */
export function undeclaredIn(file: string, text: string, dialect: string): readonly Problem[] {
  const lines = new LineCounter();
  const source = { file, text, lines };
  const { integrations } = catalogueOf(dialect);
  const options = { schema: "core", uniqueKeys: false, prettyErrors: false, lineCounter: lines } as const;
  const entries = [...parseAllDocuments(text, options)].flatMap(({ contents }) => integrationsOf(contents));
  return entries.flatMap(({ key: slug, value }) => {
    const name = isScalar(slug) ? String(slug.value) : "";
    return pairsIn(value).flatMap(({ key }) => {
      const why = isScalar(key) ? integrations.get(name)?.undeclared.get(String(key.value)) : undefined;
      return isScalar(key) && why !== undefined
        ? [untranslated(key, source, `${name} has no ${key.value}: ${why}`)]
        : [];
    });
  });
}

function integrationsOf(document: unknown): readonly Pair[] {
  const isPolicy = isMap(document) && document.get("apiVersion") === apiVersion && document.get("kind") === "Policy";
  return isPolicy ? pairsIn(document.get("integrations", true)) : [];
}

/** A replacement of a word, or why a word is not replaced. */
type Edit = { readonly at: number; readonly length: number; readonly with: string } | { readonly why: Problem };

function edited(text: string, edits: readonly Edit[]): string {
  return edits
    .flatMap((edit) => ("with" in edit ? [edit] : []))
    .reduceRight((whole, { at, length, with: name }) => whole.slice(0, at) + name + whole.slice(at + length), text);
}

function editsIn(file: string, text: string, names: Translation): readonly Edit[] {
  const lines = new LineCounter();
  const options = { schema: "core", uniqueKeys: false, prettyErrors: false, lineCounter: lines } as const;
  const source = { file, text, lines };
  const edits = [...parseAllDocuments(text, options)].flatMap(({ contents }) => editsOf(contents, source, names));
  return edits.toSorted((a, b) => positionOf(a) - positionOf(b));
}

function positionOf(edit: Edit): number {
  return "with" in edit ? edit.at : -1;
}

interface Source {
  readonly file: string;
  readonly text: string;
  readonly lines: LineCounter;
}

type Section = (value: unknown, source: Source, names: Translation) => readonly Edit[];

/** Sections with names to translate, by kind of document. */
const sections: Readonly<Record<string, Readonly<Record<string, Section>>>> = {
  Policy: { integrations: integrationEdits, disabled: (value, ...rest) => itemEdits(value, slugEdit, ...rest) },
  Workspace: { protected: (value, ...rest) => itemEdits(value, globEdit, ...rest) },
  Rule: { except: (value, ...rest) => itemEdits(value, globEdit, ...rest), when: expressionEdits },
};

function editsOf(document: unknown, source: Source, names: Translation): readonly Edit[] {
  if (!isMap(document) || document.get("apiVersion") !== apiVersion) return [];
  return Object.entries(sections[String(document.get("kind"))] ?? {}).flatMap(([key, section]) =>
    section(document.get(key, true), source, names),
  );
}

function integrationEdits(value: unknown, source: Source, names: Translation): readonly Edit[] {
  return pairsIn(value).flatMap(({ key, value: parameters }) => {
    const slug = isScalar(key) ? String(key.value) : "";
    const words = names.parameters.get(slug) ?? new Map<string, string>();
    const own = pairsIn(parameters).flatMap((pair) => wordEdit(pair.key, words, source));
    return [...slugEdit(key, source, names), ...own];
  });
}

function pairsIn(value: unknown): readonly Pair[] {
  return isMap(value) ? value.items.filter(isPair) : [];
}

type ItemEdit = (item: unknown, source: Source, names: Translation) => readonly Edit[];

function itemEdits(value: unknown, edit: ItemEdit, source: Source, names: Translation): readonly Edit[] {
  return isSeq(value) ? value.items.flatMap((item) => edit(item, source, names)) : [];
}

function slugEdit(node: unknown, source: Source, { slugs }: Translation): readonly Edit[] {
  return wordEdit(node, slugs, source);
}

function wordEdit(node: unknown, words: ReadonlyMap<string, string>, source: Source): readonly Edit[] {
  if (!isScalar(node)) return [];
  const name = words.get(String(node.value));
  return name === undefined ? [] : [replacing(node, name, source)];
}

function globEdit(node: unknown, source: Source, names: Translation): readonly Edit[] {
  if (!isScalar(node)) return [];
  const glob = translatedGlob(String(node.value), names);
  if (glob === undefined) return [{ why: untranslated(node, source, `${node.value} would match other integrations`) }];
  return glob === node.value ? [] : [replacing(node, glob, source)];
}

/** Expressions are not rewritten; names in them are only reported. */
function expressionEdits(node: unknown, source: Source, names: Translation): readonly Edit[] {
  if (!isScalar(node)) return [];
  const words = grouped(
    [names.slugs, ...names.parameters.values()].flatMap((each) => [...each]),
    ([word]) => word,
  );
  const found = new Set([...String(node.value).matchAll(/[a-z0-9]+(?:[-_][a-z0-9]+)*/g)].map(([word]) => word));
  return [...found].flatMap((word) => {
    const others = [...new Set(words.get(word)?.map(([, name]) => name))];
    if (others.length === 0) return [];
    const why = `the expression names ${word}, which is ${others.join(" or ")} now; expressions are not rewritten`;
    return [{ why: { ...untranslated(node, source, why), severity: "warning" } as const }];
  });
}

/** Replaces a scalar within its quotes. One with escapes or line breaks is reported instead. */
function replacing(node: Scalar, name: string, source: Source): Edit {
  const [start = 0, end = 0] = node.range ?? [];
  const written = source.text.slice(start, end);
  const [quote = ""] = /^["']/.exec(written) ?? [];
  const inside = written.slice(quote.length, written.length - quote.length);
  if (inside !== node.value)
    return {
      why: untranslated(
        node,
        source,
        `${node.value} is ${name} now; what has escapes or several lines is not replaced`,
      ),
    };
  return { at: start + quote.length, length: inside.length, with: name };
}

function untranslated({ range }: Scalar, { file, lines }: Source, message: string): Problem {
  const { line, col } = lines.linePos(range?.[0] ?? 0);
  return { severity: "error", rule: "untranslated", message, place: { file, line, column: col } };
}

function unstated(file: string, to: string): Problem {
  const message = `server.dialect could not be added; set it to ${to}`;
  return { severity: "error", rule: "untranslated", message, place: { file, line: 1, column: 1 } };
}
