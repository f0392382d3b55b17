import { gunzipSync, gzipSync } from "node:zlib";
import type { Shards } from "../state.ts";
import { unzippedPieces } from "../unzipped.ts";
import type { PostgresSession } from "./session.ts";

/** Shards as compressed rows. A lock serializes the changes of a workspace. */
export function postgresShards({ query, transaction }: PostgresSession, workspace: string): Shards {
  const rowsOf = (by: PostgresSession["query"], names: readonly string[]) =>
    by<{ name: string; content: Buffer }>(
      "SELECT name, content FROM evenkeel.snapshot WHERE workspace = $1 AND name = ANY ($2)",
      [workspace, names],
    );
  const reading = (by: PostgresSession["query"]) => async (names: readonly string[]) => {
    const rows = await rowsOf(by, names);
    return new Map(rows.map(({ name, content }) => [name, gunzipSync(content).toString()]));
  };
  return {
    read: reading(query),
    pieces: async function* (name) {
      const [row] = await rowsOf(query, [name]);
      yield* unzippedPieces(row?.content);
    },
    change: (names, edit) =>
      transaction(async (inTransaction) => {
        await inTransaction("SELECT pg_advisory_xact_lock(hashtext('evenkeel snapshots ' || $1))", [workspace]);
        const edited = edit(await reading(inTransaction)(names));
        await inTransaction(
          `INSERT INTO evenkeel.snapshot (workspace, name, content)
           SELECT $1, name, content FROM unnest($2::text[], $3::bytea[]) AS t(name, content)
           ON CONFLICT (workspace, name) DO UPDATE SET content = excluded.content`,
          [workspace, [...edited.keys()], [...edited.values()].map((text) => gzipSync(text, { level: 3 }))],
        );
      }),
    list: async () => {
      const rows = await query<{ name: string }>(
        "SELECT name FROM evenkeel.snapshot WHERE workspace = $1 ORDER BY name",
        [workspace],
      );
      return rows.map(({ name }) => name);
    },
  };
}
