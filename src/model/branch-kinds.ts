/** A branch as notifications tell them apart; a default branch that is protected too is both, asked for one by one. */
export type BranchKind = "default" | "protected" | "other";

export const branchKinds: readonly BranchKind[] = ["default", "protected", "other"];
