import { createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { keyedHash } from "../../src/state/ledger/keyed-hash.ts";

const texts = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.integer({ min: 1300, max: 1500 }).map((length) => "語".repeat(length)),
  fc.integer({ min: 0, max: 3 }).map((count) => "\ud800".repeat(count)),
);
const keys = fc.oneof(fc.string({ minLength: 1 }), fc.string({ unit: "binary", minLength: 60, maxLength: 70 }));

test("the keyed hash of any texts is their HMAC, whatever was hashed before", () => {
  fc.assert(
    fc.property(keys, fc.array(texts), (key, all) => {
      const keyed = keyedHash(key);
      for (const text of all) expect(keyed(text)).toBe(createHmac("sha256", key).update(text).digest("base64url"));
    }),
  );
});
