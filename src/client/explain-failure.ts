import { endpoints } from "../model/endpoints.ts";
import { type KindRow, kindNames, kinds } from "../model/kinds.ts";
import { type RepositoryKindRow, repositoryKinds } from "../model/repository-kinds.ts";
import type { Tier } from "../model/types.ts";
import type { CallFailed } from "./failure.ts";

/** A failed call's own sentence and, where the server says 403, what the platform would need to say yes. */
export function explained(failure: CallFailed): string {
  if (failure.status !== 403) return failure.message;
  const needed = neededOf(failure.url);
  return needed ? `${failure.message}; ${needed}` : failure.message;
}

/** Endpoints of storages by the last segment of their path (spec: Repository storage moves). */
const moves: ReadonlyMap<string, RepositoryKindRow> = new Map(
  Object.values(repositoryKinds).map((row) => [endpoints[row.schedule].path.slice(1), row]),
);

function neededOf(url: string): string | undefined {
  const { pathname, searchParams } = new URL(url);
  const segments = pathname.split("/").map(decodeURIComponent);
  const move = moves.get(segments.at(-1) ?? "");
  if (move) return neededToMove(move);
  if (searchParams.has(storageFilter)) return "listing projects by storage needs an administrator's token";
  return kindNames.map((kind) => neededForKind(kinds[kind], segments)).find((needed) => needed !== undefined);
}

const storageFilter = "repository_storage";

/** Known by its key where the catalogue has all of them, by the path of the list otherwise. */
function neededForKind({ catalogue, read, tier }: KindRow, segments: readonly string[]): string | undefined {
  const known = catalogue?.get(segments.at(-1) ?? "");
  if (known) return needs(known.slug, known.tier);
  const [list] = read ? endpoints[read.list].path.split("/").slice(-1) : [];
  return read?.title && list && segments.includes(list) ? needs(read.title, tier) : undefined;
}

function neededToMove({ one, tier }: RepositoryKindRow): string {
  const token = `${one} storage moves need an administrator's token`;
  return tier === "free" ? token : `${token}, and tier ${tier}`;
}

function needs(what: string, tier: Tier): string {
  const role = "the token needs a role that allows this, such as Maintainer";
  return tier === "free" ? role : `${role}, and ${what} needs tier ${tier}`;
}
