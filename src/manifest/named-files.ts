import type { Workspace } from "./workspace.ts";

/** A file that a setting of `evenkeel.yaml` names: its path as it is written, relative to the workspace. */
export interface NamedFile {
  readonly setting: string;
  readonly path: string;
}

/** The files that `evenkeel.yaml` names, besides manifests and what runs keep. */
export function namedFiles({ server }: Pick<Workspace, "server">): readonly NamedFile[] {
  return server.ca === undefined ? [] : [{ setting: "server.ca", path: server.ca }];
}
