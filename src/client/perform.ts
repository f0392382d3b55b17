import type { Call } from "../model/types.ts";
import type { FullAnswer } from "./classify-response.ts";
import { CallFailed } from "./failure.ts";
import { isSendableAgain } from "./retry.ts";
import type { Session } from "./session.ts";

/** The attempts at one call, one after the other: how many are left, and whether the run was stopped between them. */
export class RetryLoop {
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
export async function perform(session: Session, call: Call, first = 1): Promise<FullAnswer> {
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
