import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A way to a port of this machine that can fall silent: what is sent is lost then, and no connection ends. */
export interface Relay extends AsyncDisposable {
  readonly port: number;
  readonly silence: () => void;
}

/** `passing` is called with what a client sends; it is passed on when what that returns is settled. */
export async function relayTo(port: number, passing: (bytes: Buffer) => unknown = () => {}): Promise<Relay> {
  const sockets = new Set<Socket>();
  let isSilent = false;
  const pass = (from: Socket, to: Socket, passing: (bytes: Buffer) => unknown = () => {}) => {
    sockets.add(from);
    from.on("error", () => {});
    let passed: Promise<unknown> = Promise.resolve();
    const then = (act: () => unknown) => {
      passed = passed.then(act, act);
    };
    from.on("data", (bytes) => {
      then(() => passing(bytes));
      then(() => isSilent || to.write(bytes));
    });
    from.on("close", () => then(() => isSilent || to.destroy()));
  };
  const listener = createServer({ allowHalfOpen: true }, (here) => {
    const there = connect(port, "127.0.0.1");
    pass(here, there, passing);
    pass(there, here);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  return {
    port: (listener.address() as AddressInfo).port,
    silence: () => {
      isSilent = true;
    },
    [Symbol.asyncDispose]: async () => {
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
