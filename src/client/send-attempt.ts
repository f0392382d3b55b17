import { knownSecrets } from "../base/known-secrets.ts";
import { catalogueOf } from "../model/catalogue.ts";
import type { Call } from "../model/types.ts";
import { calledKind } from "./called-kind.ts";
import { type Attempt, classify, classifyBroken, type FullAnswer } from "./classify-response.ts";
import { encode, resolvedParameters, type WireRequest } from "./encode.ts";
import type { Broken, Received } from "./exchange.ts";
import { CallFailed } from "./failure.ts";
import type { Limiter, Sending } from "./limiter.ts";
import type { ClientOptions } from "./options.ts";
import type { Outgoing } from "./pipeline.ts";
import { allowanceIn, type Backoff, backoffDelay, longestPause, statedDelay } from "./retry.ts";
import type { ServerLiveness } from "./server-liveness.ts";
import type { ServerUrl } from "./server-url.ts";
import type { Stop } from "./stop-signal.ts";
import type { Transport } from "./transport.ts";

/** What the attempts of a run have in common. */
export interface RunConnection {
  readonly options: ClientOptions;
  readonly server: ServerUrl;
  readonly transport: Transport;
  readonly backoff: Backoff;
  readonly stop: Stop;
  readonly limiter: Limiter;
  readonly liveness: ServerLiveness;
  /** Requests sent: reads and writes count the first attempt of each but of uncounted calls, retries every further one. */
  readonly counts: { reads: number; writes: number; retries: number };
  /** Thrown for every further call: the token was rejected, or the server was never there. */
  over: CallFailed | undefined;
}

type Result = FullAnswer | CallFailed;

/**
 * Sends a request once, as soon as there is room for it, and applies what its answer means for all others: a rejected token
 * ends the run, a busy server slows it down. Resolves to a failure unless the answer is a success that holds what it must.
 * @throws SecretMissing.
 */
export function sendAttempt(run: RunConnection, request: Outgoing): Promise<Result> {
  return new Promise((resolve, reject) => {
    run.limiter.enter(() => {
      const ended = (result: () => Result): void => {
        try {
          resolve(result());
        } catch (error) {
          reject(error);
        }
        run.limiter.leave();
      };
      try {
        send(run, request, ended);
      } catch (error) {
        ended(() => {
          throw error;
        });
      }
    });
  });
}

/** Calls `ended` once, with what tells the result. @throws SecretMissing before anything is sent. */
function send(run: RunConnection, request: Outgoing, ended: (result: () => Result) => void): void {
  const blocked = whyBlocked(run, request);
  if (blocked) {
    ended(() => blocked);
    return;
  }
  const { call, path } = request;
  const { options, server, limiter, liveness } = run;
  const line = encode(call, server.prefix + path, resolvedParameters(call, options.secrets));
  count(run, request);
  const going: Going = { line, sending: limiter.sending(), answers: liveness.answers };
  liveness.asked();
  const mayGo = () => whyForbidden(run, call) === undefined;
  run.transport.exchange(line, mayGo, (result) => ended(() => concluded(run, request, going, result)));
}

/** An attempt on its way, and how many answers there were before it. */
interface Going {
  readonly line: WireRequest;
  readonly sending: Sending;
  readonly answers: number;
}

function concluded(
  run: RunConnection,
  request: Outgoing,
  { line, sending, answers }: Going,
  result: Received | Broken,
): FullAnswer | CallFailed {
  const { limiter, liveness, stop } = run;
  limiter.ended();
  liveness.ended(isAnswer(result) ? undefined : `${line.method} ${line.target}`);
  const attempt = () => attemptOf(run, request, line);
  if (!("broken" in result)) return understood(run, request, attempt, result, sending);
  const tooLate = result.broken === "aborted" && !result.sent && whyBlocked(run, request);
  if (tooLate) return tooLate;
  // Others are answered, and this one gets no connection: there are too many.
  if (!result.sent && answers > 0 && answers < liveness.answers) limiter.overloaded(sending);
  return classifyBroken(attempt(), result, stop.reason, answers > 0);
}

/** Why nothing is sent now. */
function whyBlocked(run: RunConnection, { call, path: routed, attempts }: Outgoing): CallFailed | undefined {
  if (run.over) return run.over;
  const { method, path } = call;
  const reason = run.stop.reason ?? whyForbidden(run, call);
  const wait = run.limiter.remaining();
  if (reason === undefined && wait <= longestPause) return undefined;
  const url = run.server.origin + run.server.prefix + routed;
  const base = { method, path, url, attempts: attempts - 1, sent: false };
  if (reason !== undefined)
    return new CallFailed({ ...base, kind: "aborted", what: `was not sent: ${reason}`, endsRun: true });
  const seconds = Math.ceil(wait / 1000);
  const what = `was not sent${attempts > 1 ? " again" : ""}: the server asks to wait ${seconds} more seconds; Evenkeel waits at most ${longestPause / 1000}`;
  return new CallFailed({ ...base, kind: "status", status: 429, what });
}

/** Why a write must not be sent any more. */
function whyForbidden({ options }: RunConnection, { method }: Call): string | undefined {
  return method === "GET" ? undefined : options.mayWrite?.();
}

function count({ counts }: RunConnection, { call: { method, uncounted }, again }: Outgoing): void {
  if (again) counts.retries++;
  else if (method !== "GET") counts.writes++;
  else if (!uncounted) counts.reads++;
}

/** Whether anything of an answer came. */
function isAnswer(result: Received | Broken): boolean {
  return !("broken" in result) || result.broken === "cut" || result.broken === "large";
}

function attemptOf({ server, options }: RunConnection, { call, attempts }: Outgoing, { target }: WireRequest): Attempt {
  const { method, path } = call;
  const { name: setting, origin } = server;
  return {
    method,
    path,
    url: origin + target,
    setting,
    tokenName: options.tokenName,
    dialect: options.dialect,
    attempts,
  };
}

function understood(
  run: RunConnection,
  { call, attempts }: Outgoing,
  attempt: () => Attempt,
  received: Received,
  sending: Sending,
) {
  const answer = classify(call, () => withCalled(run, attempt(), received), received, knownSecrets.clean);
  const allowance = allowanceIn(received.headers, Date.now());
  if (allowance) run.limiter.allowed(sending, allowance);
  if (answer instanceof CallFailed) {
    if (received.status === 401) run.over ??= answer;
    applyBackpressure(run, attempts, received, sending);
  } else run.limiter.answered(sending);
  return answer;
}

/** Where a server lets nobody in, or knows no such path, the kind tells what it takes. */
function withCalled(
  { options: { catalogue, dialect } }: RunConnection,
  attempt: Attempt,
  { status }: Received,
): Attempt {
  if (status !== 403 && status !== 404) return attempt;
  return { ...attempt, called: calledKind(catalogue ?? catalogueOf(dialect), attempt) };
}

function applyBackpressure(run: RunConnection, attempts: number, { status, headers }: Received, sending: Sending) {
  if (status !== 429 && status !== 503) {
    run.limiter.answered(sending);
    return;
  }
  run.limiter.overloaded(sending);
  const stated = statedDelay(headers, Date.now());
  const delay = stated ?? (status === 429 ? delayAfterAttempt(run, attempts) : undefined);
  if (delay === undefined) return;
  run.limiter.pause(delay);
  run.options.onPause?.(delay);
}

/** Milliseconds before the attempt after this one. */
export function delayAfterAttempt({ backoff, options }: RunConnection, attempts: number): number {
  return backoffDelay(backoff, attempts, (options.random ?? Math.random)());
}
