import type { Server } from "node:http";
import type { Socket } from "node:net";

/** The open connections of a server. */
export interface Connections {
  /** Exempts the connection of an authenticated client from the limit. */
  readonly keep: (socket: Socket) => void;
}

/**
 * Limits the connections of a server. A new connection is always accepted: if there are too many, the slowest of the older
 * half of the unauthenticated ones is closed. So neither idle nor slow clients nor a burst of new ones block others.
 */
export function limitConnections(server: Server, most: number): Connections {
  const unauthenticated = new Map<Socket, number>();
  server.on("connection", (socket) => {
    unauthenticated.set(socket, performance.now());
    socket.once("close", () => unauthenticated.delete(socket));
    if (unauthenticated.size > most) slowest(unauthenticated)?.destroy();
  });
  return { keep: (socket) => void unauthenticated.delete(socket) };
}

/** By bytes per millisecond; the oldest of equals. `since` is in the order of connecting. */
function slowest(since: ReadonlyMap<Socket, number>): Socket | undefined {
  const now = performance.now();
  const older = [...since].slice(0, Math.ceil(since.size / 2));
  const rates = older.map(([socket, begun]) => socket.bytesRead / Math.max(1, now - begun));
  return older[rates.indexOf(Math.min(...rates))]?.[0];
}
