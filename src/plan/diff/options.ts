import type { Catalogue } from "../../model/catalogue.ts";
import type { Recollection } from "./last-applied.ts";
import type { IsMarked } from "./returned.ts";

/** What decides beside the two states. */
export interface DiffOptions {
  /** What there is to compare; left out: in the specification's own names. */
  readonly catalogue?: Catalogue;
  /** The server's release, which decides what every write has to carry; left out: as if it were any. */
  readonly release?: string;
  /** Send unverified parameters anyway: `server.secrets: always-send`, without a ledger. */
  readonly alwaysSend: boolean;
  /** Addresses to write whatever the comparison says (`--resend`). */
  readonly resend?: (address: string) => boolean;
  /** Addresses that the run is about (`--target`). */
  readonly target?: (address: string) => boolean;
  /** What the last apply left, where the workspace keeps a ledger. */
  readonly ledger?: Recollection;
  /** Compares a secret with one that the server returned; left out: none is at hand. */
  readonly isMarked?: IsMarked;
  /** False: what needs no change is not reported, because no ledger remembers it. */
  readonly settled?: boolean;
}

/** The same, with the catalogue. */
export type FullDiffOptions = DiffOptions & { readonly catalogue: Catalogue };
