import type { Call } from "../model/types.ts";
import { CallFailed } from "./failure.ts";
import { RetryLoop } from "./perform.ts";
import type { Look, Reader, Settled } from "./reader.ts";
import { isSendableAgain } from "./retry.ts";
import type { Session } from "./session.ts";

/**
 * Sends a write until it is known what became of it (docs/running.md). What got no usable answer is looked up: between the
 * attempts at what may be sent twice, and for `lookUpFor` milliseconds before it is given up. A POST without an answer
 * is never sent again; one that the server says it failed at is, where a look finds nothing. `once` reads without
 * trying again. Without `look` nothing can be seen. @throws SecretMissing: then nothing was sent.
 */
export async function settle(session: Session, once: Reader, call: Call, look: Look | undefined): Promise<Settled> {
  const attempts = new RetryLoop(session, call);
  for (let doubt = certain; ; ) {
    const result = await attempts.next();
    if (!(result instanceof CallFailed)) return { answer: result };
    if (isGone(result)) return { found: true };
    if (attempts.isCancelled) return { failure: session.final(result), unknown: doubt.open || doubt.unseen };
    doubt = doubtAfter(doubt, result, look);
    const again = mayGoAgain(result, look) && !attempts.isOver && !session.stopped;
    const pause = again ? session.delayAfter(result) : 0;
    const search = again || !doubt.silent ? pause : session.lookUpFor;
    const sight = doubt.unseen && look ? await lookFor(session, once, look, search) : undefined;
    if (sight?.shows === "there") return { found: true };
    const mayRepeat = call.method !== "POST" || !doubt.unseen || sight?.shows === "missing";
    if (!again || !mayRepeat) return endOf(session.final(result), doubt, sight);
    if (!sight) await session.sleep(pause);
  }
}

function endOf(failure: CallFailed, { open, unseen }: WriteUncertainty, sight: ProbeResult | undefined): Settled {
  return { failure, unknown: open || (unseen && sight?.shows !== "missing"), lookUp: sight?.failure };
}

/** What was to go is not there: done, by whomever. */
function isGone({ method, saysGone }: CallFailed): boolean {
  return method === "DELETE" && saysGone;
}

/** What is not known of a write after some attempts. */
interface WriteUncertainty {
  /** Whether the last attempt got no usable answer. */
  readonly silent: boolean;
  /** Whether some attempt may be carried out yet, with no later word of the server. */
  readonly open: boolean;
  /** Whether some attempt may have had its effect, so that a look may show it. */
  readonly unseen: boolean;
}

const certain: WriteUncertainty = { silent: false, open: false, unseen: false };

function doubtAfter(before: WriteUncertainty, failure: CallFailed, look: Look | undefined): WriteUncertainty {
  const silent = failure.uncertain && !isOwnWord(failure);
  const saysNothing = !failure.uncertain && (failure.passing || !failure.sent || failure.status === undefined);
  const mayShow = failure.uncertain || (failure.passing && !isSendableAgain(failure));
  const mayShowBy = look !== undefined && isRedirect(failure);
  return { silent, open: silent || (saysNothing && before.open), unseen: before.unseen || mayShow || mayShowBy };
}

/** The server's word, though one that some servers give after the deed: where a look is possible, it is looked up. */
function isRedirect({ status = 0 }: CallFailed): boolean {
  return status >= 300 && status < 400;
}

/** Whether the server itself has come to an end with the request, however it put that. */
function isOwnWord({ kind, status }: CallFailed): boolean {
  return status === 500 || (kind === "shape" && status !== 202);
}

function mayGoAgain(failure: CallFailed, look: Look | undefined): boolean {
  if (isSendableAgain(failure)) return true;
  return failure.passing && look !== undefined && (isOwnWord(failure) || !failure.uncertain);
}

interface ProbeResult {
  /** `unseen`: the look failed. */
  readonly shows: "there" | "missing" | "unseen";
  readonly failure?: CallFailed;
}

/**
 * Looks at once, and with growing pauses until `time` milliseconds have passed or no look can succeed; while nobody is
 * there, that time has not begun.
 */
async function lookFor(session: Session, once: Reader, look: Look, time: number): Promise<ProbeResult> {
  let end = performance.now() + time;
  for (let looks = 1; ; looks++) {
    const { answers } = session;
    const sight = await probeOnce(once, look);
    if (sight.failure && session.isAway(sight.failure, answers)) end = performance.now() + time;
    const left = end - performance.now();
    const isLast = left <= 0 || session.stopped || (sight.failure && !sight.failure.passing);
    if (sight.shows === "there" || isLast) return sight;
    await session.sleep(Math.min(left, session.pauseAfter(looks)));
  }
}

async function probeOnce(once: Reader, look: Look): Promise<ProbeResult> {
  try {
    return { shows: (await look(once)) ? "there" : "missing" };
  } catch (failure) {
    if (failure instanceof CallFailed) return { shows: "unseen", failure };
    throw failure;
  }
}
