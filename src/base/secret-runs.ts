import { commonWords } from "./common-words.ts";
import { folded, foldedText, undecoded } from "./decodings.ts";
import { secretParts } from "./secret-fragments.ts";

/** The number of adjacent characters that reveal too much of a secret; fewer occur in many words. */
const runLength = 5;

/** Runs of larger secrets are not indexed, which bounds the memory. */
const mostUnits = 64 * 1024;

/** A range of a text that a secret contains too. */
interface SecretRun {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

/** Finds short runs of secrets. */
export interface RunIndex {
  add(value: string, name: string, isSpared: (word: string) => boolean): void;
  /** Maximal ranges in order; none that is only a common word. */
  runsIn(text: string): readonly SecretRun[];
}

/** The secret of a run; a weak run reveals nothing by itself. */
interface Known {
  readonly name: string;
  readonly isWeak: boolean;
}

/** An empty index. The cost of a search does not depend on its size. */
export function createRunIndex(): RunIndex {
  const known = new Map<string, Known>();
  return {
    add(value, name, isSpared) {
      for (const part of secretParts(value)) {
        if (part.length > mostUnits) continue;
        for (const { run, isWeak } of runsOf(part, isSpared)) {
          const before = known.get(run);
          if (!before || (before.isWeak && !isWeak)) known.set(run, { name, isWeak });
        }
      }
    },
    runsIn(text) {
      const found: SecretRun[] = [];
      for (let at = 0; at + runLength <= text.length; at++) {
        const from = at;
        let strongRun: Known | undefined;
        for (let one = known.get(text.slice(at, at + runLength)); one; at++) {
          if (!one.isWeak) strongRun ??= one;
          one = known.get(text.slice(at + 1, at + 1 + runLength));
        }
        if (strongRun) found.push({ from, to: at - 1 + runLength, name: strongRun.name });
      }
      return found;
    },
  };
}

/** Every run of a part; those of a common word, or of one repeated character, are weak. */
function* runsOf(
  part: string,
  isSpared: (word: string) => boolean,
): Generator<Pick<Known, "isWeak"> & { readonly run: string }> {
  const reading = folded(undecoded(part));
  const words = commonWords(part, (word) => isSpared(foldedText(word)));
  const wordAt = new Int32Array(part.length);
  for (const [index, { from, to }] of words.entries()) wordAt.fill(index + 1, from, to);
  for (let at = 0; at + runLength <= reading.text.length; at++) {
    const run = reading.text.slice(at, at + runLength);
    const places = Array.from(run, (_, offset) => reading.from[at + offset] ?? 0);
    yield { run, isWeak: isOfOneWord(run, places, wordAt) || /^(.)\1*$/su.test(run) };
  }
}

/** Whether a run is part of one common word, except for punctuation around it. */
function isOfOneWord(run: string, places: readonly number[], wordAt: Int32Array): boolean {
  const letters = places.filter((_, offset) => /[\p{L}\p{N}]/u.test(run.charAt(offset)));
  const within = new Set(letters.map((place) => wordAt[place] ?? 0));
  return letters.length >= runLength - 1 && within.size === 1 && !within.has(0);
}
