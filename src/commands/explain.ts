import { exit, UserError } from "../base/exit.ts";
import { catalogueOf } from "../model/catalogue.ts";
import { explainText } from "../report/explain.ts";
import { explainJson } from "../report/explain-json.ts";
import { dialectAround } from "../workspace/load.ts";
import type { Run } from "./command.ts";
import { openReports } from "./outputs.ts";
import type { Options } from "./table.ts";

/** `evenkeel explain [SLUG[.PARAM]]`: the catalogue, for people and for scripts. */
export const run: Run<Options<"explain">> = (terminal, options, [selection]) => {
  const catalogue = catalogueOf(options.dialect ?? dialectAround(terminal.cwd));
  const report = openReports(terminal, options.report);
  const text = explainText(selection, terminal.palette, catalogue);
  const json = explainJson(selection, catalogue);
  if (typeof text !== "string") throw new UserError(text.unknown);
  report({ text: () => text, json: () => JSON.stringify(json, null, 2) });
  return exit.done;
};
