import { putGroup, putProject, putSnippet } from "./records.ts";
import type { MoveKind, Repository, State } from "./state.ts";

interface Shelf {
  readonly list: (state: State) => Repository[];
  readonly find: (state: State, id: number) => Repository | undefined;
  readonly put: (state: State, record: Repository) => void;
}

/** Whatever has a repository, by kind: how it is read and how it is kept. */
export const shelves: Readonly<Record<MoveKind, Shelf>> = {
  project: {
    list: ({ projects }) => [...projects.values()].map(({ record }) => record),
    find: ({ projects }, id) => projects.get(id)?.record,
    put: (state, record) => void putProject(state, record),
  },
  snippet: {
    list: ({ snippets }) => [...snippets.values()],
    find: ({ snippets }, id) => snippets.get(id),
    put: putSnippet,
  },
  group: {
    list: ({ groups }) => [...groups.values()],
    find: ({ groups }, id) => groups.get(id),
    put: putGroup,
  },
};
