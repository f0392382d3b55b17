import { createHash, type Hash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Refusal } from "./exit.ts";
import { discover } from "./load/discover.ts";
import { readText } from "./load/read.ts";
import { type Parsed, parseManifest } from "./manifest/document.ts";
import { type Loaded, readWorkspace, workspaceFile } from "./manifest/workspace.ts";

export type { Document } from "./manifest/document.ts";
export type { Loaded, Workspace } from "./manifest/workspace.ts";

/**
 * Reads the workspace around a folder: `evenkeel.yaml`, found upward, and its manifests. Mistakes are problems.
 * @throws Refusal where there is no workspace.
 */
export function loadWorkspace(folder: string): Loaded {
  const root = dirname(findWorkspace(folder));
  const digest = createHash("sha256");
  const head = load(root, workspaceFile, digest);
  const { workspace, problems } = readWorkspace(head);
  const { files, problems: found } = discover(root, workspace.manifests, head.documents[0]);
  const manifests = files.map((file) => load(root, file, digest));
  return {
    root,
    workspace,
    documents: manifests.flatMap(({ documents }) => documents),
    problems: [...problems, ...found, ...manifests.flatMap(({ problems }) => problems)],
    digest: `sha256:${digest.digest("hex")}`,
  };
}

/**
 * The absolute path of the `evenkeel.yaml` in a folder or above it.
 * @throws Refusal where there is none.
 */
export function findWorkspace(folder: string): string {
  const start = resolve(folder);
  for (let at = start; ; at = dirname(at)) {
    if (existsSync(join(at, workspaceFile))) return join(at, workspaceFile);
    if (dirname(at) === at) throw new Refusal(`no ${workspaceFile} in ${start} or above it; evenkeel init makes one`);
  }
}

function load(root: string, file: string, digest: Hash): Parsed {
  const read = readText(root, file);
  digest.update(`${file}\0${"text" in read ? read.size : read.problem.rule}\0`);
  if ("problem" in read) return { documents: [], problems: [read.problem] };
  digest.update(read.text);
  return parseManifest(file, read.text);
}
