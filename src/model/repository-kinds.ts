import type { EndpointName } from "./endpoints.ts";
import type { Change, Tier } from "./types.ts";

/** What has a repository, and so a storage (docs/api.md#repository-storage-moves). */
export type RepositoryKind = "projects" | "snippets" | "groups";

/** What tells one kind of repository from another when they move. */
export interface RepositoryKindRow {
  /** The endpoint that schedules the moves of all of them on one storage. */
  readonly schedule: EndpointName;
  /** The endpoint that lists their moves; only deployed servers have it. */
  readonly moves: EndpointName;
  /** Where a listed move names what it moves. */
  readonly record: string;
  /** `3 project moves`. */
  readonly one: string;
  readonly tier: Tier;
}

export const repositoryKinds: Readonly<Record<RepositoryKind, RepositoryKindRow>> = {
  projects: { schedule: "moveProjects", moves: "listProjectMoves", record: "project", one: "project", tier: "free" },
  snippets: { schedule: "moveSnippets", moves: "listSnippetMoves", record: "snippet", one: "snippet", tier: "free" },
  groups: { schedule: "moveGroups", moves: "listGroupMoves", record: "group", one: "group", tier: "premium" },
};

/** A storage change's key: the source and what leaves it, `nfs-1/projects`. */
export function storageKey(from: string, repositories: RepositoryKind): string {
  return `${from}/${repositories}`;
}

/** What a storage change moves. @throws RangeError where the key is not one of {@link storageKey}. */
export function repositoriesOf(key: string): RepositoryKind {
  const name = key.slice(key.lastIndexOf("/") + 1);
  const kind = (Object.keys(repositoryKinds) as RepositoryKind[]).find((each) => each === name);
  if (!kind) throw new RangeError(`${key} does not say what moves`);
  return kind;
}

/** Whether a change is a storage move: by its kind, for a project may be called as the addresses of moves begin. */
export function isMove({ kind }: Pick<Change, "kind">): boolean {
  return kind === "storage";
}
