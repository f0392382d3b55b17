import { findProject, type MoveKind, type Repository, type State } from "./state.ts";

interface RepositoryReader {
  readonly list: (state: State) => Repository[];
  readonly find: (state: State, id: number) => Repository | undefined;
  /** By what a path of the API calls it: its ID, or its own path. */
  readonly named: (state: State, name: string) => Repository | undefined;
}

/** Whatever has a repository, by kind: how it is read. */
export const repositoryReaders: Readonly<Record<MoveKind, RepositoryReader>> = {
  project: {
    list: ({ projects }) => [...projects.values()].map(({ record }) => record),
    find: ({ projects }, id) => projects.get(id)?.record,
    named: (state, name) => findProject(state, name)?.record,
  },
  snippet: {
    list: ({ snippets }) => [...snippets.values()],
    find: ({ snippets }, id) => snippets.get(id),
    named: ({ snippets }, name) => snippets.get(Number(name)),
  },
  group: {
    list: ({ groups }) => [...groups.values()],
    find: ({ groups }, id) => groups.get(id),
    named: ({ groups }, name) => groups.get(Number(name)) ?? [...groups.values()].find(({ path }) => path === name),
  },
};
