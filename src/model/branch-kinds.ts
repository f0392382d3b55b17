/** The kinds of branches that notifications distinguish. A protected default branch is of both kinds. */
export type BranchKind = "default" | "protected" | "other";

export const branchKinds: readonly BranchKind[] = ["default", "protected", "other"];
