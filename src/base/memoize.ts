/** A place for answers: a Map, or a WeakMap that lets go of them with their keys. */
interface Answers<Key, Answer> {
  readonly get: (key: Key) => Answer | undefined;
  readonly set: (key: Key, answer: Answer) => unknown;
}

/** The same function with a cache: each result is computed once. A result of undefined is not cached. */
export function memoized<Key, Answer>(
  work: (key: Key) => Answer,
  answers: Answers<Key, Answer> = new Map(),
): (key: Key) => Answer {
  return (key) => {
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = work(key);
    answers.set(key, answer);
    return answer;
  };
}
