import type { Dispatcher } from "undici";
import type { Call } from "../model/types.ts";
import type { WireRequest } from "./encode.ts";
import { type Network, openAgent } from "./network.ts";
import type { Broken, Headers, Received } from "./retry.ts";
import type { ServerUrl } from "./server-url.ts";
import { longestTimer } from "./timer.ts";

export interface Transport {
  /** Makes one attempt. `mayGo` is called right before the first byte is sent. */
  exchange(line: WireRequest, mayGo: () => boolean): Promise<Received | Broken>;
  /** Aborts reads in flight; writes are left to finish. */
  cutReads(): void;
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly server: ServerUrl;
  readonly network: Network;
  readonly token: () => string;
  readonly userAgent: string;
  readonly connections: number;
  /** Milliseconds for one attempt, from connecting to the last byte. */
  readonly timeout: number;
  /** Methods that may be sent; any other is a bug of this program. */
  readonly methods: ReadonlySet<Call["method"]>;
}

/** The longest body that is read, in bytes. */
export const longestBody = 16 * 1024 * 1024;

const contentTypes = { form: "application/x-www-form-urlencoded", json: "application/json" } as const;

/** Opens the connections. Loads undici only here, because that takes longer than most commands. */
export async function openTransport(options: TransportOptions): Promise<Transport> {
  const { connections, timeout, methods, network, server } = options;
  const pool = { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0, maxResponseSize: longestBody };
  const dispatcher = await openAgent(network, timeout, pool);
  const headers = { "user-agent": options.userAgent, accept: "application/json" };
  const inFlight = new Set<Exchange>();
  let closed: Promise<void> | undefined;
  return {
    async exchange({ method, target: path, body = null, type }, mayGo) {
      if (!methods.has(method)) throw new RangeError(`this connection only reads, and ${method} writes`);
      const exchange = new Exchange(method, mayGo, timeout);
      inFlight.add(exchange);
      const typed = {
        "PRIVATE-TOKEN": options.token(),
        ...headers,
        ...(type && { "content-type": contentTypes[type] }),
      };
      dispatcher.dispatch({ origin: server.origin, method, path, body, headers: typed }, exchange);
      const result = await exchange.result;
      inFlight.delete(exchange);
      return network.proxy && "broken" in result ? markProxyFailure(result) : result;
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

/** One request in flight: collects its response, or the reason why there is none. */
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
    const code = errorCode(error);
    if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") this.end("large", code);
    else if (code === "UND_ERR_CONNECT_TIMEOUT") this.end("timeout", code);
    else this.end(this.#status === 0 ? "network" : "cut", code);
  }

  /** Ends the request without a response; one that still waits for a connection is never sent. */
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

/** The error's code, or the status of a proxy that did not open a tunnel. */
function errorCode(error: Error): string {
  const [, status] = /^Proxy response \((\d+)\)/.exec(error.message) ?? [];
  return status ?? String((error as NodeJS.ErrnoException).code ?? error.name);
}

/** Marks failures of the proxy: all of connecting but the TLS connection inside its tunnel. */
function markProxyFailure(result: Broken): Broken {
  if (
    result.sent ||
    result.broken === "aborted" ||
    /CERT|SELF_SIGNED|UNABLE_TO|^ERR_SSL|^ERR_TLS|^EPROTO/.test(result.code)
  )
    return result;
  return { ...result, code: `PROXY_${result.code.replace("timeout", "TIMEOUT")}` };
}
