import { UserError } from "../base/exit.ts";
import { learnCredential, ownNames } from "../base/known-secrets.ts";
import { catalogueOf } from "../model/catalogue.ts";
import type { Call } from "../model/types.ts";
import { classify, classifyBroken, type FullAnswer } from "./classify-response.ts";
import { encode, resolveParameters } from "./encode.ts";
import { type Attempt, CallFailed, findCalledKind } from "./failure.ts";
import type { Limiter, Sending } from "./limiter.ts";
import type { ClientOptions } from "./reader.ts";
import { type Backoff, type Broken, backoffDelay, isTokenExhausted, parseRetryDelay, type Received } from "./retry.ts";
import type { ServerUrl } from "./server-url.ts";
import { callLater, type Stop } from "./timer.ts";
import type { Transport } from "./transport.ts";

export interface RunConnection {
  readonly options: ClientOptions;
  readonly server: ServerUrl;
  readonly transport: Transport;
  /** Read again when the server no longer accepts it. */
  token: string;
  /** True once the server has accepted the current token, or it is the first one. */
  mayRenew: boolean;
  readonly backoff: Backoff;
  readonly stop: Stop;
  readonly limiter: Limiter;
  readonly liveness: ServerLiveness;
  /** First attempts, without uncounted calls; `retries` counts all further attempts. */
  readonly counts: { reads: number; writes: number; retries: number };
  /** Thrown for every further call: the token was rejected, or the server was never reachable. */
  over: CallFailed | undefined;
  /** Set once the server has been away for too long. */
  gone: string | undefined;
  /** The last pause that the server asked for: its reason, and its end by the clock of `performance.now()`. */
  pause: { readonly why: string; readonly until: number } | undefined;
}

export interface Outgoing {
  readonly call: Call;
  /** Path of the API, by the alias that the server routes. */
  readonly path: string;
  readonly attempts: number;
  /** True if the call was sent before, even with other values or by another alias of its route. */
  readonly again: boolean;
}

export type Send = (request: Outgoing) => Promise<FullAnswer | CallFailed>;

/**
 * Sends a request once, as soon as the limiter permits, and applies the consequences for other requests: a rejected
 * token ends the run, a busy server slows it down. Any response but a success of the required shape is a failure.
 * @throws SecretMissing.
 */
export async function sendAttempt(run: RunConnection, request: Outgoing): Promise<FullAnswer | CallFailed> {
  await run.limiter.enter(endpointKey(request.call));
  try {
    return explainBlocked(run, request) ?? (await sendAuthorized(run, request));
  } finally {
    run.limiter.leave();
  }
}

/** Sends a request again if its token was rejected, and there is another one now. A rejected request had no effect. */
async function sendAuthorized(run: RunConnection, request: Outgoing): Promise<FullAnswer | CallFailed> {
  const { token } = run;
  const answer = await send(run, request);
  const isRejected = answer instanceof CallFailed && answer.kind === "unauthorized" && !run.over;
  if (!(answer instanceof CallFailed) && token === run.token) run.mayRenew = true;
  if (!isRejected) return answer;
  if (isReplaced(run, token)) return sendAuthorized(run, { ...request, again: true });
  // A server may know the token, but not this call for it.
  if (!request.call.uncounted) run.over = answer;
  return answer;
}

/** True if there is another token than the rejected one; it is read at most once for each rejection. */
function isReplaced(run: RunConnection, rejected: string): boolean {
  const { renewToken, onPause } = run.options;
  if (rejected !== run.token) return true;
  if (!run.mayRenew || !renewToken) return false;
  run.mayRenew = false;
  try {
    run.token = renewToken();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    onPause?.(error.message);
    return false;
  }
  learnCredential(run.token, ownNames.EVENKEEL_TOKEN);
  return rejected !== run.token;
}

/** Method and template of a path, whose every second segment is an identifier: `GET /projects/:/hooks/:`. */
function endpointKey({ method, path }: Call): string {
  const [route = ""] = path.split("?", 1);
  return `${method} ${route.replace(/(\/[^/]+)\/[^/]+/g, "$1/:")}`;
}

async function send(run: RunConnection, request: Outgoing): Promise<FullAnswer | CallFailed> {
  const { call, path } = request;
  const { options, server, limiter, liveness, stop } = run;
  const line = encode(call, server.prefix + path, resolveParameters(call, options.secrets));
  countRequest(run, request);
  const sending = limiter.sending();
  const { answers } = liveness;
  liveness.asked();
  const result = await run.transport.exchange(line, () => explainForbidden(run, call) === undefined);
  limiter.ended();
  liveness.ended(isAnswer(result) ? undefined : `${line.method} ${line.target}`);
  const attempt = describeAttempt(run, request, line.target);
  if (!("broken" in result)) return handleResponse(run, request, attempt, result, sending);
  const tooLate = result.broken === "aborted" && !result.sent && explainBlocked(run, request);
  if (tooLate) return tooLate;
  // Others get responses, but this request gets no connection: there are too many.
  if (!result.sent && answers > 0 && answers < liveness.answers) limiter.overloaded(sending);
  return classifyBroken(attempt, result, options.network ?? {}, stop.reason, answers > 0);
}

function explainBlocked(run: RunConnection, request: Outgoing): CallFailed | undefined {
  if (run.over) return run.over;
  const { call, path } = request;
  const reason = (call.finishes ? undefined : run.stop.reason) ?? explainForbidden(run, call);
  if (reason === undefined) return undefined;
  const { attempts, ...attempt } = describeAttempt(run, request, run.server.prefix + path);
  const pause = describePause(run);
  const aborted = {
    kind: "aborted",
    what: `was not sent: ${pause ?? reason}`,
    pause,
    sent: false,
    endsRun: true,
  } as const;
  return new CallFailed({ ...attempt, ...aborted, attempts: attempts - 1 });
}

