import { version } from "../base/version.ts";
import { isReference } from "../model/normalise.ts";
import type { Call, Scalar, Value } from "../model/types.ts";
import { type Attempt, judge, judgeBroken, type Reply, type Trouble } from "./classify-response.ts";
import type { ClientOptions } from "./client.ts";
import { encode, type Line, type Plain } from "./encode.ts";
import { CallFailed } from "./failure.ts";
import { createLimiter, type Limiter } from "./limiter.ts";
import { createRedactor, type Redactor } from "./redact.ts";
import { type Backoff, backoffDelay, defaultBackoff, longestPause, statedDelay } from "./retry.ts";
import { type Alias, createAlias } from "./route-alias.ts";
import { parseServerUrl, type ServerUrl } from "./server-url.ts";
import { createStop, type Stop } from "./stop.ts";
import { openTransport, type Received, type Transport } from "./transport.ts";

/** Opens a session that may send these methods and no others. */
export async function openSession(options: ClientOptions, methods: ReadonlySet<Call["method"]>): Promise<Session> {
  const server = parseServerUrl(options.url, options.allowInsecure);
  const { token, concurrency: connections, requestTimeout: timeout } = options;
  const userAgent = `evenkeel/${version}`;
  return new Session(options, server, await openTransport({ server, token, userAgent, connections, timeout, methods }));
}

/** A connection to one server for one run: calls in, replies out, and all of contract 7 between. */
export class Session {
  /** Requests sent: reads and writes count the first attempt of each, retries every further one. */
  readonly counts = { reads: 0, writes: 0, retries: 0 };
  readonly #options: ClientOptions;
  readonly #server: ServerUrl;
  readonly #transport: Transport;
  readonly #backoff: Backoff;
  readonly #stop: Stop;
  readonly #limiter: Limiter;
  readonly #redactor: Redactor = createRedactor();
  readonly #alias: Alias = createAlias(isUnknownRoute, isDecisive);
  /** Thrown for every further call: the token was refused, or nobody is there. */
  #over: CallFailed | undefined;
  #answered = false;
  /** Calls in a row that got no answer in all their attempts. */
  #unanswered = 0;

  constructor(options: ClientOptions, server: ServerUrl, transport: Transport) {
    this.#options = options;
    this.#server = server;
    this.#transport = transport;
    this.#backoff = options.backoff ?? defaultBackoff;
    this.#stop = createStop(options.signal);
    this.#stop.onStop(() => transport.cutReads());
    this.#limiter = createLimiter(options.concurrency, this.#stop, longestPause);
    this.#redactor.learn(options.token, "[token]");
  }

  /**
   * The answer to a call, after as many attempts as it takes and may take.
   * @throws CallFailed; SecretMissing where a parameter's secret cannot be resolved.
   */
  perform(call: Call): Promise<Reply> {
    return this.#alias(call.path, (path) => this.#performAt(call, path));
  }

  /** Where a path of the API lies on this server. */
  urlOf(path: string): string {
    return this.#server.origin + this.#server.prefix + path;
  }

  /** Sends nothing more, and resolves when what was in flight has ended. */
  async close(): Promise<void> {
    this.#stop.now("the connection was closed");
    await this.#transport.close();
  }

