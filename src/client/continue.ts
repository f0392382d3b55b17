import type { Socket } from "node:net";

const start = Buffer.from("HTTP/1.1 100");
const end = "\r\n\r\n";
/** Bytes of a `100 Continue` that is waited for to its end. */
const longest = 16 * 1024;

/**
 * Takes `100 Continue` out of what a connection reads, since undici takes one that nobody asked for as a broken answer,
 * where RFC 9110 (15.2) has clients ignore it. No answer in JSON begins a line like that.
 */
export function dropContinue(socket: Socket): void {
  const read = socket.read.bind(socket);
  let held: Buffer | undefined;
  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const chunk: Buffer | null = read(size);
      if (!chunk || (!held && !mayStart(chunk))) return chunk;
      const rest: Buffer = withoutContinue(held ? Buffer.concat([held, chunk]) : chunk);
      held = mayStart(rest) && rest.length < longest ? rest : undefined;
      if (!held && rest.length > 0) return rest;
    }
  };
}

/** Whether `100 Continue` begins here, as far as can be told from so many bytes. */
function mayStart(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, start.length);
  return length > 0 && bytes.compare(start, 0, length, 0, length) === 0;
}

function withoutContinue(bytes: Buffer): Buffer {
  let rest = bytes;
  while (rest.length >= start.length && mayStart(rest)) {
    const at = rest.indexOf(end);
    if (at < 0) return rest;
    rest = rest.subarray(at + end.length);
  }
  return rest;
}
