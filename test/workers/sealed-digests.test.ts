import fc from "fast-check";
import { expect, test } from "vitest";
import { seal, sealKey } from "../../src/workers/sealed-digests.ts";

test("what is sealed for a run is opened by that run alone, and is never the same twice", () => {
  const [run, other] = [sealKey(), sealKey()];
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (given) => {
      const text = given.toWellFormed();
      const [sealed, again] = [seal(text, run.key), seal(text, run.key)];
      expect([run.open(sealed), run.open(again)]).toEqual([text, text]);
      expect(other.open(sealed)).toBeUndefined();
      expect(sealed).not.toBe(again);
    }),
    { numRuns: 30 },
  );
});

test.each(["", "{}", "[]", "null", '["a","b"]', "[1,2]", JSON.stringify([sealKey().key, "AAAA"])])(
  "%j was sealed for nobody",
  (text) => expect(sealKey().open(text)).toBeUndefined(),
);
