import { knownSecrets } from "../base/known-secrets.ts";
import { catalogueOf } from "../model/catalogue.ts";
import type { Call } from "../model/types.ts";
import { type Attempt, classify, classifyBroken, type FullAnswer } from "./classify-response.ts";
import { encode, resolvedParameters, type WireRequest } from "./encode.ts";
import { CallFailed, calledKind } from "./failure.ts";
import type { Limiter, Sending } from "./limiter.ts";
import type { ClientOptions } from "./options.ts";
import { type Backoff, type Broken, backoffDelay, isTokenExhausted, type Received, statedDelay } from "./retry.ts";
import type { ServerUrl } from "./server-url.ts";
import { callLater, type Stop } from "./timer.ts";
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
  /** The last pause that the server asked for: why, and its end by the clock of `performance.now()`. */
  pause: { readonly why: string; readonly until: number } | undefined;
}

/** One attempt at a call, on its way to the server. */
export interface Outgoing {
  readonly call: Call;
  /** Path of the API, by the name that the server knows the route by. */
  readonly path: string;
  /** Number of the attempt, from 1. */
  readonly attempts: number;
  /** Whether the call was sent before, be it with other values or by another name of its route. */
  readonly again: boolean;
}

/** Resolves to the failure where there is one. @throws SecretMissing if a parameter's secret cannot be resolved. */
export type Send = (request: Outgoing) => Promise<FullAnswer | CallFailed>;

/**
 * Sends a request once, as soon as there is room for it, and applies what its answer means for all others: a rejected token
 * ends the run, a busy server slows it down. Resolves to a failure unless the answer is a success that holds what it must.
 * @throws SecretMissing.
 */
export async function sendAttempt(run: RunConnection, request: Outgoing): Promise<FullAnswer | CallFailed> {
  await run.limiter.enter(endpointOf(request.call));
  try {
    return whyBlocked(run, request) ?? (await send(run, request));
  } finally {
    run.limiter.leave();
  }
}

/** Method and template of a path, in which every second segment names something: /projects/:/hooks/:. */
function endpointOf({ method, path }: Call): string {
  const [route = ""] = path.split("?", 1);
  return `${method} ${route.replace(/(\/[^/]+)\/[^/]+/g, "$1/:")}`;
}

async function send(run: RunConnection, request: Outgoing): Promise<FullAnswer | CallFailed> {
  const { call, path } = request;
  const { options, server, limiter, liveness, stop } = run;
  const line = encode(call, server.prefix + path, resolvedParameters(call, options.secrets));
  count(run, request);
  const sending = limiter.sending();
  const { answers } = liveness;
  liveness.asked();
  const result = await run.transport.exchange(line, () => whyForbidden(run, call) === undefined);
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
  if (reason === undefined) return undefined;
  const seconds = Math.ceil(run.limiter.remaining(endpointOf(call)) / 1000);
  const what =
    seconds > 0
      ? `was not sent: ${run.pause?.why}, which asks to wait ${seconds} more seconds`
      : `was not sent: ${reason}`;
  const url = run.server.origin + run.server.prefix + routed;
  return new CallFailed({
    method,
    path,
    url,
    attempts: attempts - 1,
    sent: false,
    kind: "aborted",
    what,
    endsRun: true,
  });
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
  if (answer instanceof CallFailed) {
    if (received.status === 401) run.over ??= answer;
    slowDown(run, call, attempts, received, sending);
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

/** Applies a 429 or 503 to all requests: fewer in flight, and none to its endpoint for as long as the server says. */
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
  const delay = statedDelay(headers, Date.now()) ?? (status === 429 ? delayAfterAttempt(run, attempts) : undefined);
  if (delay === undefined) return;
  if (status === 429 && isTokenExhausted(headers)) limiter.pauseAll(delay);
  else limiter.pause(endpointOf(call), delay);
  reportPause(run, status, delay);
}

/** Reports a pause once, although every request in flight hears of it. */
function reportPause(run: RunConnection, status: number, delay: number): void {
  const until = performance.now() + delay;
  if (run.pause && until < run.pause.until + 1000) return;
  const why = status === 429 ? "rate limited by the server (429)" : "the server is overloaded (503)";
  run.pause = { why, until };
  if (delay >= 1000) run.options.onPause?.(`${why}, waiting ${Math.ceil(delay / 1000)} s`);
}

/** Milliseconds before the attempt after this one. */
export function delayAfterAttempt({ backoff, options }: RunConnection, attempts: number): number {
  return backoffDelay(backoff, attempts, (options.random ?? Math.random)());
}

/** Whether a server is there at all: any answer says so, to whichever request. */
interface ServerLiveness {
  /** Answers so far: where none came during an attempt, it failed as all did. */
  readonly answers: number;
  /** A request goes out. */
  asked(): void;
  /** It came to its end; where that was no answer, `unanswered` is what was asked. */
  ended(unanswered: string | undefined): void;
  /** Whether two different requests were left without an answer since there was one. */
  readonly affectsAllRequests: boolean;
  /** Nothing is asked any more: the timer, which holds all that it knows, is let go. */
  close(): void;
}

/** Milliseconds between two attempts, at most: after a longer break the count of silence starts again. */
const longestBreak = 15_000;

/** Calls `gone` once a server that is asked again and again has answered nothing for so many milliseconds. */
export function watchServerLiveness(giveUpAfter: number, gone: () => void): ServerLiveness {
  const unheard = new Set<string>();
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
      return unheard.size > 1;
    },
    ended(unanswered) {
      lastEnd = performance.now();
      inFlight--;
      if (unanswered !== undefined) {
        if (unheard.size < 2) unheard.add(unanswered);
        return;
      }
      answers++;
      if (unheard.size > 0) unheard.clear();
      silentSince = inFlight > 0 ? lastEnd : undefined;
    },
    close: () => cancel(),
  };
}
