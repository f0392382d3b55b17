import { learnCredential, ownNames } from "../base/known-secrets.ts";
import { version } from "../base/version.ts";
import { type Catalogue, catalogueOf } from "../model/catalogue.ts";
import { integrationsAlias } from "../model/endpoints.ts";
import type { Call } from "../model/types.ts";
import { rateKey } from "../state/state.ts";
import { AccessToken } from "./access-token.ts";
import type { FullAnswer } from "./classify-response.ts";
import { CallFailed, isDecisive, isUnknownRoute, isUnknownValue } from "./failure.ts";
import { Limiter } from "./limiter.ts";
import type { ClientOptions } from "./options.ts";
import { backoffDelay, defaultBackoff } from "./retry.ts";
import {
  delayAfterAttempt,
  type Outgoing,
  type RunConnection,
  type Send,
  sendAttempt,
  watchServerLiveness,
} from "./send-attempt.ts";
import { parseServerUrl, type ServerUrl } from "./server-url.ts";
import { createStop } from "./timer.ts";
import { openTransport, type Transport } from "./transport.ts";

export async function openSession(options: ClientOptions, methods: ReadonlySet<Call["method"]>): Promise<Session> {
  const server = parseServerUrl(options.url, options.allowInsecure, options.urlName);
  const { concurrency: connections, requestTimeout: timeout, network = {} } = options;
  const token = new AccessToken(options);
  const userAgent = `evenkeel/${version}`;
  const transport = await openTransport({
    server,
    network,
    token: () => token.current,
    userAgent,
    connections,
    timeout,
    methods,
  });
  return new Session(options, { server, transport, token });
}

/** A connection to one server for one run: its limits and pauses, and the reason why it ended. */
export class Session {
  readonly #run: RunConnection;
  readonly #send: Send;
  #gone: string | undefined;

