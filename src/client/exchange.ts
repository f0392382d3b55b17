import type { Dispatcher } from "undici";
import type { Call } from "../model/types.ts";
import type { Deadline, Deadlines } from "./deadlines.ts";

/** One request in flight: gathers its answer, and settles once, with it or with why there is none. */
export class Exchange implements Deadline, Dispatcher.DispatchHandler {
  readonly method: Call["method"];
  readonly deadline: number;
  readonly #settle: (result: Received | Broken) => void;
  readonly #flights: Deadlines<Exchange>;
  readonly #mayGo: () => boolean;
  #controller: Dispatcher.DispatchController | undefined;
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
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (!this.#mayGo()) this.end("aborted", "aborted");
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

  timeUp(): void {
    this.end("timeout", "timeout");
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
    this.#flights.delete(this);
    this.#settle(result);
  }
}

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
  /** The same in words, where more is known than a code says; they complete "GET https://… ". */
  readonly words?: string | undefined;
}
