import type { EndpointName } from "./endpoints.ts";
import type { Change, Tier } from "./types.ts";

/** Types of objects with a repository, and therefore a storage (docs/api.md#repository-storage-moves). */
export type RepositoryKind = "projects" | "snippets" | "groups";

export interface RepositoryKindRow {
  readonly schedule: EndpointName;
  /** The endpoint that lists moves; only deployed servers have it. */
  readonly moves: EndpointName;
  readonly record: string;
  /** Singular noun for messages: `3 project moves`. */
  readonly one: string;
  readonly tier: Tier;
}

export const repositoryKinds: Readonly<Record<RepositoryKind, RepositoryKindRow>> = {
  projects: { schedule: "moveProjects", moves: "listProjectMoves", record: "project", one: "project", tier: "free" },
  snippets: { schedule: "moveSnippets", moves: "listSnippetMoves", record: "snippet", one: "snippet", tier: "free" },
  groups: { schedule: "moveGroups", moves: "listGroupMoves", record: "group", one: "group", tier: "premium" },
};

/** The key of a storage change: the source and the kind of repositories, `nfs-1/projects`. */
export function storageKey(from: string, repositories: RepositoryKind): string {
  return `${from}/${repositories}`;
}

/** The parts of a key. @throws RangeError if the key is not from {@link storageKey}. */
export function repositoriesOf(key: string): RepositoryKind {
  const name = key.slice(key.lastIndexOf("/") + 1);
  const kind = (Object.keys(repositoryKinds) as RepositoryKind[]).find((each) => each === name);
  if (!kind) throw new RangeError(`${key} does not say what moves`);
  return kind;
}

/** True for a storage move. Decided by kind, because a project may be named like the prefix of their addresses. */
export function isMove({ kind }: Pick<Change, "kind">): boolean {
  return kind === "storage";
}
