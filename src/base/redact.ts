import { type Decoding, decodingsOf, folded, foldedText, spaced, undecoded } from "./decodings.ts";
import { encodedReadings, withPairsJoined } from "./encoded-readings.ts";
import { createPrefixIndex, type PrefixMatch, shortest } from "./prefix-index.ts";
import { fragmentsOf, passwordIn, wholesOf } from "./secret-fragments.ts";
import { createRunIndex, type RunIndex } from "./secret-runs.ts";

/** Redacts secrets in texts. */
export interface Redactor {
  /**
   * Replaces `value` by `name`, in all forms that servers and programs give it: another case, other
   * white space, escapes, encodings, single lines, revealing parts, and any five characters that are not part of
   * a common word. Values of less than 8 characters are found only as a whole, those of less than 4 only as separate words.
   */
  learn(value: string, name: string): void;
  /** Exempts a word that is no secret by itself, although a URL that is learned later may end in it. */
  spare(word: string): void;
  /** Removes all values. */
  forget(): void;
  /** Redacts a text. Takes time proportional to the text only. */
  clean(text: string): string;
  /**
   * Whether a text is one of the values, or contains a whole one of at least 16 characters. A part that {@link clean}
   * redacts, such as the last word of a URL, is not enough. Results are cached.
   */
  isIn(text: string): boolean;
}

/** Size of the cache, and the longest text in it: a fleet repeats a few values many times. */
const mostKept = 10_000;
const longestKept = 1_000;

/** A redactor without values. */
export function createRedactor(): Redactor {
  const known = new Set<string>();
  const spared = new Set<string>();
  let phrases = createPrefixIndex();
  let words = createWordIndex();
  let runs = createRunIndex();
  let wholes = createPrefixIndex();
  const equals = new Set<string>();
  const answers = new Map<string, boolean>();
  const find = (reading: Decoding, at: number) => phrases.at(reading.text, at) ?? words.at(reading, at);
  return {
    learn(value, name) {
      // An empty text is no secret, and would be found in every blank value.
      if (value === "" || known.has(value)) return;
      known.add(value);
      answers.clear();
      const credentials = [value, passwordIn(value)].map(foldedText);
      for (const { text, least } of fragmentsOf(value)) {
        if (!spared.has(text) || credentials.includes(text)) phrases.add(text, least, name);
      }
      for (const { text, least } of wholesOf(value)) wholes.add(text, least, name);
      runs.add(value, name, (word) => spared.has(word) && !credentials.includes(word));
      equals.add(foldedText(value));
      for (const short of [value, passwordIn(value)]) words.add(short, name);
    },
    spare: (word) => void spared.add(foldedText(word)),
    forget() {
      known.clear();
      spared.clear();
      answers.clear();
      phrases = createPrefixIndex();
      wholes = createPrefixIndex();
      equals.clear();
      words = createWordIndex();
      runs = createRunIndex();
    },
    clean(text) {
      if (known.size === 0) return text;
      const readings = decodingsOf(text);
      return replaced(text, [
        ...rangesIn(readings, find),
        ...runRangesIn([...readings, ...readings.flatMap(encodedReadings)], runs),
      ]);
    },
    isIn(text) {
      if (known.size === 0) return false;
      const kept = answers.get(text);
      if (kept !== undefined) return kept;
      if (answers.size >= mostKept) answers.clear();
      const readings = decodingsOf(text);
      const isEqual = readings.some((each) => equals.has(foldedText(each.text)));
      const all = new Set([...readings, ...readings.map(withPairsJoined)]);
      const answer = isEqual || rangesIn([...all], (reading, at) => wholes.at(reading.text, at)).length > 0;
      if (text.length <= longestKept) answers.set(text, answer);
      return answer;
    },
  };
}

type Find = (reading: Decoding, at: number) => PrefixMatch | undefined;

/** A range to replace by a name. */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

function rangesIn(readings: readonly Decoding[], find: Find): readonly Range[] {
  return readings.flatMap((each) => {
    const reading = folded(each);
    const ranges: Range[] = [];
    for (let at = 0; at < reading.text.length; at++) {
      const found = find(reading, at);
      if (found) join(ranges, { ...offsetsOf(reading, at, at + found.length), name: found.name });
    }
    return ranges;
  });
}

function runRangesIn(readings: readonly Decoding[], runs: RunIndex): readonly Range[] {
  return readings.flatMap((each) => {
    const reading = folded(each);
    return runs.runsIn(reading.text).map(({ from, to, name }) => ({ ...offsetsOf(reading, from, to), name }));
  });
}

function offsetsOf({ from, to }: Decoding, start: number, end: number): Pick<Range, "from" | "to"> {
  return { from: from[start] ?? 0, to: to[end - 1] ?? 0 };
}

function replaced(text: string, ranges: readonly Range[]): string {
  let result = "";
  let done = 0;
  for (const { from, to, name } of disjoint(ranges)) {
    result += text.slice(done, from) + name;
    done = to;
  }
  return result + text.slice(done);
}

function disjoint(ranges: readonly Range[]): readonly Range[] {
  const joined: Range[] = [];
  for (const range of ranges.toSorted((a, b) => a.from - b.from || b.to - a.to)) join(joined, range);
  return joined;
}

/** Adds a range to sorted ones, and merges it with the last if they overlap, or are adjacent parts of one value. */
function join(joined: Range[], range: Range): void {
  const last = joined.at(-1);
  const isMore = last && (range.from < last.to || (range.from === last.to && range.name === last.name));
  if (isMore) joined[joined.length - 1] = { ...last, to: Math.max(last.to, range.to) };
  else joined.push(range);
}

interface Words {
  /** Ignores longer values, which are phrases. */
  add(value: string, name: string): void;
  at(reading: Decoding, at: number): PrefixMatch | undefined;
}

/** Values that are too short for partial matches. */
function createWordIndex(): Words {
  const names = new Map<string, string>();
  const lengths: number[] = [];
  return {
    add(value, name) {
      const reading = folded(undecoded(value));
      const { length } = reading.text;
      if (length === 0 || length >= shortest) return;
      names.set(spaced(reading, 0, length), name);
      if (!lengths.includes(length)) lengths.push(length);
      lengths.sort((a, b) => b - a);
    },
    at(reading, at) {
      for (const length of lengths) {
        const name = names.get(spaced(reading, at, at + length));
        if (name !== undefined && isApart(reading, at, length)) return { length, name };
      }
      return undefined;
    },
  };
}

/** Whether a very short value is a separate word. */
function isApart(reading: Decoding, at: number, length: number): boolean {
  if (length >= leastInside) return true;
  return !isJoined(reading, at) && !isJoined(reading, at + length);
}

const leastInside = 4;

/** Whether the characters on both sides of a position belong to one word. */
function isJoined(reading: Decoding, at: number): boolean {
  return /^[\p{L}\p{N}_]{2}$/u.test(spaced(reading, at - 1, at + 1));
}
