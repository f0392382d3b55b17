import type { JsonObject } from "../base/json.ts";

/** Tables of the state by the kind of their rows; all are persisted. */
interface Tables {
  /** The last used number by kind of record. */
  readonly number: Map<string, number>;
  readonly storage: Map<string, { readonly name: string; readonly cluster: boolean }>;
  readonly feature: Map<string, true>;
  readonly token: Map<string, Caller>;
  /** Users without a token. */
  readonly user: Map<string, User>;
  readonly project: Map<string, Repository>;
  readonly snippet: Map<string, Repository>;
  readonly group: Map<string, Repository>;
  readonly move: Map<string, MoveRecord>;
}

type TableName = keyof Tables;

type RowOf<Name extends TableName> = Tables[Name] extends Map<string, infer Row> ? Row : never;

type RowKind = TableName | "resource";

/** A changed row; a removed one has no value. */
export type StoredRow = readonly [kind: RowKind, key: string, value?: unknown];

export interface Store {
  /** True until a seed is persisted. */
  readonly fresh: boolean;
  rows(): Iterable<StoredRow>;
  save(kind: RowKind, key: string, value: unknown): void;
  forget(kind: RowKind, key: string): void;
  /** Persists all rows saved so far in one transaction; undefined if there are none. Rejects if that fails. */
  settled(): Promise<void> | undefined;
  close(): Promise<void>;
}

export const memoryStore: Store = {
  fresh: true,
  rows: () => [],
  save: () => undefined,
  forget: () => undefined,
  settled: () => undefined,
  close: async () => undefined,
};

/**
 * The data of the server in memory. All changes go through {@link put}, {@link putRow} or {@link dropRow}, which update
 * the store. Records are replaced, never modified. Times are ISO 8601 with milliseconds.
 */
export interface State extends Tables {
  readonly store: Store;
  /** Rows by place, such as the kind and its project, in the order of their creation. */
  readonly rows: Map<string, readonly KindRecord[]>;
  /** IDs by lower-case path. */
  readonly ids: Readonly<Record<MoveKind | "former", Map<string, number>>>;
  /** IDs of repositories that are read-only during a move; derived from the moves. */
  readonly moving: Readonly<Record<MoveKind, Set<number>>>;
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
  /** Its old copy cannot be removed: its moves end with `cleanup failed`. */
  readonly leave_copy?: boolean;
  /** A group that was not seeded, but is part of another path; it has no repository to move. */
  readonly implied?: true;
  readonly created_at: string;
  /** Merge requests of the deployments in `deployment_id` or `deployment_ids`; of all deployments if neither is set. */
  readonly merge_requests?: readonly JsonObject[];
  /** Archived: writes are refused, and so are reads of some kinds. */
  readonly archived?: boolean;
  readonly topics?: readonly string[];
  /** The date of its scheduling for deletion. */
  readonly marked_for_deletion_on?: string;
  readonly last_activity_at?: string;
}

/** A row as in responses, with its secrets. */
export interface KindRecord {
  readonly number: number;
  readonly row: JsonObject;
}

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

export function restore(store: Store): State {
  const names = ["number", "storage", "feature", "token", "user", "project", "snippet", "group", "move"] as const;
  const state: State = {
    ...(Object.fromEntries(names.map((name) => [name, new Map()])) as unknown as Tables),
    store,
    rows: new Map(),
    ids: { project: new Map(), snippet: new Map(), group: new Map(), former: new Map() },
    moving: { project: new Set(), snippet: new Set(), group: new Set() },
  };
  for (const [kind, key, value] of store.rows()) {
    if (kind === "resource") placeRow(state, key.slice(0, key.lastIndexOf("/")), value as KindRecord);
    else place(state, kind, key, value as never);
  }
  for (const [key, records] of state.rows) {
    const sorted = records.toSorted((a, b) => a.number - b.number);
    state.rows.set(key, sorted);
  }
  return state;
}

/** Saves a record to the state and the store. */
export function put<Name extends TableName>(state: State, kind: Name, key: string | number, row: RowOf<Name>): void {
  state.store.save(kind, String(key), row);
  place(state, kind, String(key), row);
}

function place<Name extends TableName>(state: State, kind: Name, key: string, row: RowOf<Name>): void {
  (state[kind] as Map<string, RowOf<Name>>).set(key, row);
  const table: TableName = kind;
  if (table !== "project" && table !== "group" && table !== "snippet") return;
  const { id, path, former_paths } = row as Repository;
  state.ids[table].set(path.toLowerCase(), id);
  for (const former of former_paths ?? []) state.ids.former.set(former.toLowerCase(), id);
}

/** The records of a place in the order of their creation. */
export function recordsAt({ rows }: State, key: string): readonly KindRecord[] {
  return rows.get(key) ?? [];
}

/** Adds a record to a place, or replaces the one with its number. */
export function putRow(state: State, key: string, record: KindRecord): void {
  state.store.save("resource", `${key}/${record.number}`, record);
  placeRow(state, key, record);
}

function placeRow(state: State, key: string, record: KindRecord): void {
  const known = recordsAt(state, key);
  const index = known.findIndex(({ number }) => number === record.number);
  state.rows.set(key, index < 0 ? [...known, record] : known.with(index, record));
}

export function dropRow(state: State, key: string, { number }: KindRecord): void {
  state.store.forget("resource", `${key}/${number}`);
  const kept = recordsAt(state, key).filter((each) => each.number !== number);
  state.rows.set(key, kept);
}

/** The next number of a kind of record; numbers are never reused. */
export function nextNumber(state: State, kind: string): number {
  return takeNumber(state, kind, (state.number.get(kind) ?? 0) + 1);
}

export function takeNumber(state: State, kind: string, number: number): number {
  if (number > (state.number.get(kind) ?? 0)) put(state, "number", kind, number);
  return number;
}

/** A project, group or snippet by its ID, if `name` is all digits, or its path in any case. Hidden ones are not found. */
export function findRepository(state: State, kind: MoveKind, name: string): Repository | undefined {
  const found = /^\d+$/.test(name) ? state[kind].get(String(Number(name))) : repositoryAt(state, kind, name);
  return found?.access === "hidden" ? undefined : found;
}

export function repositoryAt(state: State, kind: MoveKind, path: string): Repository | undefined {
  return state[kind].get(String(state.ids[kind].get(path.toLowerCase())));
}

export function repositoriesById(state: State, kind: MoveKind): Repository[] {
  return [...state[kind].values()].sort((a, b) => a.id - b.id);
}

/** The path of the group that contains a project or group. */
export function parentPath(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The groups above a path, from the top. */
export function groupsAbove(state: State, path: string): readonly Repository[] {
  const above = parentPath(path);
  if (above === "") return [];
  const group = repositoryAt(state, "group", above);
  return [...groupsAbove(state, above), ...(group ? [group] : [])];
}

/** The current time, but later than `previous`. */
export function timestamp(previous?: string): string {
  const least = previous === undefined ? 0 : Date.parse(previous) + 1;
  return new Date(Math.max(Date.now(), least)).toISOString();
}
