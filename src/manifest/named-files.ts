import type { Workspace } from "./workspace.ts";

/** A file that a setting of `evenkeel.yaml` refers to: its path as written, relative to the workspace. */
export interface NamedFile {
  readonly setting: string;
  readonly path: string;
}

/** The files that `evenkeel.yaml` refers to, except manifests and state. */
export function namedFiles({ server }: Pick<Workspace, "server">): readonly NamedFile[] {
  return server.ca === undefined ? [] : [{ setting: "server.ca", path: server.ca }];
}
