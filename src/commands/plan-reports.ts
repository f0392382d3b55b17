import { appendFileSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { exit, onError, UserError } from "../base/exit.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { gitPrefixOf, repositoryTop } from "../git/open-git.ts";
import type { Plan } from "../plan/plan.ts";
import type { Actionable } from "../report/findings.ts";
import { findingKinds, isOwnKind, type Links, planKinds, type Renderer, type Report } from "../report/report.ts";
import { fleetText, progressText } from "../report/runs.ts";
import { problemLines } from "../report/terminal.ts";
import type { RunProgress, Stage } from "../state/run-summary.ts";
import { workspaceAbove } from "../workspace/load.ts";
import type { Run } from "./command.ts";
import { showing } from "./outputs.ts";
import type { OnlineOptions } from "./run-request.ts";
import { noBar, type Progress, type Terminal } from "./terminal.ts";

/** The result of a command whose reports list findings: a plan, or the problems of manifests. */
export interface FindingsResult<Content = Plan>
  extends Omit<Report<Content>, "command" | "folder" | "links" | "seconds" | "finishedAt"> {
  readonly text: () => string;
  readonly json: object;
  /** Prints what follows the reports. */
  readonly after?: () => void;
  /** Ends the command after its reports. */
  readonly refusal?: UserError;
}

interface Options extends Pick<OnlineOptions, "C" | "report"> {
  readonly out?: string;
}

type Renderers<Content> = Readonly<Record<string, Renderer<Content>>> & { readonly markdown: Renderer<Content> };

/** Kinds of reports, with renderers that are loaded on demand, because most runs need none. */
interface Forms<Content> {
  readonly kinds: readonly string[];
  readonly load: (requested: readonly string[]) => Promise<Renderers<Content>>;
}

export const planForms: Forms<Plan> = {
  kinds: planKinds,
  load: async (requested) => (await import("../report/formats.ts")).planRenderers(requested),
};

export const findingForms: Forms<Actionable> = {
  kinds: findingKinds,
  load: async () => (await import("../report/formats.ts")).findingRenderers,
};

/** A command that shows findings at its end. `refused` makes the reports of a run that ends with an error. */
export function showingFindings<Asked extends Options, Content extends Pick<Actionable, "problems" | "warnings">>(
  command: string,
  { kinds, load }: Forms<Content>,
  work: (...args: Parameters<Run<Asked>>) => Promise<FindingsResult<Content>>,
  refused?: (error: UserError) => FindingsResult<Content>,
): Run<Asked> {
  const run = showing<Asked>(async (terminal, options, args) => {
    const requested = (options.report ?? []).map((each) => each.split("=")[0] ?? "");
    const renderers = requested.every(isOwnKind) ? undefined : await load(requested);
    const began = performance.now();
    const reported = (error: UserError) => {
      if (!refused || error.code === exit.usage) throw error;
      return { ...refused(error), refusal: error };
    };
    const { text, json, after, refusal, ...ended } = await work(terminal, options, args).catch(
      onError(UserError, reported),
    );
    const seconds = (performance.now() - began) / 1000;
    const folder = folderInRepository(terminal.folder);
    const links = ciLinks(terminal, options.report);
    const report: Report<Content> = { ...ended, command, folder, links, seconds, finishedAt: new Date() };
    const more = Object.entries(renderers ?? {}).map(([kind, render]) => [kind, render.bind(undefined, report)]);
    const markdown = () => renderers?.markdown(report, () => undefined) ?? "";
    return {
      ...{ text, json: () => json, more: Object.fromEntries(more) },
      file: () => [...problemLines(ended.plan), text()].filter(Boolean).join("\n"),
      ...(refusal && { refusal }),
      code: () => {
        if (requested.includes("github")) summarize(terminal, markdown);
        after?.();
        return ended.exitCode;
      },
    };
  }, kinds);
  return (terminal, options, args) => {
    const { out, report = [] } = options;
    return run(terminal, { ...options, report: out === undefined ? report : [...report, `json=${out}`] }, args);
  };
}

/** Writes the whole report to the step summary, because annotations are few and short. */
function summarize({ env, note }: Terminal, markdown: () => string): void {
  const { GITHUB_STEP_SUMMARY: file } = env;
  if (!file) return;
  try {
    appendFileSync(file, `${markdown()}\n\n`);
  } catch (error) {
    note(`warning: cannot write the step summary: ${describeSystemError(error)}`);
  }
}

/** The path of the workspace in its repository, which is how review tools name files. */
function folderInRepository(folder: string): string {
  const workspace = dirname(workspaceAbove(folder) ?? resolve(folder, "none"));
  const top = repositoryTop(workspace);
  return top === undefined ? "" : gitPrefixOf(relative(top, workspace));
}

type Environment = Terminal["env"];

/** Links to files and the HTML report in the pipeline's CI system. `reports`: the values of `--report`. */
export function ciLinks({ env, cwd }: Pick<Terminal, "env" | "cwd">, reports: readonly string[] = []): Links {
  const html = reports.find((each) => each.startsWith("html="))?.slice("html=".length);
  const page = html === undefined ? undefined : resolve(cwd, html);
  return env.CI_PROJECT_URL ? gitlabLinks(env, page) : githubLinks(env, page);
}

function gitlabLinks(env: Environment, html: string | undefined): Links {
  const { CI_PROJECT_URL, CI_COMMIT_SHA: commit = "", CI_JOB_URL, CI_PROJECT_DIR: folder } = env;
  const [project, job] = [webUrl(CI_PROJECT_URL), webUrl(CI_JOB_URL)];
  const path = html !== undefined && folder ? pathBelow(folder, html) : undefined;
  return {
    ...(project && isCommit(commit) && { files: `${project}/-/blob/${commit}/` }),
    ...(job && path && { page: `${job}/artifacts/file/${path.map(encodeURIComponent).join("/")}` }),
  };
}

function githubLinks(env: Environment, html: string | undefined): Links {
  const {
    GITHUB_SERVER_URL,
    GITHUB_REPOSITORY: repository = "",
    GITHUB_SHA: commit = "",
    GITHUB_RUN_ID: run = "",
  } = env;
  const server = webUrl(GITHUB_SERVER_URL);
  if (!server || !/^[\w.-]+\/[\w.-]+$/.test(repository)) return {};
  return {
    ...(isCommit(commit) && { files: `${server}/${repository}/blob/${commit}/` }),
    ...(html !== undefined && /^\d+$/.test(run) && { page: `${server}/${repository}/actions/runs/${run}` }),
  };
}

function isCommit(text: string): boolean {
  return /^[0-9a-f]{40,64}$/.test(text);
}

/** A URL of a web page without credentials, query and fragment; undefined for anything else. */
function webUrl(text = ""): string | undefined {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return undefined;
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname.replace(/\/+$/, "")}`.replace(/[()'"<>]/g, (sign) => encodeURIComponent(sign));
}

function pathBelow(folder: string, file: string): readonly string[] | undefined {
  const parts = relative(folder, file).split(sep);
  return parts[0] === ".." || parts[0] === "" ? undefined : parts;
}

/** Milliseconds between two lines of progress in a log. */
const betweenLines = 60_000;

/** In the progress bars or, without a terminal, as a line a minute. `now` is in milliseconds. */
export function follow(
  { note }: Pick<Terminal, "note">,
  bars: Readonly<Record<Stage, Progress>>,
  now: () => number = () => performance.now(),
) {
  let words = "";
  let lastLine = now();
  const shown = new Map<Stage, readonly [number, number]>();
  const barOf = (stage: Stage) => (done: number, total: number) => {
    shown.set(stage, [done, total]);
    bars[stage].update(done, total, words);
  };
  return {
    reading: barOf("reading"),
    writing: barOf("writing"),
    following: (progress: RunProgress): void => {
      words = fleetText(progress);
      const [done, total] = shown.get(progress.stage) ?? [progress.done, progress.total];
      bars[progress.stage].update(done, total, words);
      if (bars[progress.stage] !== noBar || now() - lastLine < betweenLines) return;
      lastLine = now();
      note(`Still ${progressText(progress)}`);
    },
  };
}
