import { type ShardRow, type SnapshotShard, shardText } from "./shard.ts";
import { countStatuses, type ProjectSnapshot, type SeenEntry, type SyncStatusCounts } from "./snapshot.ts";

/** Builds the text of a shard: the same for the same snapshots in the same order. */
export class ShardBuilder {
  readonly #entries: SeenEntry[] = [];
  readonly #rows: ShardRow[] = [];
  /** By object, and by content. */
  readonly #known = new Map<SeenEntry, number>();
  readonly #indexes = new Map<string, number>();

  add(snapshot: ProjectSnapshot, fingerprint: string): void {
    const { project, id = null, syncStatus, since, seen, run, unmanaged } = snapshot;
    const { entries, differences, unverified, problems, inherited } = snapshot;
    const indexes = entries.map((entry) => this.#indexOf(entry));
    const head = [project, id, fingerprint, syncStatus, since, seen, run, unmanaged] as const;
    const row = [...head, indexes, differences, unverified, problems] as const;
    this.#rows.push(inherited ? [...row, inherited] : row);
  }

  /** Copies a project of an earlier shard, with a later time at which it was seen if that is given. */
  copy(shard: SnapshotShard, row: ShardRow, later?: Pick<ProjectSnapshot, "seen" | "run">): void {
    const [project, id, fingerprint, syncStatus, since, seen, run, unmanaged, indexes, ...rest] = row;
    const copied = indexes.flatMap((index) => (shard.entries[index] ? this.#indexOf(shard.entries[index]) : []));
    const head = [project, id, fingerprint, syncStatus, since, later?.seen ?? seen, later?.run ?? run] as const;
    this.#rows.push([...head, unmanaged, copied, ...rest]);
  }

  /** Projects by status. */
  get counts(): SyncStatusCounts {
    return countStatuses(this.#rows.map(([, , , syncStatus]) => syncStatus));
  }

  get text(): string {
    return shardText({ entries: this.#entries, rows: this.#rows });
  }

  #indexOf(entry: SeenEntry): number {
    const known = this.#known.get(entry);
    if (known !== undefined) return known;
    const content = JSON.stringify(entry);
    const index = this.#indexes.get(content) ?? this.#entries.push(entry) - 1;
    this.#indexes.set(content, index);
    this.#known.set(entry, index);
    return index;
  }
}
