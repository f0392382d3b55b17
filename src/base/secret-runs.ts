import { folded, foldedText, undecoded } from "./decodings.ts";
import { everydayWords } from "./everyday-words.ts";
import { secretParts } from "./secret-fragments.ts";

/** Characters of a secret that stand side by side in a text and give too much of it away; fewer are in many words. */
const runLength = 5;

/** Of a larger secret only larger parts are looked for, so that what is kept of it has a bound. */
const mostUnits = 64 * 1024;

/** A stretch of a text that a secret has too. */
interface SecretRun {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

/** Finds short runs of secrets, wherever in them. */
export interface RunIndex {
  add(value: string, name: string, isSpared: (word: string) => boolean): void;
  /** Stretches in their order, each as long as it goes on; none that is of an everyday word alone. */
  runsIn(text: string): readonly SecretRun[];
}

/** What a run belongs to; a weak one tells nothing where it stands by itself. */
interface Known {
  readonly name: string;
  readonly isWeak: boolean;
}

/** An index that knows nothing yet. A text costs the same however much it knows. */
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
        let telling: Known | undefined;
        for (let one = known.get(text.slice(at, at + runLength)); one; at++) {
          if (!one.isWeak) telling ??= one;
          one = known.get(text.slice(at + 1, at + 1 + runLength));
        }
        if (telling) found.push({ from, to: at - 1 + runLength, name: telling.name });
      }
      return found;
    },
  };
}

/** Every run of a part; those of an everyday word, or of one character alone, are weak. */
function* runsOf(
  part: string,
  isSpared: (word: string) => boolean,
): Generator<Pick<Known, "isWeak"> & { readonly run: string }> {
  const reading = folded(undecoded(part));
  const words = everydayWords(part, (word) => isSpared(foldedText(word)));
  const wordAt = new Int32Array(part.length);
  for (const [index, { from, to }] of words.entries()) wordAt.fill(index + 1, from, to);
  for (let at = 0; at + runLength <= reading.text.length; at++) {
    const run = reading.text.slice(at, at + runLength);
    const places = Array.from(run, (_, offset) => reading.from[at + offset] ?? 0);
    yield { run, isWeak: isOfOneWord(run, places, wordAt) || /^(.)\1*$/su.test(run) };
  }
}

/** Whether a run is of one everyday word, but for a sign before or behind it. */
function isOfOneWord(run: string, places: readonly number[], wordAt: Int32Array): boolean {
  const letters = places.filter((_, offset) => /[\p{L}\p{N}]/u.test(run.charAt(offset)));
  const within = new Set(letters.map((place) => wordAt[place] ?? 0));
  return letters.length >= runLength - 1 && within.size === 1 && !within.has(0);
}
