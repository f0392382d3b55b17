import type { Dispatcher } from "undici";
import type { Call } from "../model/types.ts";
import { type Headers, headersIn } from "./answer-headers.ts";
import type { Deadline, Deadlines } from "./deadlines.ts";

/**
 * One request in flight: gathers its answer, and settles once, with it or with why there is none. Its methods are those that
 * undici itself calls: it turns others into them at the price of an object more and of all headers, parsed, for each answer.
 */
export class Exchange implements Deadline, Dispatcher.DispatchHandler {
  readonly method: Call["method"];
  readonly deadline: number;
  readonly #settle: (result: Received | Broken) => void;
  readonly #flights: Deadlines<Exchange>;
  readonly #mayGo: () => boolean;
  #abort: ((error: Error) => void) | undefined;
  #status = 0;
  #headers: Headers = {};
  #body: Buffer | undefined;
  #more: Buffer[] | undefined;
  #over = false;

  constructor(
    settle: (result: Received | Broken) => void,
    { method, mayGo }: { readonly method: Call["method"]; readonly mayGo: () => boolean },
    flights: Deadlines<Exchange>,
  ) {
    this.#settle = settle;
    this.method = method;
    this.#mayGo = mayGo;
    this.deadline = performance.now() + flights.timeout;
    this.#flights = flights;
    flights.add(this);
  }

  /** There is a connection now, for which it may have waited long. */
  onConnect(abort: (error?: Error) => void): void {
    if (!this.#mayGo()) this.end("aborted", "aborted");
    if (this.#over) abort(new Error("too late"));
    else this.#abort = abort;
  }

  onHeaders(status: number, headers: Buffer[]): true {
    if (status < 200) return true;
    this.#status = status;
    this.#headers = headersIn(headers);
    return true;
  }

  onData(chunk: Buffer): true {
    if (!this.#body) this.#body = chunk;
    else if (this.#more) this.#more.push(chunk);
    else this.#more = [this.#body, chunk];
    return true;
  }

  onComplete(): void {
    const body = this.#more ? Buffer.concat(this.#more) : (this.#body ?? empty);
    this.#finish({ status: this.#status, headers: this.#headers, body });
  }

  onError(error: Error): void {
    const code = String((error as NodeJS.ErrnoException).code ?? error.name);
    if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") this.end("large", code);
    else if (code === "UND_ERR_CONNECT_TIMEOUT") this.end("timeout", code);
    else this.end(this.#status === 0 ? "network" : "cut", code);
  }

  timeUp(): void {
    this.end("timeout", "timeout");
  }

  /** Ends it without an answer; a request that still waits for a connection is never sent. */
  end(broken: Broken["broken"], code: string): void {
    if (this.#over) return;
    this.#finish({ broken, sent: this.#abort !== undefined, code });
    this.#abort?.(new Error(code));
  }

  #finish(result: Received | Broken): void {
    if (this.#over) return;
    this.#over = true;
    this.#flights.delete(this);
    this.#settle(result);
  }
}

/** An answer, read to its end. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

const empty = Buffer.alloc(0);

/** Why there is no answer, or only part of one. */
export interface Broken {
  readonly broken: "network" | "timeout" | "cut" | "large" | "aborted";
  /** Whether the request went out: where it did, the server may have acted. */
  readonly sent: boolean;
  /** Code of the system or of undici, such as ECONNREFUSED. */
  readonly code: string;
  /** The same in words, where more is known than a code says; they complete "GET https://… ". */
  readonly words?: string | undefined;
}
