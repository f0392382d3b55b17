import type { Run } from "./command.ts";
import { planAs } from "./plan.ts";
import type { Options } from "./table.ts";

/** `evenkeel drift`: a plan whose exit code reports whether anything differs. */
export const run: Run<Options<"drift">> = (terminal, options) =>
  planAs("drift", terminal, { ...options, detailedExitcode: true });
