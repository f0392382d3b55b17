import { grouped } from "../../../base/grouped.ts";
import { isObject } from "../../../base/json.ts";
import { counted } from "../../../base/text-format.ts";
import type { Catalogue } from "../../../model/catalogue.ts";
import { identityOf, sectionNameOf } from "../../../model/kinds.ts";
import type { Place, Platform, Problem } from "../../../model/types.ts";
import type { SecretScope } from "../names.ts";
import type { Draft, ImportedEntry } from "../policy.ts";

/** A parsed value, or an expression whose value is unknown. */
export interface ForeignValue {
  readonly value: unknown;
  readonly place: () => Place;
  /** The keys of the value in the source, for {@link TranslatedEntry.named}. */
  readonly from?: readonly string[];
  /** An expression such as `var.hook`; the value is then ignored. */
  readonly unknown?: string;
  /** If only parts of a text are unknown: the text, each of them as {@link unknownPart}. */
  readonly text?: string;
  /** A hint to append to a message about its type. */
  readonly hint?: string | undefined;
  /** True if the tool itself marks it as a secret. */
  readonly secret?: boolean;
  /** The attributes of each block, if the value consists of blocks. */
  readonly blocks?: readonly ReadonlyMap<string, ForeignValue>[];
}

/** A part of a text whose value is unknown. */
export const unknownPart = "\ufffc";

/** The ID of a resource of the same files, which no file has, by the name of the resource. */
export interface IdOf {
  readonly name: string;
  readonly [idMark]: true;
}

const idMark = Symbol("the ID of a resource");

export function createIdOf(name: string): IdOf {
  return { name, [idMark]: true };
}

export function isIdOf(value: unknown): value is IdOf {
  return isObject(value) && idMark in value;
}

/** The entry of one resource, and messages about omitted values. */
export interface TranslatedEntry {
  readonly entry?: ImportedEntry;
  /** The slug of an integration that has to be off. */
  readonly off?: string;
  /** A resource of another kind that has to be absent. */
  readonly absent?: Pick<ImportedEntry, "kind" | "key">;
  /** The section in which unlisted resources have to be absent. */
  readonly exclusive?: string;
  readonly place?: () => Place;
  /** The keys of the source that the entry covers or its problems name; undefined if one problem concerns the whole. */
  readonly named?: readonly string[];
  readonly problems: readonly Problem[];
}

/** Omits repeated declarations of a policy, and a single resource without declared fields. */
export function distinctEntries(all: readonly TranslatedEntry[], catalogue: Catalogue): readonly TranslatedEntry[] {
  const known = new Map<string, TranslatedEntry>();
  return all.map((each) => {
    const { entry, place, problems } = each;
    if (!entry) return each;
    if (entry.key === "" && entry.fields.size === 0) return { problems };
    const identity = identityOf(catalogue, entry);
    const first = known.get(identity);
    known.set(identity, first ?? each);
    if (!first) return each;
    const at = first.place ? `, at ${placeText(first.place())}` : "";
    const message = `${entry.key || sectionNameOf(catalogue, entry.kind)} is left out here: it is declared already${at}`;
    return { problems: [...problems, notImported(place?.(), message)] };
  });
}

export function notImported(place: Place | undefined, message: string): Problem {
  return { severity: "warning", rule: "not-imported", message, ...(place && { place }) };
}

/** A file that cannot be parsed. */
export function unusable(place: Place | undefined, message: string): Problem {
  return { severity: "error", rule: "unreadable", message, ...(place && { place }) };
}

export interface ForeignFile {
  readonly name: string;
  readonly text: string;
}

/** Policies with the same desired state as another tool's files, not yet written. */
export interface ForeignImport {
  readonly drafts: readonly Draft[];
  readonly problems: readonly Problem[];
}

/** Options for importing another tool's files. */
export interface ForeignChoice {
  readonly catalogue: Catalogue;
  readonly platform: Platform;
  readonly secrets: SecretScope;
  readonly taken?: readonly string[];
}

/** An unsupported part of another tool's files. */
export interface NamedPlace {
  readonly name: string;
  readonly place: () => Place;
}

/** Reports each name once, at its first location, with the number and the locations of its occurrences. */
export function reportUnsupported(
  others: readonly NamedPlace[],
  noun: "section" | "resource",
  explain: (name: string) => string | undefined,
): readonly Problem[] {
  return [...grouped(others, ({ name }) => name)].map(([name, found]) => {
    const [first, ...others] = found.map(({ place }) => place());
    const also = others.length > 0 ? `, also at ${others.map(placeText).join(", ")}` : "";
    const why = explain(name) ?? "no kind of resource is about it";
    return notImported(first, `${name} is left out (${counted(found.length, noun)}${also}): ${why}`);
  });
}

function placeText({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`;
}

export function distinctProblems(problems: readonly Problem[]): readonly Problem[] {
  const alike = grouped(problems, ({ place, message }) => JSON.stringify([place, message]));
  return Array.from(alike.values(), ([first]) => first);
}
