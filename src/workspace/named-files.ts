import type { Workspace } from "../manifest/workspace.ts";

/** The files that `evenkeel.yaml` names besides manifests, as it names them: relative to the workspace. */
export function namedFiles({ server }: Pick<Workspace, "server">): readonly string[] {
  return server.ca === undefined ? [] : [server.ca];
}
