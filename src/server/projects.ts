import { keysetPaged, paged } from "./pages.ts";
import { forbidden, json, type ServerReply } from "./reply.ts";
import type { Repository, State } from "./state.ts";
import { permissionsOf } from "./users.ts";
import type { Handler, ProjectHandler, Visit } from "./world.ts";

/** GET /projects, all or those on one storage (spec: Project (storage filter)). */
export const listProjects: Handler = (world, visit) => {
  const { state, behaviour } = world;
  const isAdmin = visit.caller.role === "admin";
  const storage = visit.given.repository_storage;
  if (storage !== undefined && !isAdmin && !behaviour.storageHidden) return forbidden;
  const filter = isAdmin ? storage : undefined;
  const isWanted = wantedBy(visit);
  const rows = inOrder(
    state.projectsInOrder.map(({ record }) => record),
    visit,
  ).filter((project) => isWanted(project) && (filter === undefined || project.repository_storage === filter));
  const showsStorage = isAdmin || !behaviour.storageHidden;
  const row = (project: Repository) => projectRow(state, project, showsStorage);
  if (isKeyset(visit)) return keysetPaged(world, visit, rows, row);
  return tooFar(behaviour.projectOffsets, visit) ?? paged(world, visit, rows, row);
};

/** Those that the caller may see, and, where they are asked for, those of a member and of a name. Other filters are ignored. */
function wantedBy({ raw }: Visit): (project: Repository) => boolean {
  const ofMember = raw.min_access_level !== undefined || ["membership", "owned"].some((name) => raw[name] === "true");
  const words = typeof raw.search === "string" ? raw.search.toLowerCase() : "";
  return ({ access, name, path }) =>
    access !== "hidden" &&
    !(ofMember && access === "stranger") &&
    [name, path.slice(path.lastIndexOf("/") + 1)].some((each) => each.toLowerCase().includes(words));
}

/** The refusal of a page that deployed servers do not reach by its number. */
function tooFar(limit: number, { raw }: Visit): ServerReply | undefined {
  const offset = (Number(raw.page ?? 1) - 1) * Number(raw.per_page ?? 20);
  if (!(offset >= limit)) return undefined;
  const reason = `Offset pagination has a maximum allowed offset of ${limit} for requests that return objects of type Project.`;
  return json(405, { error: `${reason} Remaining records can be retrieved using keyset pagination.` });
}

/** GET /projects/:id, which deployed servers have. */
export const getProject: ProjectHandler = ({ state, behaviour }, { caller }, { record }) => {
  const row = projectRow(state, record, caller.role === "admin" || !behaviour.storageHidden);
  return json(200, { ...row, permissions: permissionsOf(caller) });
};

function isKeyset({ given }: Visit): boolean {
  return given.pagination === "keyset" && given.order_by === "id";
}

/** `records` come in the order of their IDs. */
function inOrder(records: readonly Repository[], { given }: Visit): readonly Repository[] {
  const { order_by: field, sort, id_after: after = 0, id_before: before = Number.POSITIVE_INFINITY } = given;
  const within = records.filter(({ id }) => id > Number(after) && id < Number(before));
  const key = ({ name, path, created_at }: Repository) =>
    field === "name" ? name : field === "path" ? path : created_at;
  const sorted = field === "id" ? within : within.toSorted((a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b))));
  return sort === "desc" ? sorted.toReversed() : sorted;
}

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
