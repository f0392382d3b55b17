/** Exit codes (docs/running.md). */
export const exit = {
  done: 0,
  problem: 1,
  pending: 2,
  refused: 3,
  stale: 4,
  usage: 64,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exit)[keyof typeof exit];

export interface Facts {
  readonly interrupted?: boolean;
  readonly refused?: boolean;
  readonly problem?: boolean;
  readonly stale?: boolean;
  readonly pending?: boolean;
}

/** The exit code of the most severe event: 130, then 3, 1, 4, 2 (docs/running.md). */
export function exitCode(facts: Facts): ExitCode {
  const first = (["interrupted", "refused", "problem", "stale", "pending"] as const).find((fact) => facts[fact]);
  return first ? exit[first] : exit.done;
}

/** The exit code of a run that could not write all of its output. A more severe code is kept. */
export function atLeastError(code: ExitCode): ExitCode {
  return code === exit.done || code === exit.pending || code === exit.stale ? exit.problem : code;
}

export class UserError extends Error {
  readonly code: ExitCode;

  constructor(message: string, code: ExitCode = exit.problem) {
    super(message);
    this.name = "UserError";
    this.code = code;
  }
}

/** A temporary error, for example because the database is restarting. */
export class UnavailableError extends UserError {}

type ErrorClass<Known extends Error> = abstract new (...args: never[]) => Known;

/** The result of `work`; undefined if it throws an error, of class `only` if that is given. Rethrows others. */
export function ifPossible<Result>(work: () => Result, only: ErrorClass<Error> = Error): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof only) return undefined;
    throw error;
  }
}

/** Turns the errors of a class into results, as the argument of `catch`; rethrows others. */
export function onError<Known extends Error, Result>(known: ErrorClass<Known>, read: (error: Known) => Result) {
  return (error: unknown): Result => {
    if (error instanceof known) return read(error);
    throw error;
  };
}

export const ignoreUserError = onError(UserError, () => undefined);

/** The message of a {@link UserError}; undefined on success. Rejects with any other error. */
export function userErrorOf(work: Promise<unknown>): Promise<string | undefined> {
  return work.then(
    () => undefined,
    onError(UserError, ({ message }) => message),
  );
}
