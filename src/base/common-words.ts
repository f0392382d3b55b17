/** Words that are common in messages of servers and of this program, and so are not redacted even if a secret contains them. */
const common = new Set(
  `access account address admin allowed already answer approved argument blank cannot changed channel character client
  commit contain create default delete denied deploy deployment description development disabled email empty enabled
  environment error event events evenkeel example exist exists expected expired failed field forbidden found gitlab group
  groups header hook hooks https integration integrations internal invalid issue issues known license licenses longer
  match maximum merge message minimum missing network notification notifications number parameter parameters password
  passwords permission policies policy private production project projects property public reading refused rejected
  repository request required response review revoked route scope secret secrets server service services settings short
  should staging status string taken tests timeout token tokens tracker unauthorized unknown update updated users valid
  value values version webhook webhooks workspace wrong`.split(/\s+/),
);

/**
 * Ranges of separate common words that are a small part of a text: at most a third, or half
 * if it is a very common word. Random text hardly ever has one. `isSpared` accepts further words, of any length.
 */
export function commonWords(text: string, isSpared: (word: string) => boolean): readonly WordRange[] {
  return [...text.matchAll(wordPattern)].flatMap(({ 0: word, index }) => {
    const isAllowed = word.length <= mostOf(word, text.length) || isSpared(word);
    return isAllowed ? [{ from: index, to: index + word.length }] : [];
  });
}

export interface WordRange {
  readonly from: number;
  readonly to: number;
}

function mostOf(word: string, length: number): number {
  if (common.has(word.toLowerCase())) return Math.floor(length / 2);
  return isPronounceable(word) ? Math.floor(length / 3) : 0;
}

const wordPattern = /(?<![\p{L}\p{N}])\p{L}+(?![\p{L}\p{N}])/gu;

/** Whether it has five letters or more, in one case, and consists of syllables. */
function isPronounceable(word: string): boolean {
  return /^(?:[A-Z]?[a-z]{4,}|[A-Z]{5,})$/.test(word) && syllables.test(word);
}

const syllables = /^[^aeiouy]{0,3}(?:[aeiouy]{1,2}[^aeiouy]{1,3})+[aeiouy]{0,2}$/i;
