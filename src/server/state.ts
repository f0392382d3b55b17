import type { JsonObject } from "../base/json.ts";
import type { Store } from "./store.ts";

/**
 * The data of the server in memory. All changes go through {@link save} or {@link forget}, which update the store.
 * Records are replaced, never modified. Times are ISO 8601 with milliseconds.
 */
export interface State {
  readonly store: Store;
  readonly projects: Map<number, ProjectState>;
  /** The projects sorted by ID. */
  readonly projectsInOrder: ProjectState[];
  /** Cached lists of projects by query, until a project changes. */
  readonly projectLists: Map<string, readonly Repository[]>;
  readonly projectsByPath: Map<string, ProjectState>;
  readonly formerPaths: Map<string, ProjectState>;
  readonly snippets: Map<number, Repository>;
  readonly groups: Map<number, Repository>;
  readonly groupsByPath: Map<string, Repository>;
  readonly moves: Map<number, MoveRecord>;
  readonly storages: Map<string, Storage>;
  readonly tokens: Map<string, Caller>;
  /** Users without a token, by ID. */
  readonly users: Map<number, User>;
  /** The rows of kinds of resources: by the owner's kind, the kind and the owner, in the order of their creation. */
  readonly rows: Map<string, readonly KindRecord[]>;
  readonly features: Set<string>;
  /** IDs of repositories that are read-only during a move; derived from the moves. */
  readonly moving: Readonly<Record<MoveKind, Set<number>>>;
  /** The last used number by kind of record. */
  readonly numbers: Map<string, number>;
}

export interface ProjectState {
  record: Repository;
  /** Sorted by ID. */
  deployments: readonly DeploymentRecord[];
  readonly mergeRequests: readonly MergeRequest[];
}

/** An object with a repository on a storage. `path` is the ID of a snippet without a path. */
export interface Repository {
  readonly id: number;
  readonly path: string;
  readonly name: string;
  readonly repository_storage: string;
  readonly default_branch?: string;
  readonly former_paths?: readonly string[];
  /**
   * `none`: every request is forbidden. `hidden`: behaves as missing. `stranger`: public, and the caller is not a
   * member.
   */
  readonly access?: "none" | "hidden" | "stranger";
  /** The number of its next storage moves that fail. */
  readonly fail_moves?: number;
  readonly leave_copy?: boolean;
  /** A group that was not seeded, but is part of another path; it has no repository to move. */
  readonly implied?: true;
  readonly created_at: string;
  readonly merge_requests?: readonly MergeRequest[];
  /** Archived: writes are refused, and so are reads of some kinds. */
  readonly archived?: boolean;
  readonly topics?: readonly string[];
  readonly marked_for_deletion_on?: string;
  readonly last_activity_at?: string;
}

/** A row of a kind as in responses, with its secrets. */
export interface KindRecord {
  readonly number: number;
  readonly row: JsonObject;
}

export interface DeploymentRecord {
  readonly id: number;
  readonly iid: number;
  readonly ref: string;
  readonly sha: string;
  readonly tag: boolean;
  readonly status: string;
  readonly created_at: string;
  readonly updated_at: string;
  /** Time at which its status became one of {@link finalStatuses}. */
  readonly finished_at?: string;
  readonly user: User;
  readonly environment: { readonly id: number; readonly name: string; readonly external_url: string };
  readonly deployable: JsonObject | null;
}

export const finalStatuses: ReadonlySet<string> = new Set(["success", "failed", "canceled"]);

export type MergeRequest = JsonObject;

export type MoveKind = "project" | "snippet" | "group";

export interface MoveRecord {
  readonly id: number;
  readonly kind: MoveKind;
  readonly repository: number;
  readonly created_at: string;
  readonly state: string;
  readonly source_storage_name: string;
  readonly destination_storage_name: string;
}

export interface Storage {
  readonly name: string;
  readonly cluster: boolean;
}

export const roles = ["guest", "reporter", "developer", "maintainer", "owner", "admin"] as const;

/** `granular`: a fine-grained token, which this server grants everything. */
export type Scope = "api" | "read_api" | "read_user" | "granular";

export type Role = (typeof roles)[number];

export interface User {
  readonly id: number;
  readonly name: string;
  readonly username: string;
  readonly state: string;
  readonly avatar_url: string;
  readonly web_url: string;
}

export interface Caller {
  readonly role: Role;
  readonly user: User;
  /** Default: `api`. */
  readonly scopes?: readonly Scope[] | undefined;
  /** A day; default: it does not expire. */
  readonly expires_at?: string | undefined;
}

/** The user behind the `id`-th token. */
export function userOf(id: number, role: Role): User {
  const username = id === 1 ? "root" : `${role}-${id}`;
  return {
    id,
    name: id === 1 ? "Administrator" : `User ${id}`,
    username,
    state: "active",
    avatar_url: "",
    web_url: `https://code.example.com/${username}`,
  };
}

export function emptyState(store: Store): State {
  return {
    store,
    projects: new Map(),
    projectsInOrder: [],
    projectLists: new Map(),
    projectsByPath: new Map(),
    formerPaths: new Map(),
    snippets: new Map(),
    groups: new Map(),
    groupsByPath: new Map(),
    moves: new Map(),
    storages: new Map(),
    tokens: new Map(),
    users: new Map(),
    rows: new Map(),
    features: new Set(),
    moving: { project: new Set(), snippet: new Set(), group: new Set() },
    numbers: new Map(),
  };
}

/** The next number of a kind of record; numbers are never reused. */
export function nextNumber(state: State, kind: string): number {
  const number = (state.numbers.get(kind) ?? 0) + 1;
  setNumber(state, kind, number);
  return number;
}

/** Reserves `number`. */
export function takeNumber(state: State, kind: string, number: number): number {
  if (number > (state.numbers.get(kind) ?? 0)) setNumber(state, kind, number);
  return number;
}

function setNumber(state: State, kind: string, number: number): void {
  state.numbers.set(kind, number);
  state.store.save("number", kind, number);
}

/** A project by its ID, if `id` is all digits, or its path in any case. Hidden ones are not found. */
export function findProject(state: State, id: string): ProjectState | undefined {
  const project = /^\d+$/.test(id) ? state.projects.get(Number(id)) : state.projectsByPath.get(id.toLowerCase());
  return project?.record.access === "hidden" ? undefined : project;
}

/** A group by its ID, if `id` is all digits, or its path in any case. */
export function findGroup(state: State, id: string): Repository | undefined {
  if (/^\d+$/.test(id)) return state.groups.get(Number(id));
  return state.groupsByPath.get(id.toLowerCase());
}

/** The groups above a path, from the top. */
export function groupsAbove({ groupsByPath }: State, path: string): readonly Repository[] {
  const segments = path.toLowerCase().split("/").slice(0, -1);
  return segments.flatMap((_, index) => groupsByPath.get(segments.slice(0, index + 1).join("/")) ?? []);
}

/** The current time, but later than `previous`. */
export function timestamp(previous?: string): string {
  const least = previous === undefined ? 0 : Date.parse(previous) + 1;
  return new Date(Math.max(Date.now(), least)).toISOString();
}
