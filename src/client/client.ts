import { onError } from "../base/exit.ts";
import { catalogueOf } from "../model/catalogue.ts";
import type { Call } from "../model/types.ts";
import type { FullAnswer } from "./classify-response.ts";
import { CallFailed } from "./failure.ts";
import { readList, type SendCall } from "./read-list.ts";
import type { Answer, ClientOptions, Closing, EffectProbe, Reader, Settled, Writer } from "./reader.ts";
import { backoffDelay, isSendableAgain } from "./retry.ts";
import { delayAfterAttempt } from "./send-attempt.ts";
import { closeSession, finalFailure, isAway, isStopped, openSession, type Session } from "./session.ts";

export type { Answer, ClientOptions, Closing, Reader, Writer } from "./reader.ts";

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
    send: (call) => send(session, call),
    settle: (call, probe) => settle(session, call, 1, probe && ((time) => probeUntil(session, once, probe, time))),
  };
}

function createReader(session: Session): Reader & Closing {
  const close = () => closeSession(session);
  return {
    ...reading(session, (call, first) => send(session, call, first)),
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

function attempt(session: Session, call: Call, number: number): Promise<FullAnswer | CallFailed> {
  return session.send({ call, path: call.path, attempts: number, again: number > 1 });
}

function isUnsent({ kind, sent }: CallFailed): boolean {
  return kind === "aborted" && !sent;
}

/** @throws CallFailed; SecretMissing if a parameter's secret cannot be resolved. */
async function send(session: Session, call: Call, first?: number): Promise<FullAnswer> {
  const settled = await settle(session, call, first);
  if ("failure" in settled) throw settled.failure;
  return "answer" in settled ? settled.answer : alreadyGone;
}

/** A call that plans do not count is optional for a run, so a timeout or a 429 is not retried. */
function isOptionalFailure({ uncounted }: Call, { kind, status }: CallFailed): boolean {
  return uncounted === true && (kind === "timeout" || status === 429);
}

const alreadyGone: FullAnswer = { status: 204, body: undefined, requestId: undefined, headers: {} };

type SettledCall = Exclude<Settled, { readonly answer: Answer }> | { readonly answer: FullAnswer };

/** Looks up the effect of a call for a number of milliseconds. */
type LookUp = (time: number) => Promise<ProbeResult>;

/**
 * Sends a call until its outcome is known (docs/safety.md). Without a usable response, `lookUp` looks up the effect:
 * between attempts if the call may be repeated, else for `lookUpFor` milliseconds. A POST without a response is never
 * repeated; a POST that the server reports as failed is, if no effect is found. Without `lookUp`, the effect is unknown.
 * `first`: the number of the first attempt, if the call was sent before. @throws SecretMissing: then nothing was sent.
 */
async function settle(session: Session, call: Call, first = 1, lookUp?: LookUp): Promise<SettledCall> {
  const { requestTimeout, lookUpFor = Math.max(shortestLookUp, requestTimeout) } = session.options;
  let mayStillAct = false;
  let mayHaveActed = false;
  let spent = 0;
  let last: CallFailed | undefined;
  for (let number = first; ; number++) {
    const { answers } = session.liveness;
    const result = await attempt(session, call, number);
    if (!(result instanceof CallFailed)) return { answer: result };
    // The resource to delete is absent, even if somebody else deleted it.
    if (call.method === "DELETE" && result.saysGone) return { found: true };
    // The run was stopped before this attempt was sent.
    if (last && isUnsent(result)) return { failure: finalFailure(session, last), unknown: mayStillAct || mayHaveActed };
    // Waiting for a server that is away is no attempt.
    if (!isAway(session, result, answers)) spent++;
    last = result;
    const isSilent = result.uncertain && !isFinalResponse(result);
    mayStillAct = isSilent || (mayStillAct && saysNothing(result));
    mayHaveActed ||= mayShowEffect(result, lookUp !== undefined);
    const mayGoOn = spent < session.backoff.attempts && !((lookUp || call.finishes) && isStopped(session));
    const again = mayGoOn && mayRetry(result, lookUp !== undefined) && !isOptionalFailure(call, result);
    const pause = again ? delayAfterAttempt(session, result.attempts) : 0;
    const effect = mayHaveActed ? await lookUp?.(again || !isSilent ? pause : lookUpFor) : undefined;
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
function saysNothing({ uncertain, isTransient, sent, status }: CallFailed): boolean {
  return !uncertain && (isTransient || !sent || status === undefined);
}

/** True if an attempt may have had its effect, so that a probe may find it. */
function mayShowEffect(failure: CallFailed, canLookUp: boolean): boolean {
  const isRefused = !failure.isTransient || isSendableAgain(failure);
  return failure.uncertain || !isRefused || (canLookUp && isRedirect(failure));
}

/** Some servers redirect after they have carried out the request, so the effect is probed if possible. */
function isRedirect({ status = 0 }: CallFailed): boolean {
  return status >= 300 && status < 400;
}

/** True if the server has finished with the request, in whatever words. */
function isFinalResponse({ kind, status }: CallFailed): boolean {
  return status === 500 || (kind === "shape" && status !== 202);
}

function mayRetry(failure: CallFailed, canLookUp: boolean): boolean {
  if (isSendableAgain(failure)) return true;
  return failure.isTransient && canLookUp && (isFinalResponse(failure) || !failure.uncertain);
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
    const isLast = left <= 0 || isStopped(session) || (probeResult.failure && !probeResult.failure.isTransient);
    if (probeResult.shows === "there" || isLast) return probeResult;
    await session.stop.sleep(Math.min(left, backoffDelay(session.backoff, probes, 1)));
  }
}

function probeOnce(once: Reader, probe: EffectProbe): Promise<ProbeResult> {
  return probe(once).then(
    (isThere) => ({ shows: isThere ? "there" : "missing" }),
    onError(CallFailed, (failure) => ({ shows: "unseen", failure })),
  );
}