/** The pause that the server asked for, if it is not over: it explains what a run could not send in its time. */
function describePause({ pause }: RunConnection): string | undefined {
  const seconds = pause ? Math.ceil((pause.until - performance.now()) / 1000) : 0;
  return seconds > 0 ? `${pause?.why}, which asks to wait ${seconds} more seconds` : undefined;
}

function explainForbidden({ options }: RunConnection, { method }: Call): string | undefined {
  return method === "GET" ? undefined : options.mayWrite?.();
}

function countRequest({ counts }: RunConnection, { call: { method, uncounted }, again }: Outgoing): void {
  if (again) counts.retries++;
  else if (method !== "GET") counts.writes++;
  else if (!uncounted) counts.reads++;
}

/** True if any part of a response arrived. */
function isAnswer(result: Received | Broken): boolean {
  return !("broken" in result) || result.broken === "cut" || result.broken === "large";
}

function describeAttempt({ server, options }: RunConnection, { call, attempts }: Outgoing, target: string): Attempt {
  const { method, path } = call;
  const { tokenName, dialect } = options;
  return { method, path, url: server.origin + target, setting: server.name, tokenName, dialect, attempts };
}

/** Statuses of servers that lack a kind, or do not allow it. */
const refusals: ReadonlySet<number> = new Set([401, 403, 404]);

function handleResponse(
  run: RunConnection,
  { call, attempts }: Outgoing,
  attempt: Attempt,
  received: Received,
  sending: Sending,
): FullAnswer | CallFailed {
  const { catalogue, dialect } = run.options;
  const isRefusal = refusals.has(received.status);
  const called = isRefusal ? findCalledKind(catalogue ?? catalogueOf(dialect), call) : undefined;
  const answer = classify({ ...attempt, called }, call.answer, received);
  if (answer instanceof CallFailed) slowDown(run, call, attempts, received, sending);
  else run.limiter.answered(sending);
  return answer;
}

/** Applies a 429 or 503 to all requests: fewer in flight, and a pause of its endpoint if the server asks for one. */
function slowDown(
  run: RunConnection,
  call: Call,
  attempts: number,
  { status, headers }: Received,
  sending: Sending,
): void {
  const { limiter } = run;
  if (status !== 429 && status !== 503) {
    limiter.answered(sending);
    return;
  }
  limiter.overloaded(sending);
  const delay = parseRetryDelay(headers, Date.now()) ?? (status === 429 ? delayAfterAttempt(run, attempts) : undefined);
  if (delay === undefined) return;
  if (status === 429 && isTokenExhausted(headers)) limiter.pauseAll(delay);
  else limiter.pause(endpointKey(call), delay);
  reportPause(run, status, delay);
}

/** Reports a pause once, although every request in flight gets the response. */
function reportPause(run: RunConnection, status: number, delay: number): void {
  const until = performance.now() + delay;
  if (run.pause && until < run.pause.until + 1000) return;
  const why = status === 429 ? "rate limited by the server (429)" : "the server is overloaded (503)";
  run.pause = { why, until };
  if (delay >= 1000)
    run.options.onPause?.(`${why}, waiting ${Math.ceil(delay / 1000)} s`, { why, milliseconds: delay });
}

export function delayAfterAttempt({ backoff, options }: RunConnection, attempts: number): number {
  return backoffDelay(backoff, attempts, (options.random ?? Math.random)());
}

interface ServerLiveness {
  /** Number of responses so far. If it did not change during an attempt, all requests failed. */
  readonly answers: number;
  asked(): void;
  ended(unanswered: string | undefined): void;
  /** True if at least two different requests got no response since the last one. */
  readonly affectsAllRequests: boolean;
  close(): void;
}

/** Milliseconds. After a longer break between two attempts, the measurement of silence restarts. */
const longestBreak = 15_000;

/** Calls `gone` once a server that is sent requests has not responded for `giveUpAfter` milliseconds. */
export function watchServerLiveness(giveUpAfter: number, gone: () => void): ServerLiveness {
  const silentRequests = new Set<string>();
  let answers = 0;
  let inFlight = 0;
  let silentSince: number | undefined;
  let lastEnd = 0;
  let isWatching = false;
  let cancel = () => {};

  const watch = (milliseconds: number): void => {
    isWatching = true;
    cancel = callLater(milliseconds, look);
  };

  const endBreak = (now: number): void => {
    if (inFlight === 0 && now - lastEnd > longestBreak) silentSince = undefined;
  };

  const look = (): void => {
    isWatching = false;
    const now = performance.now();
    endBreak(now);
    if (silentSince === undefined) return;
    const left = silentSince + giveUpAfter - now;
    if (left <= 0) gone();
    else watch(Math.ceil(left));
  };

  return {
    get answers() {
      return answers;
    },
    asked() {
      const now = performance.now();
      endBreak(now);
      inFlight++;
      silentSince ??= now;
      if (!isWatching) watch(giveUpAfter);
    },
    get affectsAllRequests() {
      return silentRequests.size > 1;
    },
    ended(unanswered) {
      lastEnd = performance.now();
      inFlight--;
      if (unanswered !== undefined) {
        if (silentRequests.size < 2) silentRequests.add(unanswered);
        return;
      }
      answers++;
      if (silentRequests.size > 0) silentRequests.clear();
      silentSince = inFlight > 0 ? lastEnd : undefined;
    },
    close: () => cancel(),
  };
}
