import { placeAmong } from "./text.ts";

/** Finds which of many phrases is at a position in a text, complete or truncated. */
export interface PrefixIndex {
  /** The first `least` of its characters are enough; at least {@link shortest} of them. */
  add(text: string, least: number, name: string): void;
  /** The longest beginning of any phrase that stands at `at`, if it is enough of it. */
  at(text: string, at: number): PrefixMatch | undefined;
}

export interface PrefixMatch {
  readonly length: number;
  readonly name: string;
}

/** Characters of the shortest phrase. */
export const shortest = 8;

/** What begins with the same characters, sorted, so that what a text is nearest to stands beside its own place. */
interface PhraseGroup {
  readonly phrases: string[];
  /** The least of each phrase; none begins like another, since the shorter one says it all. */
  readonly leads: string[];
  longest: number;
}

/** An empty index. The cost of a look-up grows only with the logarithm of the number of phrases. */
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

/** Since none of them begins like another, only one can fit: the text itself, or the last one before it. */
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

/** How many characters two texts have in common from the first on. */
function common(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}
