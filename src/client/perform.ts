import type { Call } from "../model/types.ts";
import type { FullAnswer } from "./classify-response.ts";
import { CallFailed } from "./failure.ts";
import { isSendableAgain } from "./retry.ts";
import type { Session } from "./session.ts";

/**
 * The answer to a call, after as many attempts as it takes and may take (docs/architecture.md). `first` is the number of the
 * first of them, where the same was asked before.
 * @throws CallFailed; SecretMissing where a parameter's secret cannot be resolved.
 */
export async function perform(session: Session, call: Call, first = 1): Promise<FullAnswer> {
  let acted = false;
  let last: CallFailed | undefined;
  let spent = 0;
  for (let attempts = first; ; attempts++) {
    const { answers } = session;
    const result = await attempted(session, call, attempts);
    if (!(result instanceof CallFailed)) return result;
    if (last && isCalledOff(result)) throw session.final(last);
    if (!session.isAway(result, answers)) spent++;
    if (call.method === "DELETE" && acted && result.saysGone) return goneAlready;
    if (!isSendableAgain(result) || wasWaitedFor(call, result) || spent >= session.mostAttempts)
      throw session.final(result);
    acted ||= result.uncertain;
    last = result;
    await session.sleep(session.delayAfter(result));
  }
}

/** What no plan counts, a run can do without: nobody waits for it twice. */
function wasWaitedFor({ uncounted }: Call, { kind }: CallFailed): boolean {
  return uncounted === true && kind === "timeout";
}

/** The outcome of one attempt as a value. @throws SecretMissing. */
export async function attempted(session: Session, call: Call, attempts: number): Promise<FullAnswer | CallFailed> {
  try {
    return await session.attempt(call, attempts);
  } catch (error) {
    if (error instanceof CallFailed) return error;
    throw error;
  }
}

/** Whether an attempt was not made since the run is stopped: what came before says more. */
export function isCalledOff({ kind, sent }: CallFailed): boolean {
  return kind === "aborted" && !sent;
}

const goneAlready: FullAnswer = { status: 204, body: undefined, requestId: undefined, headers: {} };
