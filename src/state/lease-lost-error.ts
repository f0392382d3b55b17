import { UserError } from "../base/exit.ts";

/** Thrown where the lease of a run is another's by now, or has expired: nothing is stored for it any more. */
export class LeaseLostError extends UserError {
  constructor(run: string) {
    super(`run ${run} lost its lease: it was not renewed in time, or was released`);
    this.name = "LeaseLostError";
  }
}
