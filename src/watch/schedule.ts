import { Cron } from "croner";
import { exit, UserError } from "../base/exit.ts";

/** When checks are due, in milliseconds since 1970. */
export interface Schedule {
  /** The first time after another one. */
  readonly after: (time: number) => number;
}

/** Every `milliseconds` from `start` on. */
export function every(milliseconds: number, start: number): Schedule {
  return { after: (time) => start + (Math.floor((time - start) / milliseconds) + 1) * milliseconds };
}

const expected = 'expected minute, hour, day, month and weekday, such as "7 * * * *", seven minutes past each hour';

/**
 * The times of a cron expression, in the time zone of this process.
 * @throws UserError (64) for an expression that is invalid or matches no future time.
 */
export function cron(expression: string, now: number): Schedule {
  const shown = JSON.stringify(expression.slice(0, 100));
  const parsed = parse(expression);
  if (!parsed) throw new UserError(`--cron ${shown} is not a schedule; ${expected}`, exit.usage);
  const after = (time: number) => parsed.nextRun(new Date(time))?.getTime() ?? Number.POSITIVE_INFINITY;
  if (after(now) === Number.POSITIVE_INFINITY) {
    throw new UserError(`--cron ${shown} names a time that never comes; ${expected}`, exit.usage);
  }
  return { after };
}

/** Five fields, six where seconds come first, or a word such as `@hourly`; a date is none. */
function parse(expression: string): Cron | undefined {
  const fields = expression.trim().split(/\s+/);
  if (!/^@[a-z]+$/i.test(expression.trim()) && (fields.length < 5 || fields.length > 6)) return undefined;
  try {
    return new Cron(expression.trim(), { paused: true });
  } catch {
    return undefined;
  }
}

/** The next check: when it is due, with a random delay of up to a tenth of the interval, and when it is overdue. */
export interface Due {
  readonly at: number;
  readonly late: number;
}

/** The minimum of milliseconds by which a check may be late. */
const leastPatience = 60_000;

export function nextDue({ after }: Schedule, now: number, random: () => number): Due {
  const planned = after(now);
  const gap = after(planned) - planned;
  if (!Number.isFinite(gap)) return { at: planned, late: planned + leastPatience };
  const at = planned + Math.floor((random() * gap) / 10);
  return { at, late: at + Math.max(gap, leastPatience) };
}
