import type { IncomingMessage } from "node:http";

/** Why a body was not read: it is too large, there are too many others, or the client disconnected. */
export type BodyFault = "large" | "crowded" | "gone";

/** Reads the bodies of requests. */
export interface BodyReader {
  readonly read: (request: IncomingMessage) => Promise<Buffer | BodyFault>;
}

interface Held {
  /** Bytes of memory. */
  readonly size: () => number;
  readonly evict: () => void;
}

/**
 * Reads bodies of at most `each` bytes, and buffers at most `all` bytes in total. Beyond that the largest body is evicted,
 * so that large, slow uploads do not block small ones.
 */
export function createBodyReader(each: number, all: number): BodyReader {
  const held = new Set<Held>();
  const makeRoom = () => {
    const sizes = [...held].map((body) => body.size());
    if (sizes.reduce((sum, size) => sum + size, 0) <= all) return;
    [...held][sizes.indexOf(Math.max(...sizes))]?.evict();
  };
  return {
    read: (request) =>
      new Promise((resolve) => {
        if (Number(request.headers["content-length"] ?? 0) > each) return resolve("large");
        const bytes = growingBytes(each);
        const end = (result: Buffer | BodyFault) => {
          held.delete(body);
          request.removeAllListeners("data").resume();
          resolve(result);
        };
        const body: Held = { size: bytes.capacity, evict: () => end("crowded") };
        held.add(body);
        request.on("data", (chunk: Buffer) => {
          const before = bytes.capacity();
          if (!bytes.append(chunk)) return end("large");
          if (bytes.capacity() > before) makeRoom();
        });
        request.once("end", () => end(bytes.all()));
        request.once("close", () => end("gone"));
      }),
  };
}

const firstBytes = 4096;

/** A single growing buffer: a body may arrive in a million chunks, each of which has an overhead. */
function growingBytes(most: number) {
  let room = Buffer.alloc(firstBytes);
  let used = 0;
  return {
    capacity: () => room.length,
    all: () => room.subarray(0, used),
    /** False if the limit would be exceeded. */
    append: (chunk: Buffer): boolean => {
      const size = used + chunk.length;
      if (size > most) return false;
      if (size > room.length) room = Buffer.concat([room], Math.min(most, 2 * size));
      chunk.copy(room, used);
      used = size;
      return true;
    },
  };
}
