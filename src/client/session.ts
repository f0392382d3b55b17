import { knownSecrets, learnCredential, ownNames } from "../base/known-secrets.ts";
import { version } from "../base/version.ts";
import { type Catalogue, catalogueOf } from "../model/catalogue.ts";
import type { Call } from "../model/types.ts";
import { rateKey } from "../state/rates.ts";
import { type Attempt, classify, classifyBroken, type FullAnswer } from "./classify-response.ts";
import { encode, type WireRequest } from "./encode.ts";
import { CallFailed, isDecisive, isUnknownRoute, isUnknownWord } from "./failure.ts";
import { createLimiter, type Limiter, type Sending } from "./limiter.ts";
import { createLegacyValueFallback, type Words } from "./older-words.ts";
import type { ClientOptions } from "./options.ts";
import { type ServerLiveness, watchServerLiveness } from "./presence.ts";
import type { Broken, Received } from "./received.ts";
import { resolvedParameters } from "./resolve-secrets.ts";
import { allowanceIn, type Backoff, backoffDelay, defaultBackoff, longestPause, statedDelay } from "./retry.ts";
import { type Alias, createAlias } from "./route-alias.ts";
import { parseServerUrl, type ServerUrl } from "./server-url.ts";
import { inSpan } from "./spans.ts";
import { createStop, type Stop } from "./stop.ts";
import { openTransport, type Transport } from "./transport.ts";

/** Opens a session that may send these methods and no others. */
export async function openSession(options: ClientOptions, methods: ReadonlySet<Call["method"]>): Promise<Session> {
  const server = parseServerUrl(options.url, options.allowInsecure, options.urlName);
  const { token, concurrency: connections, requestTimeout: timeout, network = {} } = options;
  const userAgent = `evenkeel/${version}`;
  const transport = await openTransport({ server, network, token, userAgent, connections, timeout, methods });
  return new Session(options, server, transport);
}

/** A connection to one server for one run: its limits, its pauses, and what one answer means for all requests. */
export class Session {
  /** Requests sent: reads and writes count the first attempt of each but of uncounted calls, retries every further one. */
  readonly counts = { reads: 0, writes: 0, retries: 0 };
  readonly #options: ClientOptions;
  readonly #server: ServerUrl;
  readonly #transport: Transport;
  readonly #backoff: Backoff;
  readonly #stop: Stop;
  readonly #limiter: Limiter;
  readonly #alias: Alias = createAlias(isUnknownRoute, isDecisive);
  readonly #words: Words = createLegacyValueFallback(isUnknownWord);
  /** Thrown for every further call: the token was rejected, or nobody was ever there. */
  #over: CallFailed | undefined;
  readonly #presence: ServerLiveness;
  /** Set once the server has been away for too long. */
  #gone: string | undefined;

  constructor(options: ClientOptions, server: ServerUrl, transport: Transport) {
    this.#options = options;
    this.#server = server;
    this.#transport = transport;
    this.#backoff = options.backoff ?? defaultBackoff;
    this.#stop = createStop(options.signal);
    this.#stop.onStop(() => transport.cutReads());
    const rate = options.rate && { rate: options.rate, key: rateKey(options.token, server.origin) };
    this.#limiter = createLimiter(options.concurrency, this.#stop, longestPause, rate);
    this.#presence = watchServerLiveness(options.giveUpAfter ?? defaultGiveUp, () => this.#giveUp());
    learnCredential(options.token, ownNames.EVENKEEL_TOKEN);
  }

  /** What there is to configure on the server. */
  get catalogue(): Catalogue {
    return catalogueOf(this.#options.dialect);
  }

  /** How often a call is tried in all. */
  get mostAttempts(): number {
    return this.#backoff.attempts;
  }

  /** Milliseconds for which a write without an answer is looked up. */
  get lookUpFor(): number {
    return this.#options.lookUpFor ?? Math.max(shortestLookUp, this.#options.requestTimeout);
  }

  /** Whether nothing more is sent. */
  get stopped(): boolean {
    return this.#stop.reason !== undefined || this.#over !== undefined;
  }

  /**
   * One attempt at a call, the `attempts`th, by the name that the server knows the route by.
   * @throws CallFailed; SecretMissing where a parameter's secret cannot be resolved.
   */
  attempt(call: Call, attempts: number): Promise<FullAnswer> {
    let asked = attempts;
    return this.#words(call, (spelled) =>
      this.#alias(call.path, (path) => this.#attemptAt(spelled, path, attempts, asked++ > 1)),
    );
  }

