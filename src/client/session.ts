import { learnCredential, ownNames } from "../base/known-secrets.ts";
import { version } from "../base/version.ts";
import { type Catalogue, catalogueOf } from "../model/catalogue.ts";
import { integrationsAlias } from "../model/endpoints.ts";
import type { Call } from "../model/types.ts";
import { rateKey } from "../state/state.ts";
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

/** Opens a session that may send these methods and no others. */
export async function openSession(options: ClientOptions, methods: ReadonlySet<Call["method"]>): Promise<Session> {
  const server = parseServerUrl(options.url, options.allowInsecure, options.urlName);
  const { token, concurrency: connections, requestTimeout: timeout, network = {} } = options;
  const userAgent = `evenkeel/${version}`;
  const transport = await openTransport({ server, network, token, userAgent, connections, timeout, methods });
  return new Session(options, server, transport);
}

/** A connection to one server for one run: its limits, its pauses, and when it is over for all requests. */
export class Session {
  readonly #run: RunConnection;
  readonly #send: Send;
  /** Set once the server has been away for too long. */
  #gone: string | undefined;

  constructor(options: ClientOptions, server: ServerUrl, transport: Transport) {
    const stop = createStop(options.signal);
    stop.onStop(() => transport.cutReads());
    const run: RunConnection = {
      ...{ options, server, transport, stop },
      backoff: options.backoff ?? defaultBackoff,
      limiter: new Limiter(options.concurrency, stop, options.rate, rateKey(options.token, server.origin)),
      liveness: watchServerLiveness(options.giveUpAfter ?? defaultGiveUp, () => this.#giveUp()),
      counts: { reads: 0, writes: 0, retries: 0 },
      over: undefined,
      pause: undefined,
    };
    this.#run = run;
    this.#send = legacyValues(routeAlias((request) => sendAttempt(run, request)));
    learnCredential(options.token, ownNames.EVENKEEL_TOKEN);
  }

  /** Requests sent: first attempts of reads and of writes but of uncounted calls, and every further attempt. */
  get counts(): RunConnection["counts"] {
    return this.#run.counts;
  }

  /** How many requests may be in flight now. */
  get room(): number {
    return this.#run.limiter.room;
  }

  /** What there is to configure on the server. */
  get catalogue(): Catalogue {
    const { catalogue, dialect } = this.#run.options;
    return catalogue ?? catalogueOf(dialect);
  }

  /** How often a call is tried in all. */
  get mostAttempts(): number {
    return this.#run.backoff.attempts;
  }

  /** Milliseconds for which a write without an answer is looked up. */
  get lookUpFor(): number {
    const { lookUpFor, requestTimeout } = this.#run.options;
    return lookUpFor ?? Math.max(shortestLookUp, requestTimeout);
  }

  /** Whether nothing more is sent. */
  get stopped(): boolean {
    return this.#run.stop.reason !== undefined || this.#run.over !== undefined;
  }

  /** The `attempts`th attempt at a call, or its failure. @throws SecretMissing if a parameter's secret cannot be resolved. */
  attempt(call: Call, attempts: number): Promise<FullAnswer | CallFailed> {
    return this.#send({ call, path: call.path, attempts, again: attempts > 1 });
  }

  /** The URL of a path of the API on this server. */
  urlOf(path: string): string {
    return this.#run.server.origin + this.#run.server.prefix + path;
  }

  /** Sends nothing more, and resolves when what was in flight has ended. */
  async close(): Promise<void> {
    this.#run.stop.now("the connection was closed");
    await this.#run.transport.close();
    this.#run.liveness.close();
    await this.#run.options.rate?.close?.();
  }

  /** Milliseconds before the attempt after this one, which `onRetry` gets as well. */
  delayAfter(failure: CallFailed): number {
    const delay = delayAfterAttempt(this.#run, failure.attempts);
    this.#run.options.onRetry?.({ failure, delay });
    return delay;
  }

  /** Milliseconds before the next probe for a write's effect, after so many: exponential, without jitter. */
  pauseAfter(probes: number): number {
    return backoffDelay(this.#run.backoff, probes, 1);
  }

  /** Resolves after so many milliseconds, or at once when the run is stopped. */
  sleep(milliseconds: number): Promise<void> {
    return this.#run.stop.sleep(milliseconds);
  }

  /** How many answers came so far, to any request: what {@link isAway} compares. */
  get answers(): number {
    return this.#run.liveness.answers;
  }

  /**
   * Whether an attempt failed because the server is away: no request was answered since there were so many answers, and it
   * could not be sent, or others failed as well. Such an attempt does not count, since the server may come back until the
   * run gives it up. A server that never answered probably has another address, and is waited for only if `giveUpAfter`
   * is set.
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

  /** The failure that a call ends with: its own, and the end of the run if the server is not there any more, or never was. */
  final(failure: CallFailed): CallFailed {
    if (failure.kind === "unauthorized") return this.#run.over ?? failure;
    if (!failure.isUnanswered) return failure;
    if (this.#gone !== undefined) return failure.endingRun(this.#gone);
    if (this.answers > 0 || failure.sent) return failure;
    this.#run.over ??= failure.endingRun();
    return this.#run.over;
  }
}

/** Milliseconds for which a server may be away. */
const defaultGiveUp = 60_000;

/** Milliseconds. */
const shortestLookUp = 10_000;

/** Sends the current values of parameters until the server accepts legacy ones instead, and the legacy ones from then on. */
function legacyValues(next: Send): Send {
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
const affected = new RegExp(`^(/projects/[^/]+)${segment}(?=/|$)`);

/**
 * Sends calls of integrations by the name that the server knows (docs/architecture.md), which is decided once: the first
 * call tries the newer name, and the older one if the newer is an unknown route; others wait for it. If both are unknown,
 * the newer one is used, and its failure is the result.
 */
function routeAlias(next: Send): Send {
  let known: string | undefined;
  let deciding: Promise<void> | undefined;

  async function decide(request: Outgoing): Promise<FullAnswer | CallFailed> {
    const result = await next(request);
    if (isUnknownRoute(result)) return tryAlias(request, result);
    if (tellsRoute(result)) known = segment;
    return result;
  }

  async function tryAlias(request: Outgoing, unknown: CallFailed): Promise<FullAnswer | CallFailed> {
    const result = await next({ ...renamed(request), again: true });
    if (isUnknownRoute(result)) known = segment;
    else if (tellsRoute(result)) known = alias;
    return known === segment ? unknown : result;
  }

  async function undecided(request: Outgoing): Promise<FullAnswer | CallFailed> {
    while (deciding) await deciding;
    if (known !== undefined) return next(known === alias ? renamed(request) : request);
    const answer = decide(request);
    const over = (): void => {
      deciding = undefined;
    };
    deciding = answer.then(over, over);
    return answer;
  }

  return (request) => {
    if (known === segment || !affected.test(request.path)) return next(request);
    return known === alias ? next(renamed(request)) : undecided(request);
  };
}

/** Whether a result comes from behind the route, so that the route must be known. */
function tellsRoute(result: FullAnswer | CallFailed): boolean {
  return !(result instanceof CallFailed) || isDecisive(result);
}

function renamed(request: Outgoing): Outgoing {
  return { ...request, path: request.path.replace(affected, `$1${alias}`) };
}
