import { catalogueOf } from "../model/catalogue.ts";
import type { Call } from "../model/types.ts";
import type { FullAnswer } from "./classify-response.ts";
import { CallFailed } from "./failure.ts";
import type { ClientOptions } from "./options.ts";
import { readList, type SendCall } from "./read-list.ts";
import type { Closing, EffectProbe, Reader, Settled, Writer } from "./reader.ts";
import { backoffDelay, isSendableAgain } from "./retry.ts";
import { delayAfterAttempt } from "./send-attempt.ts";
import { closeSession, finalFailure, isAway, isStopped, openSession, type Session } from "./session.ts";

export type { ClientOptions } from "./options.ts";
export type { Answer, Closing, Reader, Writer } from "./reader.ts";

/** Rejects any method but GET. Sends nothing before the first call. @throws UserError if the token may not be sent. */
export async function connectReader(options: ClientOptions): Promise<Reader & Closing> {
  return createReader(await openSession(options, new Set(["GET"])));
}

export async function connectWriter(options: ClientOptions): Promise<Writer & Closing> {
  const session = await openSession(options, new Set(["GET", "PUT", "POST", "PATCH", "DELETE"]));
  const once = reading(session, async (call, attempts = 1) => {
    const result = await attempt(session, call, attempts);
    if (result instanceof CallFailed) throw result;
    return result;
  });
  return {
    ...createReader(session),
    send: (call) => sendWithRetries(session, call),
    settle: (call, probe) => settle(session, once, call, probe),
  };
}

