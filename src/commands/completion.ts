import { exit, Refusal } from "../exit.ts";
import { completionScripts } from "./completion-scripts.ts";
import type { Run } from "./verbs.ts";

/** `evenkeel completion SHELL`: a script to source. */
export const run: Run<object> = (terminal, _, [shell = ""]) => {
  const script = completionScripts.get(shell);
  if (!script) throw new Refusal(`expected ${[...completionScripts.keys()].join(", ")}, got ${shell}`, exit.usage);
  terminal.print(script.trimEnd());
  return exit.done;
};
