/** A text whose pieces are made as they are taken. */
export function streamed(pieces: Iterable<string>): ReadableStream<Uint8Array> {
  const taken = pieces[Symbol.iterator]();
  return new ReadableStream({
    pull: (body) => {
      const { done, value } = taken.next();
      if (done) body.close();
      else body.enqueue(Buffer.from(value));
    },
  });
}
