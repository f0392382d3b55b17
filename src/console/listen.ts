import { createAdaptorServer } from "@hono/node-server";
import { cannotListen, hostAndPort } from "../base/listen-address.ts";
import { type ConsoleOptions, consoleApp } from "./app.ts";

/** A console that is listening. */
export interface Listening {
  readonly url: string;
  /** Ends it at once; nothing is lost by it. */
  readonly close: () => Promise<void>;
}

/** Starts the console. @throws UserError where it cannot listen there. */
export async function listen(host: string, port: number, options: ConsoleOptions): Promise<Listening> {
  const server = createAdaptorServer({ fetch: consoleApp(options).fetch });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(cannotListen(host, port, error)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const at = typeof address === "object" && address ? address.port : port;
  return {
    url: `http://${hostAndPort(host, at)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ("closeAllConnections" in server) server.closeAllConnections();
      }),
  };
}
