import type { Catalogue } from "../../model/catalogue.ts";
import type { Tier } from "../../model/types.ts";
import type { Recollection } from "./last-applied.ts";
import type { IsMarked } from "./returned.ts";

export interface DiffOptions {
  /** Default: the specification's own names. */
  readonly catalogue?: Catalogue;
  /** The server's release, which determines required fields of a write; default: any release. */
  readonly release?: string;
  /** The server's tier, which determines what an update can change; default: not known. */
  readonly tier?: Tier | undefined;
  /** Sends unverified parameters again: `server.secrets: always-send`, without a ledger. */
  readonly alwaysSend: boolean;
  /** Addresses to write regardless of the comparison (`--resend`). */
  readonly resend?: (address: string) => boolean;
  /** Addresses in the scope of the run (`--target`). */
  readonly target?: (address: string) => boolean;
  /** Entries of the last apply, if the workspace keeps a ledger. */
  readonly ledger?: Recollection;
  /** Lists live resources that no policy lists; default: counts them, because a fleet has millions. */
  readonly listUnmanaged?: boolean;
  /** Compares a secret with one that the server returned; undefined if no secret is available. */
  readonly isMarked?: IsMarked;
  /** False: resources in sync are not reported, because no ledger records them. */
  readonly settled?: boolean;
}

export type FullDiffOptions = DiffOptions & { readonly catalogue: Catalogue };
