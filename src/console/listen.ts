import { createAdaptorServer } from "@hono/node-server";
import { Refusal } from "../base/exit.ts";
import { systemTrouble } from "../base/system-errors.ts";
import { type ConsoleOptions, consoleApp } from "./app.ts";

/** A console that is listening. */
export interface Listening {
  readonly url: string;
  /** Ends it at once; nothing is lost by it. */
  readonly close: () => Promise<void>;
}

/** Starts the console. @throws Refusal where it cannot listen there. */
export async function listen(host: string, port: number, options: ConsoleOptions): Promise<Listening> {
  const server = createAdaptorServer({ fetch: consoleApp(options).fetch });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      reject(new Refusal(`cannot listen on ${host}:${port}: ${systemTrouble(error)}`));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const at = typeof address === "object" && address ? address.port : port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${at}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ("closeAllConnections" in server) server.closeAllConnections();
      }),
  };
}
