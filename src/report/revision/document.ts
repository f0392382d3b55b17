import type { ReportedProblem } from "../../model/problem-line.ts";
import { isMove } from "../../model/repository-kinds.ts";
import type { Place } from "../../model/types.ts";
import { type RevisionAction, type RevisionChange, revisionActions } from "../../revision/compare-projects.ts";
import type { RevisionDiff } from "../../revision/revision.ts";
import type { SettingChange } from "../../revision/setting-changes.ts";

/** Where the fleet's projects are known from. */
export interface Listing {
  readonly source: "plan" | "file";
  /** When a plan listed them; left out for a file. */
  readonly at?: string;
  readonly projects: number;
}

/** What `diff --report json` prints. Holds no secret. */
export interface RevisionDocument {
  readonly format_version: "1.0";
  /** Full commit IDs; null for the files as they are. */
  readonly base: { readonly revision: string };
  readonly head: { readonly revision: string | null };
  /** Null where wildcards stand for the projects that they mean. */
  readonly listing: Listing | null;
  readonly summary: RevisionSummary;
  readonly notices: readonly RevisionNotice[];
  readonly settings: readonly SettingChange[];
  readonly changes: readonly RevisionChange[];
  readonly problems: readonly RevisionProblem[];
  readonly warnings: readonly RevisionProblem[];
}

/** `projects`: those whose desired state differs. */
type RevisionSummary = Readonly<Record<RevisionAction | "projects" | "tightened" | "loosened", number>>;

export interface RevisionNotice extends Partial<Place> {
  readonly rule: string;
  readonly message: string;
  readonly projects?: readonly string[];
}

/** A problem of one of the two revisions. */
export interface RevisionProblem extends ReportedProblem {
  readonly revision: string | null;
}

export type RevisionHeading = Pick<RevisionDocument, "base" | "head" | "listing" | "problems" | "warnings">;

/** `diff`: undefined where a side has errors, so that nothing was compared. */
export function revisionDocument(heading: RevisionHeading, diff: RevisionDiff | undefined): RevisionDocument {
  const { changes = [], notices = [], settings = [] } = diff ?? {};
  const { base, head, listing, problems, warnings } = heading;
  return {
    format_version: "1.0",
    base,
    head,
    listing,
    summary: summaryOf(changes),
    notices: notices.map(({ place, ...notice }) => ({ ...notice, ...place })),
    settings,
    changes,
    problems,
    warnings,
  };
}

function summaryOf(changes: readonly RevisionChange[]): RevisionSummary {
  const actions = revisionActions.map((action) => [action, changes.filter((each) => each.action === action).length]);
  const withEffect = (policy_effect: RevisionChange["policy_effect"]) =>
    changes.filter((each) => each.policy_effect === policy_effect).length;
  return {
    projects: new Set(changes.flatMap((change) => (isMove(change) ? [] : [change.project]))).size,
    ...(Object.fromEntries(actions) as Record<RevisionAction, number>),
    tightened: withEffect("tightened"),
    loosened: withEffect("loosened"),
  };
}

/** Whether the later revision wants anything otherwise. */
export function isDifferent({ changes, settings, notices }: RevisionDocument): boolean {
  return changes.length + settings.length + notices.length > 0;
}
