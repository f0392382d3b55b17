import { placeAmong } from "./text-format.ts";

/** Finds which of many phrases starts at a position in a text, complete or truncated. */
export interface PrefixIndex {
  /** A prefix of `least` characters is a match; at least {@link shortest}. */
  add(text: string, least: number, name: string): void;
  /** The longest matching prefix of any phrase at `at`. */
  at(text: string, at: number): PrefixMatch | undefined;
}

export interface PrefixMatch {
  readonly length: number;
  readonly name: string;
}

/** The length of the shortest phrase. */
export const shortest = 8;

/** Phrases with the same first characters, sorted, so that the closest ones to a text are its neighbours. */
interface PhraseGroup {
  readonly phrases: string[];
  /** The required prefixes; none is a prefix of another. */
  readonly leads: string[];
  longest: number;
}

/** An empty index. A lookup takes logarithmic time. */
export function createPrefixIndex(): PrefixIndex {
  const names = new Map<string, string>();
  const groups = new Map<string, PhraseGroup>();
  return {
    add(text, least, name) {
      if (names.has(text)) return;
      names.set(text, name);
      const key = text.slice(0, shortest);
      const group = groups.get(key) ?? { phrases: [], leads: [], longest: 0 };
      groups.set(key, group);
      group.phrases.splice(placeAmong(text, group.phrases), 0, text);
      group.longest = Math.max(group.longest, text.length);
      addLead(group.leads, text.slice(0, least));
    },
    at(text, at) {
      const group = groups.get(text.slice(at, at + shortest));
      if (!group) return undefined;
      const rest = text.slice(at, at + group.longest);
      if (!startsWithAny(rest, group.leads)) return undefined;
      const phrase = nearest(rest, group.phrases);
      return { length: common(rest, phrase), name: names.get(phrase) ?? "" };
    },
  };
}

function addLead(leads: string[], lead: string): void {
  if (startsWithAny(lead, leads)) return;
  const place = placeAmong(lead, leads);
  let end = place;
  while (leads[end]?.startsWith(lead)) end++;
  leads.splice(place, end - place, lead);
}

/** No lead is a prefix of another, so only the text itself or the one before it can match. */
function startsWithAny(text: string, leads: readonly string[]): boolean {
  const place = placeAmong(text, leads);
  const before = leads[place - 1];
  return leads[place] === text || (before !== undefined && text.startsWith(before));
}

function nearest(text: string, phrases: readonly string[]): string {
  const place = placeAmong(text, phrases);
  const [before = "", after = ""] = [phrases[place - 1], phrases[place]];
  return common(text, after) >= common(text, before) ? after : before;
}

/** The length of the common prefix. */
function common(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}
