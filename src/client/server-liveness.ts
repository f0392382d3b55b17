import { callLater } from "./timer.ts";

/** Whether a server is there at all: any answer says so, to whichever request. */
export interface ServerLiveness {
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
