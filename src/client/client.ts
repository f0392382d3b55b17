import type { Call } from "../model/types.ts";
import type { FullAnswer } from "./classify-response.ts";
import { CallFailed } from "./failure.ts";
import type { ClientOptions } from "./options.ts";
import { readList, type SendCall } from "./read-list.ts";
import type { Closing, EffectProbe, Reader, Settled, Writer } from "./reader.ts";
import { isSendableAgain } from "./retry.ts";
import { openSession, type Session } from "./session.ts";

export type { ClientOptions } from "./options.ts";
export type { Answer, Closing, Reader, Writer } from "./reader.ts";

/** Rejects any method but GET. Sends nothing before the first call. @throws UserError if the token may not be sent. */
export async function connectReader(options: ClientOptions): Promise<Reader & Closing> {
  return createReader(await openSession(options, new Set(["GET"])));
}

export async function connectWriter(options: ClientOptions): Promise<Writer & Closing> {
  const session = await openSession(options, new Set(["GET", "PUT", "POST", "PATCH", "DELETE"]));
  const once = reading(session, async (call, attempts = 1) => {
    const result = await session.attempt(call, attempts);
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
  const close = () => session.close();
  return {
    ...reading(session, (call, first) => sendWithRetries(session, call, first)),
    isOver: () => session.stopped,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function reading(session: Session, send: SendCall): Reader {
  const urlOf = (path: string) => session.urlOf(path);
  return {
    get: (call) => send(checkReadOnly(call)),
    list: (call) => readList(send, checkReadOnly(call), urlOf),
    room: () => session.room,
    counts: session.counts,
    catalogue: session.catalogue,
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
  #answers = 0;
  #last: CallFailed | undefined;
  #isCancelled = false;

  /** `first`: the number of its first attempt, if the call was sent before. */
  constructor(session: Session, call: Call, first = 1) {
    this.#session = session;
    this.#call = call;
    this.#number = first;
  }

  next(): Promise<FullAnswer | CallFailed> {
    this.#answers = this.#session.answers;
    return this.#session.attempt(this.#call, this.#number++);
  }

  /** Returns the previous failure if this attempt was not sent. Waiting for a server that is away is no attempt. */
  outcomeOf(result: FullAnswer | CallFailed): FullAnswer | CallFailed {
    if (!(result instanceof CallFailed)) return result;
    if (this.#last && isUnsent(result)) {
      this.#isCancelled = true;
      return this.#last;
    }
    if (!this.#session.isAway(result, this.#answers)) this.#spent++;
    this.#last = result;
    return result;
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  get isOver(): boolean {
    return this.#isCancelled || this.#spent >= this.#session.mostAttempts;
  }
}

function isUnsent({ kind, sent }: CallFailed): boolean {
  return kind === "aborted" && !sent;
}

/** @throws CallFailed; SecretMissing if a parameter's secret cannot be resolved. */
async function sendWithRetries(session: Session, call: Call, first = 1): Promise<FullAnswer> {
  const attempts = new RetryLoop(session, call, first);
  for (let acted = false; ; ) {
    const result = attempts.outcomeOf(await attempts.next());
    if (!(result instanceof CallFailed)) return result;
    if (call.method === "DELETE" && acted && result.saysGone) return alreadyGone;
    if (attempts.isOver || !isSendableAgain(result) || isOptionalFailure(call, result)) throw session.final(result);
    acted ||= result.uncertain;
    await session.sleep(session.delayAfter(result));
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
  let mayStillAct = false;
  let mayHaveActed = false;
  for (;;) {
    const result = attempts.outcomeOf(await attempts.next());
    if (!(result instanceof CallFailed)) return { answer: result };
    // The resource to delete is absent, even if somebody else deleted it.
    if (call.method === "DELETE" && result.saysGone) return { found: true };
    if (attempts.isCancelled) return { failure: session.final(result), unknown: mayStillAct || mayHaveActed };
    const isSilent = result.uncertain && !isFinalResponse(result);
    mayStillAct = isSilent || (mayStillAct && saysNothing(result));
    mayHaveActed ||= mayShowEffect(result, probe);
    const again = mayRetry(result, probe) && !attempts.isOver && !session.stopped;
    const pause = again ? session.delayAfter(result) : 0;
    const search = again || !isSilent ? pause : session.lookUpFor;
    const effect = mayHaveActed && probe ? await probeUntil(session, once, probe, search) : undefined;
    if (effect?.shows === "there") return { found: true };
    const isOpen = mayHaveActed && effect?.shows !== "missing";
    if (!again || (call.method === "POST" && isOpen))
      return { failure: session.final(result), unknown: mayStillAct || isOpen, lookUp: effect?.failure };
    if (!effect) await session.sleep(pause);
  }
}

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
    const { answers } = session;
    const probeResult = await probeOnce(once, probe);
    if (probeResult.failure && session.isAway(probeResult.failure, answers)) end = performance.now() + time;
    const left = end - performance.now();
    const isLast = left <= 0 || session.stopped || (probeResult.failure && !probeResult.failure.passing);
    if (probeResult.shows === "there" || isLast) return probeResult;
    await session.sleep(Math.min(left, session.pauseAfter(probes)));
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
