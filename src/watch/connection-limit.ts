import type { Server } from "node:http";
import type { Socket } from "node:net";

/** The open connections of a server. */
export interface Connections {
  /** Those that show who they are give way to nobody while they last. */
  readonly keep: (socket: Socket) => void;
}

/**
 * Holds a server to so many connections. A new one is never turned away for the sake of those that only wait: of the older
 * half of those that were not kept, the one that has sent least for its age is closed. So neither idle nor slow strangers keep
 * anyone else from an answer, nor does a crowd that comes while somebody sends.
 */
export function limitConnections(server: Server, most: number): Connections {
  const strangers = new Map<Socket, number>();
  server.on("connection", (socket) => {
    strangers.set(socket, performance.now());
    socket.once("close", () => strangers.delete(socket));
    if (strangers.size > most) slowest(strangers)?.destroy();
  });
  return { keep: (socket) => void strangers.delete(socket) };
}

/** By bytes per millisecond, of the older half; the oldest of equals. `since` is in the order in which they came. */
function slowest(since: ReadonlyMap<Socket, number>): Socket | undefined {
  const now = performance.now();
  const older = [...since].slice(0, Math.ceil(since.size / 2));
  const rates = older.map(([socket, begun]) => socket.bytesRead / Math.max(1, now - begun));
  return older[rates.indexOf(Math.min(...rates))]?.[0];
}
