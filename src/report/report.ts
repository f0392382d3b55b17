import { bareName } from "../model/owner.ts";
import { isId } from "../model/project-id.ts";
import type { Place } from "../model/types.ts";
import type { Plan } from "../plan/plan.ts";
import type { WorkersStatus } from "../state/run-summary.ts";
import type { Actionable, Circumstances } from "./findings.ts";
import type { NextStep } from "./terminal.ts";

/** What renderers are given when a run is over. It holds no secret, since a plan holds none. */
export interface Report<Content = Plan> extends Circumstances {
  readonly plan: Content;
  /** `plan`, `apply`, `drift`, `validate` or `merge`. */
  readonly command: string;
  /** Where the CI system shows files and reports. */
  readonly links?: Links;
  /** How long the run took. */
  readonly seconds: number;
  readonly finishedAt: Date;
  /** False where manifests or the server kept anything from being compared. */
  readonly compared: boolean;
  /** The run under which the state keeps the plan, where it does. */
  readonly saved?: string | undefined;
  /** Commands to continue with. */
  readonly next?: readonly NextStep[];
  /** What was seen of the workers, where the run had any. */
  readonly fleet?: WorkersStatus | undefined;
}

/** What the report's file held before this run; undefined where there was none, or where it goes to stdout. */
export type Before = () => string | undefined;

/** Makes one kind of report: a pure function to text without a final newline. */
export type Renderer<Content = Plan> = (report: Report<Content>, before: Before) => string;

/** A renderer that needs no plan. */
export type FindingRenderer = Renderer<Actionable>;

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

/** Where a CI system shows what a report names. URLs of the web interface, without credentials. */
export interface Links {
  /** The files of the repository at the commit of the pipeline; ends in a slash. */
  readonly files?: string;
  /** The HTML report of the run, or the job that has it. */
  readonly page?: string;
}

/** The URL of a line; undefined where files have none. `folder`: from the repository to the workspace. */
export function lineUrl({ files }: Links = {}, folder: string, { file, line }: Place): string | undefined {
  return files === undefined ? undefined : `${files}${encodedPath(`${folder}${file}`)}#L${line}`;
}

/** The URL of a project or group on the server that is managed; undefined if its path is not known. */
export function projectUrl(server: string, name: string): string | undefined {
  const path = bareName(name);
  return isId(path) || !/^https?:\/\//.test(server) ? undefined : `${server.replace(/\/+$/, "")}/${encodedPath(path)}`;
}

/** A path in a URL that no markup ends: also without parentheses and quotes. */
function encodedPath(path: string): string {
  const encoded = path.toWellFormed().split("/").map(encodeURIComponent).join("/");
  return encoded.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
