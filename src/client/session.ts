import { learnCredential, ownNames } from "../base/known-secrets.ts";
import { version } from "../base/version.ts";
import { integrationsAlias } from "../model/endpoints.ts";
import type { Call } from "../model/types.ts";
import type { FullAnswer } from "./classify-response.ts";
import { CallFailed, isDecisive, isUnknownRoute, isUnknownValue } from "./failure.ts";
import { Limiter, rateKey } from "./limiter.ts";
import type { ClientOptions } from "./reader.ts";
import { defaultBackoff } from "./retry.ts";
import { type Outgoing, type RunConnection, type Send, sendAttempt, watchServerLiveness } from "./send-attempt.ts";
import { parseServerUrl } from "./server-url.ts";
import { createStop } from "./timer.ts";
import { openTransport } from "./transport.ts";

/** A connection to one server for one run. */
export interface Session extends RunConnection {
  readonly send: Send;
}

/** Opens a session that may send only these methods. */
export async function openSession(options: ClientOptions, methods: ReadonlySet<Call["method"]>): Promise<Session> {
  const server = parseServerUrl(options.url, options.allowInsecure, options.urlName);
  const { concurrency: connections, requestTimeout: timeout, network = {}, giveUpAfter = defaultGiveUp } = options;
  const transport = await openTransport({
    ...{ server, network, connections, timeout, methods },
    token: () => run.token,
    userAgent: `evenkeel/${version}`,
  });
  const stop = createStop(options.signal);
  stop.onStop(() => transport.cutReads());
  const run: RunConnection = {
    ...{ options, server, transport, stop, token: options.token, mayRenew: true },
    backoff: options.backoff ?? defaultBackoff,
    limiter: new Limiter(options.concurrency, stop, options.rate, rateKey(options.token, server.origin)),
    liveness: watchServerLiveness(giveUpAfter, () => {
      run.gone = `the server answered nothing for ${giveUpAfter / 1000} s`;
      stop.now(run.gone);
    }),
    counts: { reads: 0, writes: 0, retries: 0 },
    over: undefined,
    gone: undefined,
    pause: undefined,
  };
  learnCredential(options.token, ownNames.EVENKEEL_TOKEN);
  return Object.assign(run, { send: withLegacyValues(withRouteAlias((request) => sendAttempt(run, request))) });
}

/** Milliseconds without any response after which the run ends. */
const defaultGiveUp = 60_000;

/** Sends nothing more, and resolves when requests in flight have ended. */
export async function closeSession({ stop, transport, liveness, options }: Session): Promise<void> {
  stop.now("the connection was closed");
  await transport.close();
  liveness.close();
  await options.rate?.close?.();
}

/** True once nothing more is sent. */
export function isStopped({ stop, over }: Session): boolean {
  return stop.reason !== undefined || over !== undefined;
}

/**
 * True if an attempt failed because the server is away: no request got a response since `answers` was read, and this
 * one could not be sent, or others failed too. Such an attempt does not count: the server may return until the run
 * gives up. A server that never responded probably has another address, and is waited for only if `giveUpAfter` is
 * set.
 */
export function isAway({ liveness, options }: Session, failure: CallFailed, answers: number): boolean {
  const isExpected = answers > 0 || options.giveUpAfter !== undefined;
  if (!failure.isUnanswered || !isExpected || answers !== liveness.answers) return false;
  return !failure.sent || liveness.affectsAllRequests;
}

/** The final failure of a call; it ends the run if the server is gone, or was never reachable. */
export function finalFailure(session: Session, failure: CallFailed): CallFailed {
  if (failure.kind === "unauthorized") return session.over ?? failure;
  if (!failure.isUnanswered) return failure;
  if (session.gone !== undefined) return failure.endingRun(session.gone);
  if (session.liveness.answers > 0 || failure.sent) return failure;
  session.over ??= failure.endingRun();
  return session.over;
}

/** Sends current parameter values; once the server accepts only legacy ones, sends those. */
function withLegacyValues(next: Send): Send {
  let isLegacy = false;
  return async (request) => {
    const { call } = request;
    if (!call.older) return next(request);
    const legacy = { ...request, call: { ...call, parameters: { ...call.parameters, ...call.older } } };
    if (isLegacy) return next(legacy);
    const result = await next(request);
    if (!isUnknownValue(result, Object.keys(call.older))) return result;
    const again = await next({ ...legacy, again: true });
    isLegacy ||= !(again instanceof CallFailed);
    return again;
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
  let usesAlias: boolean | undefined;
  let deciding: Promise<unknown> | undefined;

  async function decide(request: Outgoing): Promise<FullAnswer | CallFailed> {
    const result = await next(request);
    if (decidesRoute(result)) usesAlias = false;
    if (!isUnknownRoute(result)) return result;
    const other = await next({ ...applyAlias(request), again: true });
    if (decidesRoute(other)) usesAlias = true;
    if (!isUnknownRoute(other)) return other;
    usesAlias = false;
    return result;
  }

  return async (request) => {
    if (usesAlias === false || !affectedPath.test(request.path)) return next(request);
    while (deciding) await deciding;
    if (usesAlias !== undefined) return next(usesAlias ? applyAlias(request) : request);
    const answer = decide(request);
    deciding = answer
      .catch(() => {})
      .finally(() => {
        deciding = undefined;
      });
    return answer;
  };
}

function decidesRoute(result: FullAnswer | CallFailed): boolean {
  return !(result instanceof CallFailed) || (isDecisive(result) && !result.unknownRoute);
}

function applyAlias(request: Outgoing): Outgoing {
  return { ...request, path: request.path.replace(affectedPath, `$1${alias}`) };
}
