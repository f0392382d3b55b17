import { existsSync, rmSync } from "node:fs";
import sqlite from "node-sqlite3-wasm";
import { UserError } from "../base/exit.ts";
import { type FileLock, takeFileLock } from "./file-lock.ts";
import { type RowKind, rowKinds, type Store, type StoredRow } from "./store.ts";

type Database = InstanceType<typeof sqlite.Database>;

const gone = Symbol("gone");

/**
 * A store in a SQLite file. Changes of one tick are written as one transaction and synced to disk before
 * {@link Store.settled} resolves, so a kill loses no acknowledged write.
 * @throws UserError if another process uses the file, or it is no such file.
 */
export function openFileStore(file: string): Store {
  const lock = takeFileLock(file);
  try {
    return createStore(open(file), lock);
  } catch (error) {
    lock.release();
    throw new UserError(`cannot open the data file ${file}: ${(error as Error).message}`);
  }
}

/** The driver's own lock is a folder that a killed process leaves behind; the holder of our lock removes it. */
function open(file: string): Database {
  const leftover = `${file}.lock`;
  if (existsSync(leftover)) rmSync(leftover, { recursive: true });
  const database = new sqlite.Database(file);
  try {
    prepare(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function prepare(database: Database): void {
  database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; PRAGMA journal_mode = TRUNCATE");
  database.exec(
    "CREATE TABLE IF NOT EXISTS record (kind TEXT, key TEXT, value TEXT NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID",
  );
  database.exec("PRAGMA user_version = 1");
}

function createStore(database: Database, lock: FileLock): Store {
  const fresh = database.get("SELECT 1 FROM record LIMIT 1") === null;
  const dirty = new Map<RowKind, Map<string, unknown>>();
  let flushing: Promise<void> | undefined;
  const note = (kind: RowKind, key: string, value: unknown): void => {
    const rows = dirty.get(kind) ?? new Map<string, unknown>();
    rows.set(key, value);
    dirty.set(kind, rows);
  };
  const settled = (): Promise<void> | undefined => {
    if (dirty.size === 0) return undefined;
    flushing ??= soon(() => {
      flushing = undefined;
      lock.check();
      write(database, dirty);
    });
    return flushing;
  };
  return {
    fresh,
    rows: () => readRows(database),
    save: note,
    forget: (kind, key) => note(kind, key, gone),
    settled,
    close: async () => {
      try {
        await settled();
      } finally {
        database.close();
        lock.release();
      }
    },
  };
}

/** Runs after all requests that have arrived, so that they share one transaction. */
function soon(act: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    setImmediate(() => {
      try {
        resolve(act());
      } catch (error) {
        reject(error);
      }
    });
  });
}

function write(database: Database, dirty: Map<RowKind, Map<string, unknown>>): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    writeRows(database, dirty);
    database.exec("COMMIT");
  } catch (error) {
    if (database.inTransaction) database.exec("ROLLBACK");
    throw error;
  }
  dirty.clear();
}

function writeRows(database: Database, dirty: ReadonlyMap<RowKind, ReadonlyMap<string, unknown>>): void {
  const put = database.prepare("INSERT OR REPLACE INTO record (kind, key, value) VALUES (?, ?, ?)");
  const drop = database.prepare("DELETE FROM record WHERE kind = ? AND key = ?");
  try {
    for (const [kind, rows] of dirty) {
      for (const [key, value] of rows) {
        if (value === gone) drop.run([kind, key]);
        else put.run([kind, key, JSON.stringify(value)]);
      }
    }
  } finally {
    put.finalize();
    drop.finalize();
  }
}

function* readRows(database: Database): Iterable<StoredRow> {
  for (const kind of rowKinds) {
    for (const { key, value } of database.all("SELECT key, value FROM record WHERE kind = ?", [kind])) {
      yield { kind, key: String(key), value: JSON.parse(String(value)) };
    }
  }
}