  /** Where a path of the API lies on this server. */
  urlOf(path: string): string {
    return this.#server.origin + this.#server.prefix + path;
  }

  /** Sends nothing more, and resolves when what was in flight has ended. */
  async close(): Promise<void> {
    this.#stop.now("the connection was closed");
    await this.#transport.close();
    this.#presence.close();
    await this.#options.rate?.close?.();
  }

  /** `again`: the same was asked before, be it by another name of its route. */
  #attemptAt(call: Call, path: string, attempts: number, again: boolean): Promise<FullAnswer> {
    const told = {
      "http.request.method": call.method,
      "server.address": this.#server.origin,
      "url.path": path,
      "http.request.resend_count": again ? attempts - 1 : undefined,
    };
    return this.#limiter.run(() =>
      inSpan(call.method, told, async (span) => {
        const answer = await this.#exchange(call, path, attempts, again).catch((error) => {
          if (error instanceof CallFailed) span.set({ "http.response.status_code": error.status });
          throw error;
        });
        span.set({ "http.response.status_code": answer.status });
        return answer;
      }),
    );
  }

  /** Why a write may not go out any more. */
  #forbidden({ method }: Call): string | undefined {
    return method === "GET" ? undefined : this.#options.mayWrite?.();
  }

  /** Why nothing is sent now. */
  #refusal(call: Call, routed: string, attempts: number): CallFailed | undefined {
    const { method, path } = call;
    if (this.#over) return this.#over;
    const reason = this.#stop.reason ?? this.#forbidden(call);
    const wait = this.#limiter.remaining();
    if (reason === undefined && wait <= longestPause) return undefined;
    const base = { method, path, url: this.urlOf(routed), attempts: attempts - 1, sent: false };
    if (reason !== undefined)
      return new CallFailed({ ...base, kind: "aborted", what: `was not sent: ${reason}`, endsRun: true });
    const seconds = Math.ceil(wait / 1000);
    const what = `was not sent${attempts > 1 ? " again" : ""}: the server asks to wait ${seconds} more seconds; Evenkeel waits at most ${longestPause / 1000}`;
    return new CallFailed({ ...base, kind: "status", status: 429, what });
  }

  async #exchange(call: Call, path: string, attempts: number, again: boolean): Promise<FullAnswer> {
    const refusal = this.#refusal(call, path, attempts);
    if (refusal) throw refusal;
    const line = encode(call, this.#server.prefix + path, resolvedParameters(call, this.#options.secrets));
    this.#count(call, again);
    const sending = this.#limiter.sending();
    const { answers } = this.#presence;
    const result = await this.#send(call, line);
    const attempt = this.#attemptOf(call, line, attempts);
    if (!("broken" in result)) return this.#understood(attempt, result, sending);
    const tooLate = result.broken === "aborted" && !result.sent && this.#refusal(call, path, attempts);
    if (tooLate) throw tooLate;
    // Others are answered, and this one gets no connection: there are too many.
    if (!result.sent && answers > 0 && answers < this.#presence.answers) this.#limiter.overloaded(sending);
    throw classifyBroken(attempt, result, this.#stop.reason, answers > 0);
  }

  #count({ method, uncounted }: Call, again: boolean): void {
    if (again) this.counts.retries++;
    else if (method !== "GET") this.counts.writes++;
    else if (!uncounted) this.counts.reads++;
  }

  async #send(call: Call, line: WireRequest): Promise<Received | Broken> {
    this.#presence.asked();
    const result = await this.#transport.exchange(line, () => this.#forbidden(call) === undefined);
    this.#limiter.ended();
    const isAnswered = !("broken" in result) || result.broken === "cut" || result.broken === "large";
    this.#presence.ended(isAnswered ? undefined : `${line.method} ${line.target}`);
    return result;
  }

  #attemptOf({ method, path, answer }: Call, { target }: WireRequest, attempts: number): Attempt {
    const { name: setting, origin } = this.#server;
    return { method, path, url: origin + target, setting, dialect: this.#options.dialect, attempts, answer };
  }

  /** @throws CallFailed where the answer is a refusal, or not what it should be. */
  #understood(attempt: Attempt, received: Received, sending: Sending): FullAnswer {
    const verdict = classify(attempt, received, knownSecrets.clean);
    const allowance = allowanceIn(received.headers, Date.now());
    if (allowance) this.#limiter.allowed(sending, allowance);
    if (verdict instanceof CallFailed) {
      this.#applyBackpressure(attempt, received, verdict, sending);
      throw verdict;
    }
    this.#limiter.answered(sending);
    return verdict;
  }

  /** What one answer means for all requests: a refused token ends the run, a busy server slows it down. */
  #applyBackpressure(
    { attempts }: Attempt,
    { status, headers }: Received,
    failure: CallFailed,
    sending: Sending,
  ): void {
    if (status === 401) this.#over ??= failure;
    if (status !== 429 && status !== 503) {
      this.#limiter.answered(sending);
      return;
    }
    this.#limiter.overloaded(sending);
    const stated = statedDelay(headers, Date.now());
    const delay = stated ?? (status === 429 ? this.#delay(attempts) : undefined);
    if (delay === undefined) return;
    this.#limiter.pause(delay);
    this.#options.onPause?.(delay);
  }

  /** Milliseconds to wait before the attempt after this one, which is told to whoever listens. */
  delayAfter(failure: CallFailed): number {
    const delay = this.#delay(failure.attempts);
    this.#options.onRetry?.({ failure, delay });
    return delay;
  }

  /** Milliseconds before the look at a write's effect after the `looks`th: they grow, and leave nothing to chance. */
  pauseAfter(looks: number): number {
    return backoffDelay(this.#backoff, looks, 1);
  }

  /** Resolves after so many milliseconds, or at once when the run is stopped. */
  sleep(milliseconds: number): Promise<void> {
    return this.#stop.sleep(milliseconds);
  }

  #delay(attempts: number): number {
    return backoffDelay(this.#backoff, attempts, (this.#options.random ?? Math.random)());
  }

  /** How many answers came so far, to any request: what {@link isAway} is held against. */
  get answers(): number {
    return this.#presence.answers;
  }

  /**
   * Whether an attempt failed since nobody is there: no request was answered since there were so many answers, and it
   * could not be sent, or others fared the same. It is not counted against its call, for the server may come back until
   * the run gives it up. One that never answered has most likely another address, and is waited for only where somebody
   * said how long.
   */
  isAway({ isUnanswered, sent }: CallFailed, answers: number): boolean {
    const isExpected = answers > 0 || this.#options.giveUpAfter !== undefined;
    if (!isUnanswered || !isExpected || answers !== this.#presence.answers) return false;
    return !sent || this.#presence.affectsAllRequests;
  }

  #giveUp(): void {
    const milliseconds = this.#options.giveUpAfter ?? defaultGiveUp;
    this.#gone = `the server answered nothing for ${milliseconds / 1000} s`;
    this.#stop.now(this.#gone);
  }

  /** The failure that a call ends with: its own, and the end of the run where nobody is there any more, or ever was. */
  final(failure: CallFailed): CallFailed {
    if (failure.kind === "unauthorized") return this.#over ?? failure;
    if (!failure.isUnanswered) return failure;
    if (this.#gone !== undefined) return failure.endingRun(this.#gone);
    if (this.#presence.answers > 0 || failure.sent) return failure;
    this.#over ??= failure.endingRun();
    return this.#over;
  }
}

/** Milliseconds for which a server may be away. */
const defaultGiveUp = 60_000;

/** Milliseconds. */
const shortestLookUp = 10_000;
