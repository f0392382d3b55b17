import type { DesiredFleet } from "../../manifest/desired-fleet.ts";
import type { Policy } from "../../manifest/policies.ts";
import type { DesiredProject, Problem, Project } from "../../model/types.ts";
import type { Difference } from "../../plan/diff/diff.ts";
import type { DiffOptions } from "../../plan/diff/options.ts";
import type { Missing, ProjectScope } from "./find-projects.ts";
import type { Trusts, Unread } from "./partly-read.ts";

export interface RefreshScope extends ProjectScope {
  readonly expired?: readonly Policy[];
  /** Globs of `--target`, `--exclude` and `--resend`, reported if they match nothing. */
  readonly globs: readonly string[];
  /** Options of globs that are errors if they match nothing, because nothing else limits the run. */
  readonly selecting?: ReadonlyMap<string, string>;
  readonly diff: (project: Project) => DiffOptions;
  /** Decides which integrations need no GET of their own (`reads: trust-updated-at`). */
  readonly trusts?: Trusts;
  /**
   * Refreshes the projects in other processes, and reports each by its index as it arrives. Resolves to the number of
   * requests that they sent. @throws CallFailed if it ends the run.
   */
  readonly delegate?: (
    fleet: DesiredFleet,
    arrived: (index: number, result: RefreshedProject) => void,
  ) => Promise<number>;
  /** Called with a sentence about changes that an apply leaves to the next plan. */
  readonly note?: (sentence: string) => void;
  readonly progress?: (done: number, total: number) => void;
  /** Called with the desired state of each project, in order, before any is read. */
  readonly selected?: (desired: DesiredProject) => void;
  /** Called with the results that a ledger may record, which are dropped afterwards. */
  readonly remember?: (difference: Pick<Difference, "settled" | "absent">) => void;
}

export interface RefreshedProject {
  readonly difference?: Difference;
  readonly problems: readonly Problem[];
  /** Resources left out because of a failed look-up: reasons by address. */
  readonly failed?: ReadonlyMap<string, string>;
  /** The parts that could not be read, if others could. */
  readonly unread?: readonly Unread[];
  /** Set if a refused read showed that it is archived: nothing of it is planned. */
  readonly archived?: true;
  /** Set if the server does not know the project. */
  readonly missing?: Missing;
}
