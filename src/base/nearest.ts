import { closest, distance } from "fastest-levenshtein";

/**
 * The known word that was probably meant: case apart, no more than a third of its letters (at least one) away.
 * Undefined where none is that near.
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const words = new Map([...known].map((each) => [each.toLowerCase(), each]));
  if (words.size === 0) return undefined;
  const written = word.toLowerCase();
  const candidate = closest(written, [...words.keys()]);
  const reach = Math.max(1, Math.floor(candidate.length / 3));
  return distance(written, candidate) <= reach ? words.get(candidate) : undefined;
}
