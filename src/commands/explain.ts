import { exit, Refusal } from "../base/exit.ts";
import { explainJson, explainText } from "../report/explain.ts";
import type { Options } from "./flags.ts";
import { reporter } from "./outputs.ts";
import type { Run } from "./verb.ts";

/** `evenkeel explain [SLUG[.PARAM]]`: the catalogue, for people and for scripts. */
export const run: Run<Options<"explain">> = (terminal, options, [selection]) => {
  const report = reporter(terminal, options.report);
  const text = explainText(selection, terminal.palette);
  const json = explainJson(selection);
  if (typeof text !== "string") throw new Refusal(text.unknown);
  report({ text: () => text, json: () => JSON.stringify(json, null, 2) });
  return exit.done;
};
