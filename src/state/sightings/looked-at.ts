import type { Change, Desired, Project } from "../../model/types.ts";
import type { FleetIndex, ProjectSnapshot, SeenDifference } from "./sighting.ts";

/** What a run saw of the fleet. */
export interface RunObservation {
  readonly run: string;
  /** ISO 8601. */
  readonly at: string;
  readonly commit: string | null;
  readonly server: string;
  /** Whether it looked at everything that policies select. */
  readonly whole: boolean;
  /** Whether a project that the look does not have is selected by no policy any more; left out: nothing is known of such. */
  readonly covers?: (project: string) => boolean;
  readonly projects: readonly ProjectObservation[];
  readonly exceptions: FleetIndex["exceptions"];
  /** Whether changes say themselves whether they are drift. */
  readonly hasLedger: boolean;
  /** The cause of a difference where neither a ledger nor an earlier look tells. */
  readonly cause: SeenDifference["cause"];
}

/** What a run saw of one project, or of those addresses of it that it was about. */
export interface ProjectObservation {
  readonly project: Project;
  /** Left out where it is what it was before. */
  readonly desired?: readonly Desired[];
  /** What still differs. Left out: it could not be read. */
  readonly changes?: readonly Change[];
  /** Whether the look was about an address, given without its project. */
  readonly includes: (rest: string) => boolean;
  /** Whether the look was about all of them. */
  readonly all: boolean;
  readonly unverified: ProjectSnapshot["unverified"];
  readonly unmanaged: number;
  readonly problems: readonly string[];
}
