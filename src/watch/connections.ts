import type { Server } from "node:http";
import type { Socket } from "node:net";

/** The open connections of a server. */
export interface Connections {
  /** Those that show who they are give way to nobody while they last. */
  readonly keep: (socket: Socket) => void;
}

/**
 * Holds a server to so many connections. A new one is never turned away for the sake of those that only wait: the oldest
 * that was not kept is closed, so that idle or slow strangers cannot keep anyone else from an answer.
 */
export function limitConnections(server: Server, most: number): Connections {
  const strangers = new Set<Socket>();
  server.on("connection", (socket) => {
    strangers.add(socket);
    socket.once("close", () => strangers.delete(socket));
    const [oldest] = strangers;
    if (strangers.size > most) oldest?.destroy();
  });
  return { keep: (socket) => void strangers.delete(socket) };
}