  async #performAt(call: Call, path: string): Promise<Reply> {
    let line: Line | undefined;
    let last: Trouble | undefined;
    let acted = false;
    for (let attempts = 1; ; attempts++) {
      const entry = this.#limiter.enter();
      if (entry) await entry;
      let result: Reply | Trouble;
      try {
        const refusal = this.#refusal(call, path, attempts - 1, last);
        if (refusal) throw refusal;
        line ??= encode(call, this.#server.prefix + path, this.#plain(call));
        result = await this.#attempt(line, path, attempts);
      } finally {
        this.#limiter.leave();
      }
      if ("body" in result) return result;
      if (call.method === "DELETE" && acted && result.failure.status === 404) return goneAlready;
      if (!result.again || attempts >= this.#backoff.attempts) throw this.#final(result);
      acted ||= result.acted;
      last = result;
      await this.#beforeNext(result, attempts);
    }
  }

  /** Why nothing is sent now; after a first attempt, that one's failure says more. */
  #refusal(call: Call, path: string, attempts: number, last: Trouble | undefined): CallFailed | undefined {
    if (this.#over) return this.#over;
    const { reason } = this.#stop;
    const wait = this.#limiter.remaining();
    if (reason === undefined && wait <= longestPause) return undefined;
    if (last && reason !== undefined) return last.failure;
    const base = { method: call.method, path, url: this.urlOf(path), attempts };
    if (reason !== undefined)
      return new CallFailed({ ...base, kind: "aborted", what: `was not sent: ${reason}`, endsRun: true });
    const seconds = Math.ceil(wait / 1000);
    const what = `was not sent${last ? " again" : ""}: the server asks to wait for ${seconds} more seconds, and Evenkeel waits for ${longestPause / 1000} at most`;
    return new CallFailed({ ...base, kind: "status", status: 429, what });
  }

  async #attempt(line: Line, path: string, attempts: number): Promise<Reply | Trouble> {
    const { round } = this.#limiter;
    if (attempts > 1) this.counts.retries++;
    else if (line.method === "GET") this.counts.reads++;
    else this.counts.writes++;
    const result = await this.#transport.exchange(line);
    const attempt = { method: line.method, path, url: this.#server.origin + line.target, attempts };
    if ("broken" in result) return judgeBroken(attempt, result, this.#stop.reason);
    this.#answered = true;
    this.#unanswered = 0;
    const verdict = judge(attempt, result, this.#redactor.clean);
    if ("body" in verdict) this.#limiter.succeeded();
    else this.#heed(attempt, result, verdict, round);
    return verdict;
  }

  /** What one answer means for all requests: a refused token ends the run, a busy server slows it down. */
  #heed({ attempts }: Attempt, { status, headers }: Received, { failure }: Trouble, round: number): void {
    if (status === 401) this.#over ??= failure;
    if (status !== 429 && status !== 503) return;
    this.#limiter.overloaded(round);
    const stated = statedDelay(headers, Date.now());
    const delay = stated ?? (status === 429 ? this.#delay(attempts) : undefined);
    if (delay === undefined) return;
    this.#limiter.pause(delay);
    this.#options.onPause?.(delay);
  }

  async #beforeNext({ failure }: Trouble, attempts: number): Promise<void> {
    const delay = this.#delay(attempts);
    this.#options.onRetry?.({ failure, delay });
    await this.#stop.sleep(delay);
  }

  #delay(attempts: number): number {
    return backoffDelay(this.#backoff, attempts, (this.#options.random ?? Math.random)());
  }

  /**
   * The failure to throw. Where nobody ever answered, the first call that gives up speaks for all; where the server
   * went away in the middle, the third in a row.
   */
  #final({ failure, acted }: Trouble): CallFailed {
    if (failure.kind === "unauthorized") return this.#over ?? failure;
    if (failure.kind !== "network" && failure.kind !== "timeout") return failure;
    this.#unanswered++;
    if (this.#answered && this.#unanswered < mostUnanswered) return failure;
    if (!this.#answered && acted) return failure;
    this.#over ??= failure.endingRun();
    return acted && failure.method !== "GET" ? failure : this.#over;
  }

  #plain({ method, parameters }: Call): Plain | undefined {
    if (!parameters) return undefined;
    const plain: Record<string, Scalar> = {};
    for (const [name, value] of Object.entries(parameters)) plain[name] = this.#plainValue(method, value);
    return plain;
  }

  #plainValue(method: Call["method"], value: Value): Scalar {
    if (!isReference(value)) return value;
    const { secrets } = this.#options;
    if (!secrets || method === "GET" || method === "DELETE") throw new RangeError(`${method} carries no secret`);
    const resolved = secrets.resolve(value);
    this.#redactor.learn(resolved, value.secret);
    return resolved;
  }
}

const mostUnanswered = 3;

const goneAlready: Reply = { status: 204, body: undefined, requestId: undefined, headers: {} };

function isUnknownRoute(error: unknown): boolean {
  return error instanceof CallFailed && error.unknownRoute;
}

/** Whether a failure comes from behind the route, so that the route must be known. */
function isDecisive(error: unknown): boolean {
  if (!(error instanceof CallFailed) || error.kind !== "status" || error.attempts === 0) return false;
  const { status = 500 } = error;
  return status < 500 && status !== 408 && status !== 429;
}
