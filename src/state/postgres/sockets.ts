import { Socket } from "node:net";

/** The sockets of some connections to a database. */
export interface Sockets {
  /** A socket for one more connection. */
  readonly stream: () => Socket;
  /** Ends all of them and all later ones, whether the database answers or not, so that none keeps the process alive. */
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
