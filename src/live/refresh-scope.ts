import type { Difference } from "../diff/diff.ts";
import type { DiffOptions } from "../diff/options.ts";
import type { DesiredFleet } from "../manifest/desired-fleet.ts";
import type { Policy } from "../manifest/policies.ts";
import type { Desired, DesiredProject, Project } from "../model/types.ts";
import type { ProjectScope } from "./find-projects.ts";
import type { PartlyRead, Trusts } from "./partly-read.ts";

/** What a refresh compares. */
export interface RefreshScope extends ProjectScope {
  /** Policies that do not count any more. */
  readonly expired?: readonly Policy[];
  /** `--target` and `--resend` as they were written, reported if they match nothing. */
  readonly globs: readonly string[];
  /** Those that are mistakes if they match nothing, because the run is limited by nothing else. */
  readonly selecting?: ReadonlySet<string>;
  readonly diff: (project: Project) => DiffOptions;
  /** Integrations that need no GET of their own (`reads: trust-updated-at`). */
  readonly trusts?: Trusts;
  /** The `updated_at` at which such an integration stands still; undefined where it is to be read. */
  readonly stillAt?: (project: string, desired: Desired) => string | undefined;
  /** Reads the projects; omitted: this process does. */
  readonly delegate?: ReadDelegate | undefined;
  readonly progress?: (done: number, total: number) => void;
  /** Called with the desired state of each project, in their order, before any is read. */
  readonly selected?: (desired: DesiredProject) => void;
  /** Called with what a ledger may remember of each project, which is not kept after that. */
  readonly remember?: (difference: Pick<Difference, "settled" | "absent">) => void;
}

/**
 * Has projects read by other processes, and reports each by its index as it arrives. Resolves to the number of requests
 * that they sent. @throws CallFailed if it ends the run.
 */
export type ReadDelegate = (fleet: DesiredFleet, arrived: (index: number, read: PartlyRead) => void) => Promise<number>;
