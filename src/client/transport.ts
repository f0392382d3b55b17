import type { Dispatcher } from "undici";
import type { Call } from "../model/types.ts";
import type { WireRequest } from "./encode.ts";
import { createFailureExplainer } from "./explain-connection.ts";
import { type Network, openAgent } from "./network.ts";
import type { Broken, Headers, Received } from "./response.ts";
import type { ServerUrl } from "./server-url.ts";

/** Connections to one origin. */
export interface Transport {
  /** Makes one attempt. `mayGo` is asked right before the first byte is sent. */
  exchange(line: WireRequest, mayGo: () => boolean): Promise<Received | Broken>;
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
  /** Milliseconds for one attempt, from the connection to the last byte read. */
  readonly timeout: number;
  /** Methods that may leave this process; any other is a mistake in this program. */
  readonly methods: ReadonlySet<Call["method"]>;
}

/** The longest body that is read, in bytes. */
export const longestBody = 16 * 1024 * 1024;

const contentTypes = { form: "application/x-www-form-urlencoded", json: "application/json" } as const;

/** Opens the connections. Loads undici here, because that takes longer than most commands. */
export async function openTransport(options: TransportOptions): Promise<Transport> {
  const { connections, timeout, methods, network, server } = options;
  const explain = createFailureExplainer(server, network);
  const pool = { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0, maxResponseSize: longestBody };
  const dispatcher = await openAgent(network, timeout, pool);
  const headers = { "PRIVATE-TOKEN": options.token, "user-agent": options.userAgent, accept: "application/json" };
  const inFlight = new Set<Exchange>();
  let closed: Promise<void> | undefined;
  return {
    async exchange({ method, target: path, body = null, type }, mayGo) {
      if (!methods.has(method)) throw new RangeError(`this connection only reads, and ${method} writes`);
      const exchange = new Exchange(method, mayGo, timeout);
      inFlight.add(exchange);
      const typed = type ? { ...headers, "content-type": contentTypes[type] } : headers;
      dispatcher.dispatch({ origin: server.origin, method, path, body, headers: typed }, exchange);
      const result = await exchange.result;
      inFlight.delete(exchange);
      return explain(result);
    },
    cutReads() {
      for (const exchange of inFlight) if (exchange.method === "GET") exchange.end("aborted", "aborted");
    },
    close() {
      closed ??= Promise.all(Array.from(inFlight, ({ result }) => result)).then(() => dispatcher.destroy());
      return closed;
    },
  };
}

/** One request in flight: collects its response, or why there is none. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly method: Call["method"];
  readonly result: Promise<Received | Broken>;
  readonly #mayGo: () => boolean;
  readonly #timer: NodeJS.Timeout;
  #settle: (result: Received | Broken) => void = () => {};
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: Headers = {};
  readonly #chunks: Buffer[] = [];
  #isOver = false;

  constructor(method: Call["method"], mayGo: () => boolean, timeout: number) {
    this.method = method;
    this.#mayGo = mayGo;
    this.result = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#timer = setTimeout(() => this.end("timeout", "timeout"), Math.min(timeout, longestTimer));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (!this.#mayGo()) this.end("aborted", "aborted");
    if (this.#isOver) controller.abort(new Error("too late"));
    else this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [first = Buffer.alloc(0), ...more] = this.#chunks;
    const body = more.length > 0 ? Buffer.concat(this.#chunks) : first;
    this.#finish({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const code = codeOf(error);
    if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") this.end("large", code);
    else if (code === "UND_ERR_CONNECT_TIMEOUT") this.end("timeout", code);
    else this.end(this.#status === 0 ? "network" : "cut", code);
  }

  /** Ends it without a response; a request that still waits for a connection is never sent. */
  end(broken: Broken["broken"], code: string): void {
    if (this.#isOver) return;
    this.#finish({ broken, sent: this.#controller !== undefined, code });
    this.#controller?.abort(new Error(code));
  }

  #finish(result: Received | Broken): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#settle(result);
  }
}

/** Milliseconds of the longest timer that Node has. */
const longestTimer = 2 ** 31 - 1;

/** The error's code; the status of a proxy that did not open a tunnel. */
function codeOf(error: Error): string {
  const [, status] = /^Proxy response \((\d+)\)/.exec(error.message) ?? [];
  return status ?? String((error as NodeJS.ErrnoException).code ?? error.name);
}
