import type { Change, Desired, Place, Project } from "../../model/types.ts";
import type { ProjectSnapshot, SeenDifference, SeenException } from "./snapshot.ts";

/** What a run saw of the fleet. */
export interface RunObservation {
  readonly run: string;
  /** ISO 8601. */
  readonly at: string;
  readonly commit: string | null;
  readonly server: string;
  /** Whether it covered everything that policies select. */
  readonly whole: boolean;
  /** Whether the run covered a project: one that it did not observe is no longer selected. Left out: unknown. */
  readonly covers?: (project: string) => boolean;
  readonly projects: readonly Project[];
  /** What it saw of the project at this place among them, worked out when it is asked for. */
  readonly observe: (index: number) => ProjectObservation;
  readonly locate: Locate;
  readonly exceptions: readonly SeenException[];
  /** Whether a ledger determined the causes of changes. */
  readonly hasLedger: boolean;
  /** The cause of a difference that neither a ledger nor an earlier snapshot determines. */
  readonly cause: SeenDifference["cause"];
}

/** Locates a declaration in its manifest; undefined where that would take too long. */
export type Locate = (desired: Desired) => Place | undefined;

/** What a run saw of one project, or of those of its addresses that it targeted. */
export interface ProjectObservation {
  readonly project: Project;
  /** Its declared resources, worked out again when they are needed. Left out if they did not change. */
  readonly desired?: () => readonly Desired[];
  /** What still differs. Left out if the project could not be read. */
  readonly changes?: readonly Change[];
  /** Whether the run targeted an address, given without its project. */
  readonly includes: (rest: string) => boolean;
  readonly unverified: ProjectSnapshot["unverified"];
  readonly inherited?: readonly string[];
  readonly unmanaged: number;
  readonly problems: readonly string[];
}
