import { dirname } from "node:path";
import { openState } from "../state/open-state.ts";
import type { WorkspaceState } from "../state/state.ts";
import { findWorkspace, loadSettings } from "../workspace/load.ts";
import type { OnlineOptions } from "./run.ts";
import { folderOf } from "./run.ts";
import type { Terminal } from "./terminal.ts";

/** What lasts of the workspace around a command. @throws UserError where there is no workspace, or its state cannot be used. */
export async function stateAround(terminal: Terminal, options: Pick<OnlineOptions, "C">): Promise<WorkspaceState> {
  const folder = folderOf(terminal, options);
  const root = dirname(findWorkspace(folder));
  const { name } = loadSettings(folder);
  return openState({ root, name, env: terminal.env });
}
