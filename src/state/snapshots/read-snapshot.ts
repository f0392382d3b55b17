import type { Shards } from "../state.ts";
import { eachOf, type ShardRow, shardNameOf, snapshotIn } from "./shard.ts";
import type { ProjectSnapshot, SeenEntry } from "./snapshot.ts";

/** The snapshot of a project, by its path in any case; undefined where no run saw it. @throws UserError if it cannot be read. */
export async function readSnapshot(shards: Pick<Shards, "pieces">, path: string): Promise<ProjectSnapshot | undefined> {
  const all: (() => SeenEntry)[] = [];
  const rows: ShardRow[] = [];
  const wanted = path.toLowerCase();
  const isWhole = await eachOf(
    shards.pieces(shardNameOf(path)),
    (parse) => all.push(parse),
    (row) => {
      if (row[0].toLowerCase() === wanted) rows.push(row);
    },
  );
  const [row] = rows;
  if (!isWhole || !row) return undefined;
  const [, , , , , , , , indexes] = row;
  const own = indexes.flatMap((index) => (all[index] ? [[index, all[index]()] as const] : []));
  return snapshotIn({ entries: Object.fromEntries(own) }, row);
}