  constructor(
    options: ClientOptions,
    { server, transport, token }: { server: ServerUrl; transport: Transport; token: AccessToken },
  ) {
    const stop = createStop(options.signal);
    stop.onStop(() => transport.cutReads());
    const run: RunConnection = {
      ...{ options, server, transport, token, stop },
      backoff: options.backoff ?? defaultBackoff,
      limiter: new Limiter(options.concurrency, stop, options.rate, rateKey(options.token, server.origin)),
      liveness: watchServerLiveness(options.giveUpAfter ?? defaultGiveUp, () => this.#giveUp()),
      counts: { reads: 0, writes: 0, retries: 0 },
      over: undefined,
      pause: undefined,
    };
    this.#run = run;
    this.#send = withLegacyValues(withRouteAlias((request) => sendAttempt(run, request)));
    learnCredential(options.token, ownNames.EVENKEEL_TOKEN);
  }

  get counts(): RunConnection["counts"] {
    return this.#run.counts;
  }

  get room(): number {
    return this.#run.limiter.room;
  }

  get catalogue(): Catalogue {
    const { catalogue, dialect } = this.#run.options;
    return catalogue ?? catalogueOf(dialect);
  }

  get mostAttempts(): number {
    return this.#run.backoff.attempts;
  }

  get lookUpFor(): number {
    const { lookUpFor, requestTimeout } = this.#run.options;
    return lookUpFor ?? Math.max(shortestLookUp, requestTimeout);
  }

  get stopped(): boolean {
    return this.#run.stop.reason !== undefined || this.#run.over !== undefined;
  }

  attempt(call: Call, attempts: number): Promise<FullAnswer | CallFailed> {
    return this.#send({ call, path: call.path, attempts, again: attempts > 1 });
  }

  urlOf(path: string): string {
    return this.#run.server.origin + this.#run.server.prefix + path;
  }

  /** Sends nothing more, and resolves when requests in flight have ended. */
  async close(): Promise<void> {
    this.#run.stop.now("the connection was closed");
    await this.#run.transport.close();
    this.#run.liveness.close();
    await this.#run.options.rate?.close?.();
  }

  delayAfter(failure: CallFailed): number {
    const delay = delayAfterAttempt(this.#run, failure.attempts);
    this.#run.options.onRetry?.({ failure, delay });
    return delay;
  }

  /** Milliseconds before the next probe for a write's effect: exponential, without jitter. */
  pauseAfter(probes: number): number {
    return backoffDelay(this.#run.backoff, probes, 1);
  }

  sleep(milliseconds: number): Promise<void> {
    return this.#run.stop.sleep(milliseconds);
  }

  get answers(): number {
    return this.#run.liveness.answers;
  }

  /**
   * True if an attempt failed because the server is away: no request got a response since `answers` was read, and this
   * one could not be sent, or others failed too. Such an attempt does not count: the server may return until the run
   * gives up. A server that never responded probably has another address, and is waited for only if `giveUpAfter` is
   * set.
   */
  isAway({ isUnanswered, sent }: CallFailed, answers: number): boolean {
    const { liveness, options } = this.#run;
    const isExpected = answers > 0 || options.giveUpAfter !== undefined;
    if (!isUnanswered || !isExpected || answers !== liveness.answers) return false;
    return !sent || liveness.affectsAllRequests;
  }

  #giveUp(): void {
    const milliseconds = this.#run.options.giveUpAfter ?? defaultGiveUp;
    this.#gone = `the server answered nothing for ${milliseconds / 1000} s`;
    this.#run.stop.now(this.#gone);
  }

  /** The final failure of a call; it ends the run if the server is gone, or was never reachable. */
  final(failure: CallFailed): CallFailed {
    if (failure.kind === "unauthorized") return this.#run.over ?? failure;
    if (!failure.isUnanswered) return failure;
    if (this.#gone !== undefined) return failure.endingRun(this.#gone);
    if (this.answers > 0 || failure.sent) return failure;
    this.#run.over ??= failure.endingRun();
    return this.#run.over;
  }
}

const defaultGiveUp = 60_000;

const shortestLookUp = 10_000;

/** Sends current parameter values; once the server accepts only legacy ones, sends those. */
function withLegacyValues(next: Send): Send {
  let isLegacy = false;

  async function sendEither(request: Outgoing, legacy: Outgoing): Promise<FullAnswer | CallFailed> {
    if (isLegacy) return next(legacy);
    const result = await next(request);
    if (!isUnknownValue(result, Object.keys(request.call.older ?? {}))) return result;
    const again = await next({ ...legacy, again: true });
    isLegacy ||= !(again instanceof CallFailed);
    return again;
  }

  return (request) => {
    const { call } = request;
    if (!call.older) return next(request);
    const legacy = { ...request, call: { ...call, parameters: { ...call.parameters, ...call.older } } };
    return sendEither(request, legacy);
  };
}

const { segment, alias } = integrationsAlias;
const affectedPath = new RegExp(`^(/projects/[^/]+)${segment}(?=/|$)`);

/**
 * Sends calls of integrations by the alias that the server routes (docs/architecture.md). Decided once: the first call
 * tries the newer name, and the older one if the newer is an unknown route, while others wait. If both are unknown, the
 * newer one is used, and its failure is returned.
 */
function withRouteAlias(next: Send): Send {
  let knownAlias: string | undefined;
  let deciding: Promise<void> | undefined;

  async function decide(request: Outgoing): Promise<FullAnswer | CallFailed> {
    const result = await next(request);
    if (isUnknownRoute(result)) return tryAlias(request, result);
    if (decidesRoute(result)) knownAlias = segment;
    return result;
  }

  async function tryAlias(request: Outgoing, unknown: CallFailed): Promise<FullAnswer | CallFailed> {
    const result = await next({ ...applyAlias(request), again: true });
    if (isUnknownRoute(result)) knownAlias = segment;
    else if (decidesRoute(result)) knownAlias = alias;
    return knownAlias === segment ? unknown : result;
  }

  async function waitOrDecide(request: Outgoing): Promise<FullAnswer | CallFailed> {
    while (deciding) await deciding;
    if (knownAlias !== undefined) return next(knownAlias === alias ? applyAlias(request) : request);
    const answer = decide(request);
    const over = (): void => {
      deciding = undefined;
    };
    deciding = answer.then(over, over);
    return answer;
  }

  return (request) => {
    if (knownAlias === segment || !affectedPath.test(request.path)) return next(request);
    return knownAlias === alias ? next(applyAlias(request)) : waitOrDecide(request);
  };
}

function decidesRoute(result: FullAnswer | CallFailed): boolean {
  return !(result instanceof CallFailed) || isDecisive(result);
}

function applyAlias(request: Outgoing): Outgoing {
  return { ...request, path: request.path.replace(affectedPath, `$1${alias}`) };
}
