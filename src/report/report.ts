import type { Place } from "../model/types.ts";
import type { Plan } from "../plan/plan.ts";
import type { Actionable, Circumstances } from "./findings.ts";
import type { NextStep } from "./terminal.ts";

/** Input of all renderers at the end of a run. Holds no secret, since a plan holds none. */
export interface Report<Content = Plan> extends Circumstances {
  readonly plan: Content;
  /** `plan`, `apply`, `drift`, `validate` or `merge`. */
  readonly command: string;
  readonly links?: Links;
  readonly seconds: number;
  readonly finishedAt: Date;
  /** False if problems or the server prevented the comparison. */
  readonly compared: boolean;
  readonly saved?: string | undefined;
  readonly next?: readonly NextStep[];
}

/** Reads the report file's previous content; undefined if there was none, or the report goes to stdout. */
export type Before = () => string | undefined;

/** Renders one kind of report: a pure function to text without a final newline. */
export type Renderer<Content = Plan> = (report: Report<Content>, before: Before) => string;

export type FindingReport = Report<Actionable>;

export type FindingRenderer = Renderer<Actionable>;

/** Reports that need no plan, and whether each is text or JSON. */
const findingForms = {
  text: "text",
  json: "json",
  markdown: "text",
  sarif: "json",
  junit: "text",
  codequality: "json",
  github: "text",
} as const;

const planForms = {
  ...findingForms,
  html: "text",
  terraform: "json",
  dotenv: "text",
  prometheus: "text",
} as const;

export type FindingKind = keyof typeof findingForms;
export type PlanKind = keyof typeof planForms;

const ownKinds = ["text", "json"] as const;
export type OwnKind = (typeof ownKinds)[number];

export function isOwnKind(kind: string): boolean {
  return ownKinds.some((each) => each === kind);
}

export const findingKinds = Object.keys(findingForms) as readonly FindingKind[];
export const planKinds = Object.keys(planForms) as readonly PlanKind[];

/** True if the report is JSON, so that characters in it can be escaped without changing its meaning. */
export function isJsonKind(kind: string): boolean {
  return Object.entries(planForms).some(([name, form]) => name === kind && form === "json");
}

export const revisionKinds = ["text", "json", "markdown", "html"] as const;

export interface Links {
  /** The files of the repository at the pipeline's commit; ends in a slash. */
  readonly files?: string;
  /** The HTML report of the run, or the job that has it. */
  readonly page?: string;
}

/** The URL of a source line; undefined if files have none. `folder`: path from the repository to the workspace. */
export function lineUrl({ files }: Links = {}, folder: string, { file, line }: Place): string | undefined {
  return files === undefined ? undefined : `${files}${encodedPath(`${folder}${file}`)}#L${line}`;
}

/** Percent-encodes also parentheses and quotes, which markup could take for the end of a URL. */
function encodedPath(path: string): string {
  const encoded = path.toWellFormed().split("/").map(encodeURIComponent).join("/");
  return encoded.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
