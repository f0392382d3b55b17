import { join, resolve } from "node:path";
import { exit, UserError } from "../base/exit.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { dialectNamed } from "../model/dialects.ts";
import { schemasIn } from "../model/schemas.ts";
import { explainJson, explainText } from "../report/explain.ts";
import {
  kindFiles,
  kindListText,
  kindsJson,
  kindsText,
  resolveKinds,
  type Unexplained,
} from "../report/explain-kinds.ts";
import type { Palette } from "../report/terminal.ts";
import { catalogueAround, dialectAround } from "../workspace/load.ts";
import type { Run } from "./command.ts";
import { openReports, save } from "./outputs.ts";
import { folderOf } from "./run-request.ts";
import type { Options } from "./table.ts";

/** `evenkeel explain [NAME[.FIELD]]`: the catalogue, for people and for scripts. */
export const run: Run<Options<"explain">> = (terminal, options, [selection]) => {
  const catalogue = catalogueAround(folderOf(terminal, options), options.dialect);
  const report = openReports(terminal, options.report);
  const { text, json } = explainSelection(catalogue, selection, options.kinds === true, terminal.palette);
  report({ text: () => text, json: () => JSON.stringify(json, null, 2) });
  return exit.done;
};

interface Explained {
  readonly text: string;
  readonly json: unknown;
}

/** @throws UserError for a name that the catalogue does not have. */
function explainSelection(
  catalogue: Catalogue,
  selection: string | undefined,
  isOfKinds: boolean,
  palette: Palette,
): Explained {
  if (isOfKinds && selection === undefined) {
    const all = kindFiles(catalogue).map((kind) => ({ kind, field: undefined }));
    return { text: kindListText(catalogue, palette), json: kindsJson(all) };
  }
  const kinds = selection === undefined ? [] : orThrow(resolveKinds(catalogue, selection));
  if (kinds.length > 0) return { text: kindsText(kinds, palette), json: kindsJson(kinds) };
  return {
    text: orThrow(explainText(selection, palette, catalogue)),
    json: orThrow(explainJson(selection, catalogue)),
  };
}

function orThrow<Found extends object | string>(found: Found | Unexplained): Found {
  if (typeof found === "object" && "unknown" in found) throw new UserError((found as Unexplained).unknown);
  return found as Found;
}

/** `evenkeel schema [DIR]`: writes the JSON Schemas for editors, in the dialect and with the kinds of the workspace. */
export const schema: Run<Options<"schema">> = (terminal, options, [folder = "."]) => {
  const around = resolve(terminal.cwd, folder);
  const dialect = dialectNamed(options.dialect ?? dialectAround(around));
  const schemas = schemasIn(dialect, catalogueAround(around, dialect.name));
  for (const [name, schema] of schemas) save(terminal, join(folder, name), `${JSON.stringify(schema, null, 2)}\n`);
  terminal.note(`Wrote ${[...schemas.keys()].map((name) => join(folder, name)).join(", ")}.`);
  return exit.done;
};
