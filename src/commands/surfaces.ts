import { appendFileSync, existsSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { type ExitCode, exit, UserError } from "../base/exit.ts";
import { describeSystemError } from "../base/system-errors.ts";
import type { Plan } from "../plan/plan.ts";
import type { Actionable } from "../report/findings.ts";
import type { Report, Surface } from "../report/report.ts";
import { findingKinds, type OwnKind, planKinds } from "../report/report-kinds.ts";
import { findingSurfaces, planSurfaces } from "../report/surfaces.ts";
import type { WorkersStatus } from "../state/run-progress.ts";
import { findWorkspace } from "../workspace/load.ts";
import { reporter } from "./outputs.ts";
import { problemLines } from "./print-problems.ts";
import { folderOf, type OnlineOptions } from "./run.ts";
import type { Terminal } from "./terminal.ts";

/** What a command knows how to show itself. */
type Own = Readonly<Record<OwnKind, () => string>>;

/** How a run ended. */
interface Ended<Content> {
  readonly plan: Content;
  readonly exitCode: ExitCode;
  /** False where nothing was compared. */
  readonly compared: boolean;
  /** The run under which the state keeps the plan, where it does. */
  readonly saved?: string | undefined;
  /** What was seen of the workers, where the run had any. */
  readonly fleet?: WorkersStatus | undefined;
}

type Tell<Content> = (own: Own, ended: Ended<Content>) => void;

interface Options extends Pick<OnlineOptions, "C" | "report"> {
  /** Where the plan itself is saved. */
  readonly out?: string;
}

/** Checks `--report` and `--out`, starts the clock, and returns what writes every report of a plan when the run is over. */
export async function planReporter(terminal: Terminal, command: string, options: Options): Promise<Tell<Plan>> {
  const surfaces = await planSurfaces(kindsIn(options));
  return surfaceReporter({ terminal, command, options, kinds: planKinds, surfaces });
}

/** The same for a command that finds mistakes and makes no plan. */
export function findingReporter(terminal: Terminal, command: string, options: Options): Tell<Actionable> {
  return surfaceReporter({ terminal, command, options, kinds: findingKinds, surfaces: findingSurfaces });
}

type Troubles = Pick<Actionable, "problems" | "warnings">;

interface Setting<Content> {
  readonly terminal: Terminal;
  readonly command: string;
  readonly options: Options;
  readonly kinds: readonly string[];
  readonly surfaces: Readonly<Record<string, Surface<Content>>> & { readonly markdown: Surface<Content> };
}

function surfaceReporter<Content extends Troubles>({
  terminal,
  command,
  options,
  kinds,
  surfaces,
}: Setting<Content>): Tell<Content> {
  const began = performance.now();
  const write = reporter(terminal, options.report, kinds, options.out);
  return (own, ended) => {
    const seconds = (performance.now() - began) / 1000;
    const folder = folderInRepository(folderOf(terminal, options));
    const report: Report<Content> = { ...ended, command, folder, seconds, finishedAt: new Date() };
    const made = Object.entries(surfaces).map(([kind, show]) => [kind, show.bind(undefined, report)] as const);
    const file = () => [...problemLines(ended.plan), own.text()].filter(Boolean).join("\n");
    write({ ...Object.fromEntries(made), ...own, file });
    if (kindsIn(options).includes("github")) summarize(terminal, () => surfaces.markdown(report, () => undefined));
  };
}

/** Reports tell also of a refusal that ends a command before its own end. @throws UserError again, for stderr and its code. */
export async function telling<Result>(
  tell: (refusal: UserError) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UserError && error.code !== exit.usage) tell(error);
    throw error;
  }
}

function kindsIn({ report = [] }: Options): readonly string[] {
  return report.map((each) => each.split("=")[0] ?? "");
}

/** Annotations are few and short: what they leave out is read in the step's summary, where there is one. */
function summarize({ env, note }: Terminal, markdown: () => string): void {
  const { GITHUB_STEP_SUMMARY: file } = env;
  if (!file) return;
  try {
    appendFileSync(file, `${markdown()}\n\n`);
  } catch (error) {
    note(`warning: cannot write the step summary: ${describeSystemError(error)}`);
  }
}

/** Reviewing tools know files by their path in the repository: the way from there to the workspace. */
function folderInRepository(folder: string): string {
  const workspace = dirname(workspaceFileAround(folder));
  for (let at = workspace; ; at = dirname(at)) {
    if (existsSync(resolve(at, ".git"))) return prefixOf(relative(at, workspace));
    if (dirname(at) === at) return "";
  }
}

function workspaceFileAround(folder: string): string {
  try {
    return findWorkspace(folder);
  } catch {
    return resolve(folder, "none");
  }
}

function prefixOf(path: string): string {
  return path === "" ? "" : `${path.split(sep).join("/")}/`;
}
