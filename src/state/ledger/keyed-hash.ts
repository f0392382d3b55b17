import { hash } from "node:crypto";
import { memoized } from "../../base/memoize.ts";

/** Bytes of a block of SHA-256, and of its digest. */
const [blockSize, digestSize] = [64, 32];

/** Bytes of a text that need no memory of their own. */
const mostUsual = 1 << 15;

/**
 * HMAC-SHA-256 of a text, and of the bytes after it, with one key; as base64url. A plan of a fleet makes a million of short
 * texts, for which `createHmac` takes twice as long: it makes an object for each, which the collector has to follow.
 */
export function keyedHash(key: string): (text: string, after?: Uint8Array) => string {
  const inner = padded(key, 0x36, mostUsual);
  const outer = padded(key, 0x5c, digestSize);
  // A new one for each text would cost as much as hashing it does.
  const partOf = memoized((size: number) => inner.subarray(0, size));
  return (text, after = nothing) => {
    const most = text.length * 3 + after.length;
    const bytes = most <= mostUsual ? inner : padded(key, 0x36, most);
    const end = blockSize + bytes.write(text, blockSize);
    bytes.set(after, end);
    const size = end + after.length;
    const part = bytes === inner ? partOf(size) : bytes.subarray(0, size);
    outer.write(hash("sha256", part, "binary"), blockSize, "binary");
    return hash("sha256", outer, "base64url");
  };
}

const nothing = new Uint8Array(0);

/** The key, as a block of bytes that are changed by a mask, and room behind it. */
function padded(key: string, mask: number, room: number): Buffer {
  const bytes = Buffer.alloc(blockSize + room);
  const given = Buffer.from(key);
  bytes.set(given.length > blockSize ? hash("sha256", given, "buffer") : given);
  for (let at = 0; at < blockSize; at++) bytes[at] = (bytes[at] ?? 0) ^ mask;
  return bytes;
}
