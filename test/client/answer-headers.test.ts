import fc from "fast-check";
import { util } from "undici";
import { expect, test } from "vitest";
import { headersIn } from "../../src/client/answer-headers.ts";

const read = ["date", "link", "location", "ratelimit-remaining", "retry-after", "x-next-page", "x-total"];
const others = ["content-type", "etag", "set-cookie", "x-runtime", "x-total2", "x-totals"];
const name = fc
  .tuple(fc.constantFrom(...read, ...others), fc.boolean())
  .map(([text, isLoud]) => (isLoud ? text.toUpperCase() : text));
const value = fc.string({ unit: fc.integer({ min: 32, max: 255 }).map((code) => String.fromCharCode(code)) });

test("the headers that are read are those of a whole parse, in any case and several times", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value)), (headers) => {
      const raw = headers.flat().map((text) => Buffer.from(text, "latin1"));
      const parsed = Object.entries(util.parseHeaders(raw)).filter(([each]) => read.includes(each));
      expect(headersIn(raw)).toEqual(Object.fromEntries(parsed));
    }),
  );
});
