import type { Plan } from "../plan/plan.ts";
import type { WorkersStatus } from "../state/run-progress.ts";
import type { Actionable, Circumstances } from "./findings.ts";
import type { Links } from "./links.ts";
import type { NextStep } from "./next-steps.ts";

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
