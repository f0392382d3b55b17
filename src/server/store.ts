/** Kinds of rows in the order in which they are restored: a project before its parts. */
export const rowKinds = [
  "number",
  "storage",
  "feature",
  "token",
  "user",
  "project",
  "snippet",
  "group",
  "deployment",
  "move",
  "resource",
] as const;

export type RowKind = (typeof rowKinds)[number];

export interface StoredRow {
  readonly kind: RowKind;
  readonly key: string;
  readonly value: unknown;
}

/** Persistence of the state. */
export interface Store {
  /** True until a seed is persisted. */
  readonly fresh: boolean;
  /** All rows, by kind in the order of {@link rowKinds}. */
  rows(): Iterable<StoredRow>;
  save(kind: RowKind, key: string, value: unknown): void;
  forget(kind: RowKind, key: string): void;
  /** Persists all rows saved so far in one transaction; undefined if there are none. Rejects if that fails. */
  settled(): Promise<void> | undefined;
  close(): Promise<void>;
}

/** A store that persists nothing. */
export const memoryStore: Store = {
  fresh: true,
  rows: () => [],
  save: () => undefined,
  forget: () => undefined,
  settled: () => undefined,
  close: async () => undefined,
};
