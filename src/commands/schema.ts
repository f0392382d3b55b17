import { join } from "node:path";
import { exit } from "../base/exit.ts";
import { schemas } from "../model/schemas.ts";
import { save } from "./outputs.ts";
import type { Run } from "./verb.ts";

/** `evenkeel schema [DIR]`: the JSON Schemas, as editors want them. */
export const run: Run<object> = (terminal, _, [folder = "."]) => {
  for (const [name, schema] of schemas) save(terminal, join(folder, name), `${JSON.stringify(schema, null, 2)}\n`);
  terminal.note(`Wrote ${schemas.size} schemas to ${folder}.`);
  return exit.done;
};
