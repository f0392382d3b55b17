import { closest, distance } from "fastest-levenshtein";
import { placeAmong } from "./text.ts";

/** Known words, of which the one that was meant can be asked for again and again. */
export interface Dictionary {
  /**
   * The known word that was probably meant: case apart, no more than a third of its letters (at least one) away, or with
   * two neighbouring letters swapped. Undefined where none is that near. Among very many words only those that begin or end most alike are compared.
   */
  nearest(word: string): string | undefined;
  /** `; did you mean X?`, ready to be appended to a sentence; empty where no known word is near. */
  didYouMean(word: string): string;
}

/** A word longer than this is no misspelt name. */
const longest = 200;

/** So many words are compared one by one. */
const few = 128;

/** Of more words, so many before and after the place where a word would stand among them. */
const around = 32;

export function dictionaryOf(known: Iterable<string>): Dictionary {
  const names = [...known].filter(({ length }) => length <= longest);
  const words = new Map(names.map((each) => [each.toLowerCase(), each]));
  const all = [...words.keys()];
  const candidatesFor = all.length <= few ? () => all : neighbours(all);
  const nearest = (word: string): string | undefined => {
    if (word.length > longest || all.length === 0) return undefined;
    const written = word.toLowerCase();
    const swapped = swapsOf(written).find((each) => words.has(each));
    if (swapped !== undefined && !words.has(written)) return words.get(swapped);
    const candidate = closest(written, candidatesFor(written));
    const reach = Math.max(1, Math.floor(candidate.length / 3));
    return distance(written, candidate) <= reach ? words.get(candidate) : undefined;
  };
  const didYouMean = (word: string): string => {
    const meant = nearest(word);
    return meant === undefined ? "" : `; did you mean ${meant}?`;
  };
  return { nearest, didYouMean };
}

/** The nearest of some words to one: see {@link Dictionary}, which is for many. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  return dictionaryOf(known).nearest(word);
}

/** The same, as {@link Dictionary} says it. */
export function didYouMean(word: string, known: Iterable<string>): string {
  return dictionaryOf(known).didYouMean(word);
}

/** What a word is with two neighbouring letters swapped, the slip that counts as two elsewhere. */
function swapsOf(word: string): string[] {
  return Array.from({ length: Math.max(0, word.length - 1) }, (_, at) => {
    return `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`;
  });
}

/** A slip leaves either the beginning or the end of a word as it is. */
function neighbours(words: readonly string[]): (word: string) => string[] {
  const forward = words.toSorted();
  const backward = words.map(reversed).sort();
  return (word) => [...near(forward, word), ...near(backward, reversed(word)).map(reversed)];
}

function near(sorted: readonly string[], word: string): string[] {
  const place = placeAmong(word, sorted);
  return sorted.slice(Math.max(0, place - around), place + around);
}

function reversed(word: string): string {
  return [...word].reverse().join("");
}

/** The nearest of the allowed words, as {@link didYouMean} words it; empty if the value is not a string. */
export function suggestionFor(value: unknown, allowed: unknown): string {
  return typeof value === "string" && Array.isArray(allowed) ? didYouMean(value, allowed) : "";
}
