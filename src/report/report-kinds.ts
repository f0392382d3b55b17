/** Kinds of reports that tell of mistakes, with or without a plan, and whether each is text or JSON all through. */
const findingForms = {
  text: "text",
  json: "json",
  markdown: "text",
  sarif: "json",
  junit: "text",
  codequality: "json",
  github: "text",
} as const;

/** The same of all kinds of reports of a plan, in the order in which help lists them. */
const planForms = {
  ...findingForms,
  html: "text",
  terraform: "json",
  dotenv: "text",
  prometheus: "text",
  ndjson: "json",
} as const;

export type FindingKind = keyof typeof findingForms;
export type PlanKind = keyof typeof planForms;

/** Kinds that each command renders itself: its terminal output and its JSON document. */
const ownKinds = ["text", "json"] as const;
export type OwnKind = (typeof ownKinds)[number];

export function isOwnKind(kind: string): boolean {
  return ownKinds.some((each) => each === kind);
}

export const findingKinds = Object.keys(findingForms) as readonly FindingKind[];
export const planKinds = Object.keys(planForms) as readonly PlanKind[];

/** Whether a report of this kind is JSON, or JSON a line, so that characters in it can be escaped and it stays the same. */
export function isJsonKind(kind: string): boolean {
  return Object.entries(planForms).some(([name, form]) => name === kind && form === "json");
}

/** Kinds of reports of what a revision changes. */
export const revisionKinds = ["text", "json", "markdown", "html"] as const;
