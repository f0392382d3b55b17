import { UserError } from "../base/exit.ts";

/** An expression that is not evaluated, because it could take too long on what it is given. */
export class TooLongError extends UserError {}
