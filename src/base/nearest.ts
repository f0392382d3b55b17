import { closest, distance } from "fastest-levenshtein";
import { placeAmong } from "./text-format.ts";

/** Known words, indexed for suggestions. */
export interface Dictionary {
  /**
   * The closest known word, ignoring case: at most a third of its letters (at least one) differ, or
   * two neighbouring letters are swapped. Else the only one of which it is a part between hyphens or underscores. Among
   * many words only those with a similar start or end are compared.
   */
  nearest(word: string): string | undefined;
  /** `; did you mean X?`, to append to a message; empty without a suggestion other than the word. */
  didYouMean(word: string): string;
}

const longest = 200;

/** Up to this many words, all are compared. */
const few = 128;

/** Otherwise, this many before and after the word in sort order. */
const around = 32;

export function dictionaryOf(known: Iterable<string>): Dictionary {
  const names = [...known].filter(({ length }) => length <= longest);
  const words = new Map(names.map((each) => [each.toLowerCase(), each]));
  const all = [...words.keys()];
  const candidatesFor = all.length <= few ? () => all : neighbours(all);
  const nearest = (word: string): string | undefined => {
    if (word.length > longest || all.length === 0) return undefined;
    const written = word.toLowerCase();
    const swapped = swapNeighbours(written).find((each) => words.has(each));
    if (swapped !== undefined && !words.has(written)) return words.get(swapped);
    const candidates = candidatesFor(written);
    const candidate = closest(written, candidates);
    const reach = Math.max(1, Math.floor(candidate.length / 3));
    const meant = distance(written, candidate) <= reach ? candidate : findOnlyWhole(written, candidates);
    return meant === undefined ? undefined : words.get(meant);
  };
  const didYouMean = (word: string): string => {
    const meant = nearest(word);
    return meant === undefined || meant === word ? "" : `; did you mean ${meant}?`;
  };
  return { nearest, didYouMean };
}

export function nearest(word: string, known: Iterable<string>): string | undefined {
  return dictionaryOf(known).nearest(word);
}

export function didYouMean(word: string, known: Iterable<string>): string {
  return dictionaryOf(known).didYouMean(word);
}

/** The most similar known word, else a list of all of them. */
export function orElse(word: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  return didYouMean(word, known) || `; expected one of ${known.join(", ")}`;
}

/** The only one of these words of which `part` is a part. */
function findOnlyWhole(part: string, words: readonly string[]): string | undefined {
  const [first, ...others] = words.filter((each) => each.split(separator).includes(part));
  return others.length === 0 ? first : undefined;
}

const separator = /[-_]/;

function swapNeighbours(word: string): string[] {
  return Array.from({ length: Math.max(0, word.length - 1) }, (_, at) => {
    return `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`;
  });
}

/** A typing error leaves either the start or the end of a word intact. */
function neighbours(words: readonly string[]): (word: string) => string[] {
  const forward = words.toSorted();
  const backward = words.map(reverse).sort();
  return (word) => [...near(forward, word), ...near(backward, reverse(word)).map(reverse)];
}

function near(sorted: readonly string[], word: string): string[] {
  const place = placeAmong(word, sorted);
  return sorted.slice(Math.max(0, place - around), place + around);
}

function reverse(word: string): string {
  return [...word].reverse().join("");
}

/** As {@link didYouMean}; empty if the value is not a string. */
export function suggestionFor(value: unknown, allowed: unknown): string {
  if (typeof value !== "string" || !Array.isArray(allowed)) return "";
  return didYouMean(
    value,
    allowed.filter((each) => typeof each === "string"),
  );
}
