/** Words that messages of servers and of this program are made of; a secret with one of them in it does not make it one. */
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
 * Where a text has words that anybody may say, each standing by itself and only a small part of the text: a third, or half
 * of it if it is a very common one. What is random is hardly ever one. `isSpared` knows further words, of any length.
 */
export function everydayWords(text: string, isSpared: (word: string) => boolean): readonly WordPlace[] {
  return [...text.matchAll(standing)].flatMap(({ 0: word, index }) => {
    const isAllowed = word.length <= mostOf(word, text.length) || isSpared(word);
    return isAllowed ? [{ from: index, to: index + word.length }] : [];
  });
}

/** From its first unit to the one behind its last. */
export interface WordPlace {
  readonly from: number;
  readonly to: number;
}

function mostOf(word: string, length: number): number {
  if (common.has(word.toLowerCase())) return Math.floor(length / 2);
  return isPronounceable(word) ? Math.floor(length / 3) : 0;
}

const standing = /(?<![\p{L}\p{N}])\p{L}+(?![\p{L}\p{N}])/gu;

/** Five letters or more, in one case, of syllables. */
function isPronounceable(word: string): boolean {
  return /^(?:[A-Z]?[a-z]{4,}|[A-Z]{5,})$/.test(word) && syllables.test(word);
}

const syllables = /^[^aeiouy]{0,3}(?:[aeiouy]{1,2}[^aeiouy]{1,3})+[aeiouy]{0,2}$/i;
