import { Socket } from "node:net";

/** The sockets of a group of connections. */
export interface Sockets {
  /** Creates a socket. */
  readonly stream: () => Socket;
  /** Destroys all of them, and later ones, so that none keeps the process alive. */
  readonly cut: () => void;
}

export function openSockets(): Sockets {
  const open = new Set<Socket>();
  let isOver = false;
  const stream = () => {
    const socket = new Socket();
    open.add(socket);
    if (isOver) setImmediate(() => socket.destroy());
    return socket.once("close", () => open.delete(socket));
  };
  return {
    stream,
    cut: () => {
      isOver = true;
      for (const socket of open) socket.destroy();
    },
  };
}
