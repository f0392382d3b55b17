import { join, resolve } from "node:path";
import { exit, UserError } from "../base/exit.ts";
import { dialectNamed } from "../model/dialects.ts";
import { schemasIn } from "../model/schemas.ts";
import { explain, explainKinds } from "../report/explain.ts";
import { catalogueAround, dialectAround } from "../workspace/load.ts";
import type { Options, Run } from "./command.ts";
import { save, showing } from "./outputs.ts";

export const run = showing<Options<"explain">>((terminal, options, [selection]) => {
  const catalogue = catalogueAround(terminal.folder, options.dialect);
  const explained = options.kinds && selection === undefined ? explainKinds(catalogue) : explain(catalogue, selection);
  if ("unknown" in explained) throw new UserError(explained.unknown);
  return { text: explained.text, json: () => explained.json };
});

export const schema: Run<Options<"schema">> = (terminal, options, [folder = "."]) => {
  const around = resolve(terminal.cwd, folder);
  const dialect = dialectNamed(options.dialect ?? dialectAround(around));
  const schemas = schemasIn(dialect, catalogueAround(around, dialect.name));
  for (const [name, schema] of schemas) save(terminal, join(folder, name), `${JSON.stringify(schema, null, 2)}\n`);
  terminal.note(`Wrote ${[...schemas.keys()].map((name) => join(folder, name)).join(", ")}.`);
  return exit.done;
};
