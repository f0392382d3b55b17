import type { CallFailed } from "../../client/failure.ts";
import type { DesiredFleet } from "../../manifest/desired-fleet.ts";
import type { Policy } from "../../manifest/policies.ts";
import type { DesiredProject, Problem, Project } from "../../model/types.ts";
import type { Difference } from "../../plan/diff/diff.ts";
import type { DiffOptions } from "../../plan/diff/options.ts";
import type { Missing, ProjectScope } from "./find-projects.ts";
import type { Trusts, Unread } from "./partly-read.ts";

/** What a refresh compares. */
export interface RefreshScope extends ProjectScope {
  /** Policies that do not count any more. */
  readonly expired?: readonly Policy[];
  /** `--target`, `--exclude` and `--resend` as they were written, reported if they match nothing. */
  readonly globs: readonly string[];
  /** Those that are mistakes if they match nothing, because the run is limited by nothing else, and their options. */
  readonly selecting?: ReadonlyMap<string, string>;
  readonly diff: (project: Project) => DiffOptions;
  /** Integrations that need no GET of their own (`reads: trust-updated-at`). */
  readonly trusts?: Trusts;
  /** Refreshes the projects; omitted: this process does. */
  readonly delegate?: RefreshDelegate | undefined;
  /** Called with a sentence about what an apply leaves to the next plan. */
  readonly note?: (sentence: string) => void;
  readonly progress?: (done: number, total: number) => void;
  /** Called with the desired state of each project, in their order, before any is read. */
  readonly selected?: (desired: DesiredProject) => void;
  /** Called with what a ledger may remember of each project, which is not kept after that. */
  readonly remember?: (difference: Pick<Difference, "settled" | "absent">) => void;
}

/** A project as it is now, or why that is not known. */
export interface RefreshedProject {
  readonly difference?: Difference;
  readonly problems: readonly Problem[];
  /** What of it could not be read, where the rest was. */
  readonly unread?: readonly Unread[];
  /** Set where nothing of it could be read. */
  readonly failure?: CallFailed;
  /** Set if it is archived, which a refused read showed: nothing of it is planned. */
  readonly archived?: true;
  /** Set where the server does not know the project. */
  readonly missing?: Missing;
}

/**
 * Has projects refreshed by other processes, and reports each by its index as it arrives. Resolves to the number of
 * requests that they sent. @throws CallFailed if it ends the run.
 */
type RefreshDelegate = (
  fleet: DesiredFleet,
  arrived: (index: number, result: RefreshedProject) => void,
) => Promise<number>;
