import { exit, Refusal } from "../base/exit.ts";
import { explainJson, explainText } from "../report/explain.ts";
import { reporter } from "./emit.ts";
import type { OnlineOptions } from "./run.ts";
import type { Run } from "./verbs.ts";

/** `evenkeel explain [SLUG[.PARAM]]`: the catalogue, for people and for scripts. */
export const run: Run<OnlineOptions> = (terminal, options, [selection]) => {
  const report = reporter(terminal, options.report);
  const text = explainText(selection, terminal.palette);
  const json = explainJson(selection);
  if (typeof text !== "string") throw new Refusal(text.unknown);
  report({ text: () => text, json: () => JSON.stringify(json, null, 2) });
  return exit.done;
};
