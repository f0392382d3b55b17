import { exit, Refusal } from "../exit.ts";
import { loadWorkspace } from "../load.ts";
import { desiredOf } from "../manifest/layers.ts";
import { validate } from "../manifest/validate.ts";
import type { OnlineOptions } from "./run.ts";
import { folderOf } from "./run.ts";
import type { Run } from "./verbs.ts";

export const run: Run<OnlineOptions> = (terminal, options, [name = ""]) => {
  const loaded = loadWorkspace(folderOf(terminal, options));
  const { policies } = validate(loaded);
  const { desired } = desiredOf(policies, { name, path: name }, loaded.workspace.server);
  if (desired.resources.length === 0) throw new Refusal(`no policy matches ${name}`);
  terminal.print(JSON.stringify(desired.resources, null, 2));
  return exit.done;
};
