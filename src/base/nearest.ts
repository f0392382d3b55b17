import { closest, distance } from "fastest-levenshtein";

const longest = 200;

/**
 * The closest known word, ignoring case: at most a third of its letters (at least one) differ, or two neighbouring
 * letters are swapped. Else the only one of which it is a part between hyphens or underscores.
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const names = [...known].filter(({ length }) => length <= longest);
  if (word.length > longest || names.length === 0) return undefined;
  const words = new Map(names.map((each) => [each.toLowerCase(), each]));
  const written = word.toLowerCase();
  const swapped = swapNeighbours(written).find((each) => words.has(each));
  if (swapped !== undefined && !words.has(written)) return words.get(swapped);
  const all = [...words.keys()];
  const candidate = closest(written, all);
  const reach = Math.max(1, Math.floor(candidate.length / 3));
  return words.get(distance(written, candidate) <= reach ? candidate : (findOnlyWhole(written, all) ?? ""));
}

/** `; did you mean X?`, to append to a message; empty without a suggestion other than the word. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const meant = nearest(word, known);
  return meant === undefined || meant === word ? "" : `; did you mean ${meant}?`;
}

/** The most similar known word, else a list of all of them. */
export function orElse(word: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  return didYouMean(word, known) || `; expected one of ${known.join(", ")}`;
}

/** The only one of these words of which `part` is a part. */
function findOnlyWhole(part: string, words: readonly string[]): string | undefined {
  const [first, ...others] = words.filter((each) => each.split(/[-_]/).includes(part));
  return others.length === 0 ? first : undefined;
}

function swapNeighbours(word: string): string[] {
  return Array.from({ length: Math.max(0, word.length - 1) }, (_, at) => {
    return `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`;
  });
}

/** As {@link didYouMean}; empty if the value is not a string. */
export function suggestionFor(value: unknown, allowed: unknown): string {
  if (typeof value !== "string" || !Array.isArray(allowed)) return "";
  return didYouMean(
    value,
    allowed.filter((each) => typeof each === "string"),
  );
}
