import type { Call } from "../model/types.ts";
import { createDeadlines } from "./deadlines.ts";
import type { WireRequest } from "./encode.ts";
import type { Broken, Received } from "./exchange.ts";
import { Exchange } from "./exchange.ts";
import { createFailureExplainer } from "./explain-connection.ts";
import { httpLibrary } from "./http-library.ts";
import type { Network } from "./network.ts";
import type { ServerUrl } from "./server-url.ts";

/** One connection pool to one origin. */
export interface Transport {
  /** One attempt; `settle` gets what comes of it. `mayGo` is asked right before the first byte is sent. */
  // Not a promise: each of them on the way of a request costs as much as its checks do.
  exchange(line: WireRequest, mayGo: () => boolean, settle: (result: Received | Broken) => void): void;
  /** Cuts reads that are in flight; writes are left to finish. */
  cutReads(): void;
  /** Resolves when nothing is in flight any more; may be called again. */
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly server: ServerUrl;
  readonly network: Network;
  readonly token: string;
  readonly userAgent: string;
  readonly connections: number;
  /** Milliseconds for one attempt, from the first byte sent to the last one read. */
  readonly timeout: number;
  /** Methods that may leave this process; any other is a mistake in this program. */
  readonly methods: ReadonlySet<Call["method"]>;
}

/** Longest body that is read, in bytes: no answer of the API comes near. */
export const longestBody = 16 * 1024 * 1024;

/** Milliseconds to wait for a connection, where an attempt may take longer than that. */
const longestConnect = 10_000;

const contentTypes = { form: "application/x-www-form-urlencoded", json: "application/json" } as const;

/** Opens the pool. The HTTP library is loaded here and not before, since loading costs more than most commands. */
export async function openTransport(options: TransportOptions): Promise<Transport> {
  const { connectorFor } = await import("./connector.ts");
  const { Pool } = httpLibrary();
  const { connections, timeout, methods, network } = options;
  const tell = createFailureExplainer(options.server, network);
  const pool = new Pool(options.server.origin, {
    connections,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: longestBody,
    connect: connectorFor(network, Math.min(timeout, longestConnect)),
  });
  const plain = ["PRIVATE-TOKEN", options.token, "user-agent", options.userAgent, "accept", "application/json"];
  const headers = {
    none: plain,
    form: [...plain, "content-type", contentTypes.form],
    json: [...plain, "content-type", contentTypes.json],
  };
  let closed: Promise<void> | undefined;
  const flights = createDeadlines<Exchange>(timeout);
  return {
    exchange(line, mayGo, settle) {
      const { method, target: path, body = null, type = "none" } = line;
      if (!methods.has(method)) throw new RangeError(`this connection only reads, and ${method} writes`);
      const exchange = new Exchange((result) => settle(tell(result)), { method, mayGo }, flights);
      pool.dispatch({ method, path, body, headers: headers[type] }, exchange);
    },
    cutReads() {
      for (const exchange of flights) if (exchange.method === "GET") exchange.end("aborted", "aborted");
    },
    close() {
      closed ??= pool.close().finally(flights.close);
      return closed;
    },
  };
}
