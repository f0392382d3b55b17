import { join, resolve } from "node:path";
import { exit } from "../base/exit.ts";
import { dialectNamed } from "../model/dialects.ts";
import { schemasIn } from "../model/schemas.ts";
import { catalogueAround, dialectAround } from "../workspace/load.ts";
import type { Run } from "./command.ts";
import { save } from "./outputs.ts";
import type { Options } from "./table.ts";

/** `evenkeel schema [DIR]`: writes the JSON Schemas for editors, in the dialect and with the kinds of the workspace. */
export const run: Run<Options<"schema">> = (terminal, options, [folder = "."]) => {
  const around = resolve(terminal.cwd, folder);
  const dialect = dialectNamed(options.dialect ?? dialectAround(around));
  const schemas = schemasIn(dialect, catalogueAround(around, dialect.name));
  for (const [name, schema] of schemas) save(terminal, join(folder, name), `${JSON.stringify(schema, null, 2)}\n`);
  terminal.note(`Wrote ${[...schemas.keys()].map((name) => join(folder, name)).join(", ")}.`);
  return exit.done;
};
