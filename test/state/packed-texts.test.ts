import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { PackedTexts } from "../../src/state/ledger/packed-texts.ts";

const text = fc.oneof(
  fc.string({ unit: "binary" }).map((each) => each.toWellFormed()),
  // More than a page holds, with and without what is like it.
  fc.constantFrom("{}".repeat(3_000_000), randomBytes(900_000).toString("hex"), ""),
  fc.nat().map((number) => JSON.stringify({ sent: { number, of: `${number}`.repeat(300) } })),
);

test("texts are what was set last under their name", () => {
  const property = fc.property(fc.array(fc.tuple(fc.nat(40), text), { maxLength: 400 }), (all) => {
    const packed = new PackedTexts();
    const known = new Map<string, string>();
    for (const [number, each] of all) {
      packed.set(`${number}`, each);
      known.set(`${number}`, each);
    }
    expect(packed.size).toBe(known.size);
    expect(new Map(Array.from(packed.keys(), (name) => [name, packed.get(name)]))).toEqual(known);
    expect(packed.get("none")).toBeUndefined();
  });
  fc.assert(property, { numRuns: 12 });
});
