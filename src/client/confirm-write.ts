import type { Call } from "../model/types.ts";
import { CallFailed } from "./failure.ts";
import { RetryLoop } from "./perform.ts";
import type { EffectProbe, Reader, Settled } from "./reader.ts";
import { isSendableAgain } from "./retry.ts";
import type { Session } from "./session.ts";

/**
 * Sends a write until it is known what became of it (docs/running.md). What got no usable answer is looked up: between the
 * attempts at what may be sent twice, and for `lookUpFor` milliseconds before it is given up. A POST without an answer
 * is never sent again; one that the server says it failed at is, if a probe finds nothing. `once` reads without
 * trying again. Without `probe` nothing can be seen. @throws SecretMissing: then nothing was sent.
 */
export async function settle(
  session: Session,
  once: Reader,
  call: Call,
  probe: EffectProbe | undefined,
): Promise<Settled> {
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

/** What was to be deleted is not there: done, whoever did it. */
function isGone({ method, saysGone }: CallFailed): boolean {
  return method === "DELETE" && saysGone;
}

/** What is not known of a write after some attempts. */
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
