import type { MoveKind, Repository, State } from "./state.ts";

interface RepositoryReader {
  readonly list: (state: State) => Repository[];
  readonly find: (state: State, id: number) => Repository | undefined;
}

/** Whatever has a repository, by kind: how it is read. */
export const repositoryReaders: Readonly<Record<MoveKind, RepositoryReader>> = {
  project: {
    list: ({ projects }) => [...projects.values()].map(({ record }) => record),
    find: ({ projects }, id) => projects.get(id)?.record,
  },
  snippet: {
    list: ({ snippets }) => [...snippets.values()],
    find: ({ snippets }, id) => snippets.get(id),
  },
  group: {
    list: ({ groups }) => [...groups.values()],
    find: ({ groups }, id) => groups.get(id),
  },
};
