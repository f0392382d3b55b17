/** Caches the results of a function. A result of undefined is not cached. */
export function memoized<Key, Answer>(
  work: (key: Key) => Answer,
  answers: { get(key: Key): Answer | undefined; set(key: Key, answer: Answer): unknown } = new Map(),
): (key: Key) => Answer {
  return (key) => {
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = work(key);
    answers.set(key, answer);
    return answer;
  };
}

/** Caches a value that is computed on first use. */
export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