function createReader(session: Session): Reader & Closing {
  const close = () => closeSession(session);
  return {
    ...reading(session, (call, first) => sendWithRetries(session, call, first)),
    isOver: () => isStopped(session),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function reading(session: Session, send: SendCall): Reader {
  const { server, limiter, counts, options } = session;
  const urlOf = (path: string) => server.origin + server.prefix + path;
  return {
    get: (call) => send(checkReadOnly(call)),
    list: (call) => readList(send, checkReadOnly(call), urlOf),
    room: () => limiter.room,
    counts,
    catalogue: options.catalogue ?? catalogueOf(options.dialect),
  };
}

function checkReadOnly(call: Call): Call {
  if (call.method !== "GET") throw new RangeError(`${call.method} does not read`);
  return call;
}

/** Counts the attempts at one call, and stops between them when the run is stopped. */
class RetryLoop {
  readonly #session: Session;
  readonly #call: Call;
  #number: number;
  #spent = 0;
  #last: CallFailed | undefined;
  /** True if the run was stopped before the last attempt was sent. */
  isCancelled = false;

  /** `first`: the number of its first attempt, if the call was sent before. */
  constructor(session: Session, call: Call, first = 1) {
    this.#session = session;
    this.#call = call;
    this.#number = first;
  }

  /** Makes the next attempt, or returns the previous failure. Waiting for a server that is away is no attempt. */
  async next(): Promise<FullAnswer | CallFailed> {
    const { answers } = this.#session.liveness;
    const result = await attempt(this.#session, this.#call, this.#number++);
    if (!(result instanceof CallFailed)) return result;
    this.isCancelled = this.#last !== undefined && isUnsent(result);
    if (this.isCancelled && this.#last) return this.#last;
    if (!isAway(this.#session, result, answers)) this.#spent++;
    this.#last = result;
    return result;
  }

  get isOver(): boolean {
    return this.isCancelled || this.#spent >= this.#session.backoff.attempts;
  }
}

function attempt(session: Session, call: Call, number: number): Promise<FullAnswer | CallFailed> {
  return session.send({ call, path: call.path, attempts: number, again: number > 1 });
}

/** Milliseconds before the next attempt; also reports the retry. */
function delayAfter(session: Session, failure: CallFailed): number {
  const delay = delayAfterAttempt(session, failure.attempts);
  session.options.onRetry?.({ failure, delay });
  return delay;
}

function isUnsent({ kind, sent }: CallFailed): boolean {
  return kind === "aborted" && !sent;
}

/** @throws CallFailed; SecretMissing if a parameter's secret cannot be resolved. */
async function sendWithRetries(session: Session, call: Call, first = 1): Promise<FullAnswer> {
  const attempts = new RetryLoop(session, call, first);
  for (let acted = false; ; ) {
    const result = await attempts.next();
    if (!(result instanceof CallFailed)) return result;
    if (call.method === "DELETE" && acted && result.saysGone) return alreadyGone;
    if (attempts.isOver || !isSendableAgain(result) || isOptionalFailure(call, result))
      throw finalFailure(session, result);
    acted ||= result.uncertain;
    await session.stop.sleep(delayAfter(session, result));
  }
}

/** A call that plans do not count is optional for a run, so a timeout or a 429 is not retried. */
function isOptionalFailure({ uncounted }: Call, { kind, status }: CallFailed): boolean {
  return uncounted === true && (kind === "timeout" || status === 429);
}

const alreadyGone: FullAnswer = { status: 204, body: undefined, requestId: undefined, headers: {} };

/**
 * Sends a write until its outcome is known (docs/running.md). Without a usable response, `probe` looks up the effect:
 * between attempts if the call may be repeated, else for `lookUpFor` milliseconds. A POST without a response is never
 * repeated; a POST that the server reports as failed is, if the probe finds no effect. `once` reads without retries.
 * Without `probe`, the effect is unknown. @throws SecretMissing: then nothing was sent.
 */
async function settle(session: Session, once: Reader, call: Call, probe: EffectProbe | undefined): Promise<Settled> {
  const attempts = new RetryLoop(session, call);
  const { requestTimeout, lookUpFor = Math.max(shortestLookUp, requestTimeout) } = session.options;
  let mayStillAct = false;
  let mayHaveActed = false;
  for (;;) {
    const result = await attempts.next();
    if (!(result instanceof CallFailed)) return { answer: result };
    // The resource to delete is absent, even if somebody else deleted it.
    if (call.method === "DELETE" && result.saysGone) return { found: true };
    if (attempts.isCancelled) return { failure: finalFailure(session, result), unknown: mayStillAct || mayHaveActed };
    const isSilent = result.uncertain && !isFinalResponse(result);
    mayStillAct = isSilent || (mayStillAct && saysNothing(result));
    mayHaveActed ||= mayShowEffect(result, probe);
    const again = mayRetry(result, probe) && !attempts.isOver && !isStopped(session);
    const pause = again ? delayAfter(session, result) : 0;
    const search = again || !isSilent ? pause : lookUpFor;
    const effect = mayHaveActed && probe ? await probeUntil(session, once, probe, search) : undefined;
    if (effect?.shows === "there") return { found: true };
    const isOpen = mayHaveActed && effect?.shows !== "missing";
    if (!again || (call.method === "POST" && isOpen))
      return { failure: finalFailure(session, result), unknown: mayStillAct || isOpen, lookUp: effect?.failure };
    if (!effect) await session.stop.sleep(pause);
  }
}

/** Milliseconds. */
const shortestLookUp = 10_000;

/** True if a failure says nothing about earlier attempts: the request was not sent, or the failure is temporary. */
function saysNothing({ uncertain, passing, sent, status }: CallFailed): boolean {
  return !uncertain && (passing || !sent || status === undefined);
}

/** True if an attempt may have had its effect, so that a probe may find it. */
function mayShowEffect(failure: CallFailed, probe: EffectProbe | undefined): boolean {
  const isRefused = !failure.passing || isSendableAgain(failure);
  return failure.uncertain || !isRefused || (probe !== undefined && isRedirect(failure));
}

/** Some servers redirect after they have carried out the request, so the effect is probed if possible. */
function isRedirect({ status = 0 }: CallFailed): boolean {
  return status >= 300 && status < 400;
}

/** True if the server has finished with the request, in whatever words. */
function isFinalResponse({ kind, status }: CallFailed): boolean {
  return status === 500 || (kind === "shape" && status !== 202);
}

function mayRetry(failure: CallFailed, probe: EffectProbe | undefined): boolean {
  if (isSendableAgain(failure)) return true;
  return failure.passing && probe !== undefined && (isFinalResponse(failure) || !failure.uncertain);
}

interface ProbeResult {
  /** `unseen`: the probe failed. */
  readonly shows: "there" | "missing" | "unseen";
  readonly failure?: CallFailed;
}

/** Probes with exponential backoff for `time` milliseconds, which start again while the server is away. */
async function probeUntil(session: Session, once: Reader, probe: EffectProbe, time: number): Promise<ProbeResult> {
  let end = performance.now() + time;
  for (let probes = 1; ; probes++) {
    const { answers } = session.liveness;
    const probeResult = await probeOnce(once, probe);
    if (probeResult.failure && isAway(session, probeResult.failure, answers)) end = performance.now() + time;
    const left = end - performance.now();
    const isLast = left <= 0 || isStopped(session) || (probeResult.failure && !probeResult.failure.passing);
    if (probeResult.shows === "there" || isLast) return probeResult;
    await session.stop.sleep(Math.min(left, backoffDelay(session.backoff, probes, 1)));
  }
}

async function probeOnce(once: Reader, probe: EffectProbe): Promise<ProbeResult> {
  try {
    return { shows: (await probe(once)) ? "there" : "missing" };
  } catch (failure) {
    if (failure instanceof CallFailed) return { shows: "unseen", failure };
    throw failure;
  }
}
