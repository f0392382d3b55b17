import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { eachOf, parseShard, type ShardRow, shardText } from "../../src/state/snapshots/shard.ts";
import type { SeenEntry } from "../../src/state/snapshots/snapshot.ts";
import { readSummaries } from "../../src/state/snapshots/summaries.ts";
import { unzippedPieces } from "../../src/state/unzipped.ts";

const words = fc.string({ unit: "grapheme", maxLength: 200 });
const entry = fc.record({
  kind: fc.constant("webhook"),
  key: words,
  fields: fc.dictionary(words, words),
  policy: words,
});
const row = fc.tuple(words, fc.nat(), words, fc.constant("in sync"), words, fc.array(fc.nat(40)), fc.array(words));
const shard = fc.record({ entries: fc.array(entry), rows: fc.array(row) }) as unknown as fc.Arbitrary<
  ReturnType<typeof parseShard>
>;

/** A text in pieces of these lengths, and the rest of it. */
async function* cut(text: string, lengths: readonly number[]): AsyncIterable<string> {
  let at = 0;
  for (const length of lengths) {
    yield text.slice(at, at + length);
    at += length;
  }
  yield text.slice(at);
}

async function readIn(pieces: AsyncIterable<string>) {
  const [entries, rows]: [SeenEntry[], ShardRow[]] = [[], []];
  const isWhole = await eachOf(
    pieces,
    (parse) => entries.push(parse()),
    (each) => rows.push(each),
  );
  expect(isWhole).toBe(true);
  return { entries, rows };
}

test("a shard read piece by piece is the one that was written, and that is read whole", async () => {
  const property = fc.asyncProperty(shard, fc.array(fc.nat(90)), async (content, lengths) => {
    const text = shardText(content);
    expect(parseShard(text)).toEqual(content);
    expect(await readIn(cut(text, lengths))).toEqual(content);
    expect(await readIn(unzippedPieces(gzipSync(text)))).toEqual(content);
    // As earlier versions wrote it: in one line.
    expect(await readIn(cut(JSON.stringify({ format: 1, ...content }), lengths))).toEqual(content);
  });
  await fc.assert(property, { numRuns: 60 });
});

test("a shard that is damaged has no projects for a console, nor has one that is not there; one of a later version is told", async () => {
  const text = shardText({ entries: [], rows: [["p", 1, "", "in sync", "", "", "r", 0, [], [], {}, []]] });
  const read = (bytes: Buffer | undefined) => readSummaries({ pieces: () => unzippedPieces(bytes) }, "00");
  const zipped = gzipSync(text);
  expect(await read(zipped)).toMatchObject([{ project: "p", syncStatus: "in sync", run: "r" }]);
  expect(await read(zipped.subarray(0, -9))).toEqual([]);
  expect(await read(Buffer.from("not compressed"))).toEqual([]);
  expect(await read(gzipSync(text.slice(0, -20)))).toEqual([]);
  expect(await read(undefined)).toEqual([]);
  await expect(read(gzipSync('{"format":99}'))).rejects.toThrow("format 99");
});
