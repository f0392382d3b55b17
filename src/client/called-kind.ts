import { segmentsIn } from "../model/call.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { NeededRole } from "../model/command-access.ts";
import type { KindRow } from "../model/kind-row.ts";
import type { Call, Tier } from "../model/types.ts";

/** A kind of resource that a call is of, and what it needs of the token and the server. */
export interface CalledKind {
  readonly section: string;
  /** The name of its list in messages; left out for a singleton. */
  readonly list?: string | undefined;
  readonly role?: NeededRole | undefined;
  readonly tier?: Tier | undefined;
  readonly release?: string | undefined;
}

/** The kind that is a file and has a call of this method and path; undefined if there is none. */
export function calledKind(
  { kinds }: Catalogue,
  { method, path }: Pick<Call, "method" | "path">,
): CalledKind | undefined {
  for (const row of kinds.values()) {
    const endpoint = endpointsOf(row).find((each) => each.method === method && segmentsIn(each, path));
    if (!endpoint) continue;
    const { tier, release } = row.file.needs ?? {};
    return { section: row.file.name, list: row.read?.title, role: endpoint.needs, tier, release };
  }
  return undefined;
}

function endpointsOf({ read, calls }: KindRow) {
  return [read?.list, read?.single, ...Object.values(calls)].filter((each) => typeof each === "object");
}
