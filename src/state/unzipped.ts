import { createGunzip } from "node:zlib";

/** A compressed text in pieces; none where there is none. @throws a system error where it is damaged. */
export async function* unzippedPieces(bytes: Buffer | undefined): AsyncIterable<string> {
  if (!bytes) return;
  const gunzip = createGunzip({ chunkSize: pieceSize }).setEncoding("utf8");
  gunzip.end(bytes);
  yield* gunzip as AsyncIterable<string>;
}

const pieceSize = 65_536;
