import { openSync, readSync, statSync } from "node:fs";
import { noRegularFile } from "./durable-file.ts";

/** A line of a file without its line break. */
export interface FileLine {
  readonly text: string;
  /** Bytes before it. */
  readonly at: number;
  /** Bytes. */
  readonly size: number;
}

/** Bytes. */
const chunkSize = 1 << 18;

const lineBreak = 10;

/** Opens a regular file for reading; opening a FIFO could block. @throws a system error. */
export function openRegular(path: string): number {
  const stat = statSync(path);
  if (!stat.isFile()) throw noRegularFile(stat.isDirectory());
  return openSync(path, "r");
}

/** The lines of an open file one after the other, so that none but the current one is in memory. @throws a system error. */
export function* linesOf(file: number): Iterable<FileLine> {
  let bytes: Buffer = Buffer.allocUnsafe(chunkSize);
  let [at, kept] = [0, 0];
  for (;;) {
    const size = kept + readSync(file, bytes, kept, bytes.length - kept, at + kept);
    if (size === kept) break;
    let from = 0;
    for (let end = breakIn(bytes, from, size); end >= 0; end = breakIn(bytes, from, size)) {
      yield { text: bytes.toString("utf8", from, end), at: at + from, size: end - from };
      from = end + 1;
    }
    bytes.copyWithin(0, from, size);
    [at, kept] = [at + from, size - from];
    if (kept === bytes.length) bytes = Buffer.concat([bytes], kept * 2);
  }
  if (kept > 0) yield { text: bytes.toString("utf8", 0, kept), at, size: kept };
}

function breakIn(bytes: Buffer, from: number, size: number): number {
  const at = bytes.indexOf(lineBreak, from);
  return at < size ? at : -1;
}
