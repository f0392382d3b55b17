import { exit, UserError } from "../../base/exit.ts";
import type { Run } from "../command.ts";
import { completionScripts } from "./scripts.ts";

/** `evenkeel completion SHELL`: a script to source. */
export const run: Run<object> = (terminal, _, [shell = ""]) => {
  const script = completionScripts.get(shell);
  if (!script)
    throw new UserError(`expected one of ${[...completionScripts.keys()].join(", ")}, got ${shell}`, exit.usage);
  terminal.emit(script.trimEnd());
  return exit.done;
};
