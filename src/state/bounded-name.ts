import { createHash } from "node:crypto";

/** Well below a third of what an entry of an index of PostgreSQL holds, in UTF-8. */
const longest = 400;

/**
 * A name under which a state keeps something: as it is, or the hash of one that is too long for an index, or that no
 * text of a database can hold (NUL, lone surrogates). Different names stay different.
 */
export function boundedName(name: string): string {
  const isPlain = Buffer.byteLength(name) <= longest && !name.includes("\0") && name.isWellFormed();
  // Escaped by JSON, since lone surrogates are all one character in UTF-8.
  return isPlain ? name : `sha256:${createHash("sha256").update(JSON.stringify(name)).digest("hex")}`;
}
