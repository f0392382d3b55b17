import { paged } from "./pages.ts";
import { forbidden } from "./reply.ts";
import type { Repository, State } from "./state.ts";
import type { Handler } from "./world.ts";

/** GET /projects, all or those on one storage (spec: Project (storage filter)). */
export const listProjects: Handler = (world, visit) => {
  const { state, behaviour } = world;
  const isAdmin = visit.caller.role === "admin";
  const storage = visit.given.repository_storage;
  if (storage !== undefined && !isAdmin && !behaviour.storageHidden) return forbidden;
  const filter = isAdmin ? storage : undefined;
  const rows = state.projectsInOrder
    .map(({ record }) => record)
    .filter(
      ({ access, repository_storage }) =>
        access !== "hidden" && (filter === undefined || repository_storage === filter),
    );
  const showsStorage = isAdmin || !behaviour.storageHidden;
  return paged(world, visit, rows, (project) => projectRow(state, project, showsStorage));
};

function projectRow(state: State, project: Repository, showsStorage: boolean): object {
  return {
    ...projectNames(project),
    default_branch: project.default_branch,
    web_url: `https://code.example.com/${project.path}`,
    ...(showsStorage && {
      repository_storage: project.repository_storage,
      repository_read_only: state.moving.project.has(project.id),
    }),
  };
}

/** How a project is named wherever it appears. */
export function projectNames({ id, path, name, created_at }: Repository): object {
  const segments = path.split("/");
  return {
    id,
    description: null,
    name,
    name_with_namespace: [...segments.slice(0, -1), name].join(" / "),
    path: segments.at(-1),
    path_with_namespace: path,
    created_at,
  };
}
