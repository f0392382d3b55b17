import { dirname } from "node:path";
import { openState } from "../state/open-state.ts";
import type { WorkspaceState } from "../state/state.ts";
import { findWorkspace, loadSettings } from "../workspace/load.ts";
import type { Terminal } from "./terminal.ts";
import { folderOf, type OnlineOptions } from "./workspace-options.ts";

/** The state of the surrounding workspace. @throws UserError if there is no workspace, or its state is unusable. */
export async function stateAround(terminal: Terminal, options: Pick<OnlineOptions, "C">): Promise<WorkspaceState> {
  const folder = folderOf(terminal, options);
  const root = dirname(findWorkspace(folder));
  const { name } = loadSettings(folder);
  return openState({ root, name, env: terminal.env });
}
