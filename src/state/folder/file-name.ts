import { UserError } from "../../base/exit.ts";
import { isRunName } from "../claim.ts";

/**
 * The name of a file in a state. @throws UserError for a name that could lead out of the state's folder: those that are
 * copied from another state are not this program's own.
 */
export function stateFile(name: string, ending: string): string {
  if (isRunName(name)) return `${name}.${ending}`;
  const shown = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
  throw new UserError(
    `the state names something ${shown}, which is no name of a run or a note; nothing is written under it`,
  );
}
