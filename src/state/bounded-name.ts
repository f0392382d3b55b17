import { createHash } from "node:crypto";

/** Bytes; three of them fit into an index entry of PostgreSQL. */
const maxBytes = 400;

/** Nearly every name: such characters are a byte each. */
const usual = /^[ -~]*$/;

/**
 * Returns a name unchanged, or its hash if it is too long for an index or contains what a database cannot store (NUL,
 * lone surrogates). Different names stay different.
 */
export function boundedName(name: string): string {
  if (name.length <= maxBytes && usual.test(name)) return name;
  const isPlain = Buffer.byteLength(name) <= maxBytes && !name.includes("\0") && name.isWellFormed();
  // As JSON, because UTF-8 encodes all lone surrogates as the same character.
  return isPlain ? name : `sha256:${createHash("sha256").update(JSON.stringify(name)).digest("hex")}`;
}
