/** Kinds of reports that tell of mistakes, with or without a plan. */
export const findingKinds = ["text", "json", "markdown", "sarif", "junit", "codequality", "github"] as const;

/** Kinds of reports of a plan, in the order in which help lists them. */
export const planKinds = [...findingKinds, "html", "terraform", "prometheus", "ndjson"] as const;

export type FindingKind = (typeof findingKinds)[number];
export type PlanKind = (typeof planKinds)[number];

/** Kinds that depend on the command itself: what stands on its terminal, and its own document. */
export type OwnKind = "text" | "json";
