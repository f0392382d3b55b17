import { explained } from "../client/explain-failure.ts";
import type { CallFailed } from "../client/failure.ts";
import type { Problem } from "../model/types.ts";

/** So many projects that all fail alike speak for the fleet. */
const enough = 20;

/** Whether a failure is one that a wrong URL or a token without rights brings for every project: a page, or a 403. */
function isEverywhere({ kind, status }: CallFailed): boolean {
  return kind === "html" || status === 403;
}

/** Failures of whole projects that may be everybody's: told once then, and no reason to go on. */
export interface Everywhere {
  /** One project is read; `failure` where nothing of it could be. @throws CallFailed once the first 20 all failed alike. */
  add(failure: CallFailed | undefined): void;
  /** The one problem of all projects, where all of them failed alike and there are several. */
  problem(): Problem | undefined;
}

/** `total`: projects that are read. */
export function failFastOnCommonError(total: number): Everywhere {
  let first: CallFailed | undefined;
  let alike = 0;
  let isOther = false;
  return {
    add(failure) {
      if (isOther) return;
      first ??= failure;
      if (!failure || !first || !isEverywhere(failure) || failure.kind !== first.kind) isOther = true;
      else if (++alike === enough && total > enough)
        throw first.endingRun(`so it went for the first ${enough} of ${total} projects, and the run ended`);
    },
    problem() {
      if (isOther || !first || total < 2) return undefined;
      const message = `${explained(first)}; so it went for all ${total} projects`;
      return { severity: "error", rule: "unreadable", message };
    },
  };
}
