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

/** Reports that need no plan. */
export const findingKinds = ["text", "json", "markdown", "sarif", "junit", "codequality", "github"] as const;
export const planKinds = [...findingKinds, "html", "terraform", "dotenv", "prometheus"] as const;

export type FindingKind = (typeof findingKinds)[number];
export type PlanKind = (typeof planKinds)[number];
export type OwnKind = "text" | "json";

export function isOwnKind(kind: string): boolean {
  return kind === "text" || kind === "json";
}

/** True if the report is JSON, so that characters in it can be escaped without changing its meaning. */
export function isJsonKind(kind: string): boolean {
  return ["json", "sarif", "codequality", "terraform"].includes(kind);
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
  if (files === undefined) return undefined;
  const path = `${folder}${file}`.toWellFormed().split("/").map(encodeURIComponent).join("/");
  // Markup could take parentheses and quotes for the end of a URL.
  const encoded = path.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return `${files}${encoded}#L${line}`;
}
