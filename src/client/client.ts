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

/**
 * A connection that can only read: it refuses any method but GET.
 * @throws UserError where the URL is not one that the token may be sent to. Nothing is sent before the first call.
 */
export async function connectReader(options: ClientOptions): Promise<Reader & Closing> {
  return readerOf(await openSession(options, new Set(["GET"])));
}

/** A connection that reads and writes. @throws as {@link connectReader}. */
export async function connectWriter(options: ClientOptions): Promise<Writer & Closing> {
  const session = await openSession(options, new Set(["GET", "PUT", "POST", "PATCH", "DELETE"]));
  const once = reading(session, async (call, attempts = 1) => {
    const result = await session.attempt(call, attempts);
    if (result instanceof CallFailed) throw result;
    return result;
  });
  return {
    ...readerOf(session),
    send: (call) => perform(session, call),
    settle: (call, probe) => settle(session, once, call, probe),
  };
}

function readerOf(session: Session): Reader & Closing {
  const close = () => session.close();
  return {
    ...reading(session, (call, first) => perform(session, call, first)),
    isOver: () => session.stopped,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function reading(session: Session, send: SendCall): Reader {
  const urlOf = (path: string) => session.urlOf(path);
  return {
    get: (call) => send(onlyReading(call)),
    list: (call) => readList(send, onlyReading(call), urlOf),
    room: () => session.room,
    counts: session.counts,
    catalogue: session.catalogue,
  };
}

function onlyReading(call: Call): Call {
  if (call.method !== "GET") throw new RangeError(`${call.method} does not read`);
  return call;
}

/** The attempts at one call, one after the other: how many are left, and whether the run was stopped between them. */
class RetryLoop {
  readonly #session: Session;
  readonly #call: Call;
  #number: number;
  #spent = 0;
  #answers = 0;
  #last: CallFailed | undefined;
  #isCancelled = false;

  /** `first`: the number of the first of them, if the same was asked before. */
  constructor(session: Session, call: Call, first = 1) {
    this.#session = session;
    this.#call = call;
    this.#number = first;
  }

  /** Makes the next attempt, whose result is for {@link RetryLoop.outcomeOf}. @throws SecretMissing. */
  next(): Promise<FullAnswer | CallFailed> {
    this.#answers = this.#session.answers;
    return this.#session.attempt(this.#call, this.#number++);
  }

  /**
   * The outcome of the attempt that had this result; that of the one before if the run was stopped, so that none was made.
   * One that fails because the server is away does not count.
   */
  outcomeOf(result: FullAnswer | CallFailed): FullAnswer | CallFailed {
    if (!(result instanceof CallFailed)) return result;
    if (this.#last && wasNotSent(result)) {
      this.#isCancelled = true;
      return this.#last;
    }
    if (!this.#session.isAway(result, this.#answers)) this.#spent++;
    this.#last = result;
    return result;
  }

  /** Whether the run was stopped before the last attempt was sent. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Whether there is another attempt. */
  get isOver(): boolean {
    return this.#isCancelled || this.#spent >= this.#session.mostAttempts;
  }
}

/** Whether an attempt was not sent because the run is stopped: the failure before it says more. */
function wasNotSent({ kind, sent }: CallFailed): boolean {
  return kind === "aborted" && !sent;
}

/**
 * The answer to a call, after as many attempts as it needs and may have (docs/architecture.md). `first` as for {@link RetryLoop}.
 * @throws CallFailed; SecretMissing if a parameter's secret cannot be resolved.
 */
async function perform(session: Session, call: Call, first = 1): Promise<FullAnswer> {
  const attempts = new RetryLoop(session, call, first);
  for (let acted = false; ; ) {
    const result = attempts.outcomeOf(await attempts.next());
    if (!(result instanceof CallFailed)) return result;
    if (call.method === "DELETE" && acted && result.saysGone) return alreadyGone;
    if (attempts.isOver || !isSendableAgain(result) || isOptionalTimeout(call, result)) throw session.final(result);
    acted ||= result.uncertain;
    await session.sleep(session.delayAfter(result));
  }
}

/** A run can do without what no plan counts: it waits for that once. */
function isOptionalTimeout({ uncounted }: Call, { kind }: CallFailed): boolean {
  return uncounted === true && kind === "timeout";
}

const alreadyGone: FullAnswer = { status: 204, body: undefined, requestId: undefined, headers: {} };

/**
 * Sends a write until it is known what became of it (docs/running.md). What got no usable answer is looked up: between the
 * attempts at what may be sent twice, and for `lookUpFor` milliseconds before it is given up. A POST without an answer
 * is never sent again; one that the server says it failed at is, if a probe finds nothing. `once` reads without
 * trying again. Without `probe` nothing can be seen. @throws SecretMissing: then nothing was sent.
 */
async function settle(session: Session, once: Reader, call: Call, probe: EffectProbe | undefined): Promise<Settled> {
  const attempts = new RetryLoop(session, call);
  for (let doubt = certain; ; ) {
    const result = attempts.outcomeOf(await attempts.next());
    if (!(result instanceof CallFailed)) return { answer: result };
    if (isGone(result)) return { found: true };
    if (attempts.isCancelled) return { failure: session.final(result), unknown: doubt.open || doubt.unseen };
    doubt = doubtAfter(doubt, result, probe);
    const again = mayGoAgain(result, probe) && !attempts.isOver && !session.stopped;
    const pause = again ? session.delayAfter(result) : 0;
    const search = again || !doubt.silent ? pause : session.lookUpFor;
    const probed = doubt.unseen && probe ? await probeUntil(session, once, probe, search) : undefined;
    if (probed?.shows === "there") return { found: true };
    const mayRepeat = call.method !== "POST" || !doubt.unseen || probed?.shows === "missing";
    if (!again || !mayRepeat) return endOf(session.final(result), doubt, probed);
    if (!probed) await session.sleep(pause);
  }
}

function endOf(failure: CallFailed, { open, unseen }: WriteUncertainty, probed: ProbeResult | undefined): Settled {
  return { failure, unknown: open || (unseen && probed?.shows !== "missing"), lookUp: probed?.failure };
}

/** True if the resource to delete is absent, even if somebody else deleted it. */
function isGone({ method, saysGone }: CallFailed): boolean {
  return method === "DELETE" && saysGone;
}

/** Questions about a write that its attempts left open. */
interface WriteUncertainty {
  /** Whether the last attempt got no usable answer. */
  readonly silent: boolean;
  /** Whether some attempt may be carried out yet, with no later answer. */
  readonly open: boolean;
  /** Whether some attempt may have had its effect, so that a probe may show it. */
  readonly unseen: boolean;
}

const certain: WriteUncertainty = { silent: false, open: false, unseen: false };

function doubtAfter(before: WriteUncertainty, failure: CallFailed, probe: EffectProbe | undefined): WriteUncertainty {
  const silent = failure.uncertain && !isOwnWord(failure);
  const isEmptyValue = !failure.uncertain && (failure.passing || !failure.sent || failure.status === undefined);
  const mayShow = failure.uncertain || (failure.passing && !isSendableAgain(failure));
  const mayShowBy = probe !== undefined && isRedirect(failure);
  return { silent, open: silent || (isEmptyValue && before.open), unseen: before.unseen || mayShow || mayShowBy };
}

/** The server's word, though one that some servers give after the deed: if it can be probed, it is. */
function isRedirect({ status = 0 }: CallFailed): boolean {
  return status >= 300 && status < 400;
}

/** Whether the server itself has come to an end with the request, however it put that. */
function isOwnWord({ kind, status }: CallFailed): boolean {
  return status === 500 || (kind === "shape" && status !== 202);
}

function mayGoAgain(failure: CallFailed, probe: EffectProbe | undefined): boolean {
  if (isSendableAgain(failure)) return true;
  return failure.passing && probe !== undefined && (isOwnWord(failure) || !failure.uncertain);
}

interface ProbeResult {
  /** `unseen`: the probe failed. */
  readonly shows: "there" | "missing" | "unseen";
  readonly failure?: CallFailed;
}

/**
 * Probes at once, and with exponential backoff until `time` milliseconds have passed or no probe can succeed; while the
 * server is away, that time does not begin.
 */
async function probeUntil(session: Session, once: Reader, probe: EffectProbe, time: number): Promise<ProbeResult> {
  let end = performance.now() + time;
  for (let probes = 1; ; probes++) {
    const { answers } = session;
    const probed = await probeOnce(once, probe);
    if (probed.failure && session.isAway(probed.failure, answers)) end = performance.now() + time;
    const left = end - performance.now();
    const isLast = left <= 0 || session.stopped || (probed.failure && !probed.failure.passing);
    if (probed.shows === "there" || isLast) return probed;
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
