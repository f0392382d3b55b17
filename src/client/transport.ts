import type { Dispatcher } from "undici";
import type { Call } from "../model.ts";
import type { Line } from "./encode.ts";
import type { ServerUrl } from "./server-url.ts";

/** An answer, read to its end. Header names are in lower case. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Why there is no answer, or only part of one. */
export interface Broken {
  readonly broken: "network" | "timeout" | "cut" | "large" | "aborted";
  /** Whether the request went out: where it did, the server may have acted. */
  readonly sent: boolean;
  /** Code of the system or of undici, such as ECONNREFUSED. */
  readonly code: string;
}

/** One connection pool to one origin. */
export interface Transport {
  /** One attempt; never rejects. */
  exchange(line: Line): Promise<Received | Broken>;
  /** Cuts reads that are in flight; writes are left to finish. */
  cutReads(): void;
  /** Resolves when nothing is in flight any more. */
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly server: ServerUrl;
  readonly token: string;
  readonly userAgent: string;
  readonly connections: number;
  /** Milliseconds for one attempt, from the first byte sent to the last one read. */
  readonly timeout: number;
  /** Methods that may leave this process; any other is a mistake in this program. */
  readonly methods: ReadonlySet<Call["method"]>;
}

/** Longest body that is read, in bytes: no answer of the API comes near. */
export const longestBody = 64 * 1024 * 1024;

/** Milliseconds to wait for a connection, where an attempt may take longer than that. */
const longestConnect = 10_000;

const contentTypes = { form: "application/x-www-form-urlencoded", json: "application/json" } as const;

/** Opens the pool. undici is loaded here and not before, since loading costs more than most commands. */
export async function openTransport(options: TransportOptions): Promise<Transport> {
  const { Pool } = await import("undici");
  const { connections, timeout, methods } = options;
  const pool = new Pool(options.server.origin, {
    connections,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: longestBody,
    connect: { timeout: Math.min(timeout, longestConnect) },
  });
  const plain = ["PRIVATE-TOKEN", options.token, "user-agent", options.userAgent, "accept", "application/json"];
  const headers = {
    none: plain,
    form: [...plain, "content-type", contentTypes.form],
    json: [...plain, "content-type", contentTypes.json],
  };
  const reads = new Set<Exchange>();
  return {
    exchange(line) {
      const { method, target: path, body = null, type = "none" } = line;
      if (!methods.has(method)) throw new RangeError(`this connection only reads, and ${method} writes`);
      return new Promise((resolve) => {
        const exchange = new Exchange(resolve, timeout, method === "GET" ? reads : undefined);
        pool.dispatch({ method, path, body, headers: headers[type] }, exchange);
      });
    },
    cutReads() {
      for (const exchange of reads) exchange.end("aborted", "aborted");
    },
    close: () => pool.close(),
  };
}

/** One request in flight: gathers its answer, and ends it when time is up. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #settle: (result: Received | Broken) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #among: Set<Exchange> | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: Headers = {};
  #body: Buffer | undefined;
  #more: Buffer[] | undefined;
  #over = false;

  constructor(settle: (result: Received | Broken) => void, timeout: number, among: Set<Exchange> | undefined) {
    this.#settle = settle;
    this.#timer = setTimeout(timeUp, timeout, this);
    this.#among = among;
    among?.add(this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#over) controller.abort(new Error("too late"));
    else this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#body) this.#body = chunk;
    else if (this.#more) this.#more.push(chunk);
    else this.#more = [this.#body, chunk];
  }

  onResponseEnd(): void {
    const body = this.#more ? Buffer.concat(this.#more) : this.#body;
    this.#finish({ status: this.#status, headers: this.#headers, text: body ? body.toString() : "" });
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    const code = String((error as NodeJS.ErrnoException).code ?? error.name);
    if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") this.end("large", code);
    else if (code === "UND_ERR_CONNECT_TIMEOUT") this.end("timeout", code);
    else this.end(this.#status === 0 ? "network" : "cut", code);
  }

  /** Ends it without an answer; a request that still waits for a connection is never sent. */
  end(broken: Broken["broken"], code: string): void {
    if (this.#over) return;
    this.#finish({ broken, sent: this.#controller !== undefined, code });
    this.#controller?.abort(new Error(code));
  }

  #finish(result: Received | Broken): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#among?.delete(this);
    this.#settle(result);
  }
}

function timeUp(exchange: Exchange): void {
  exchange.end("timeout", "timeout");
}
