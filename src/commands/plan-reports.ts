import { appendFileSync } from "node:fs";
import { dirname, relative, resolve, sep } from "node:path";
import { exit, UserError } from "../base/exit.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { gitPrefixOf, repositoryTop } from "../git/open-git.ts";
import type { Plan } from "../plan/plan.ts";
import type { Actionable } from "../report/findings.ts";
import {
  findingKinds,
  isOwnKind,
  type Links,
  type OwnKind,
  planKinds,
  type Renderer,
  type Report,
} from "../report/report.ts";
import { fleetText, progressText } from "../report/runs.ts";
import { problemLines } from "../report/terminal.ts";
import type { RunProgress, Stage } from "../state/run-summary.ts";
import { workspaceAbove } from "../workspace/load.ts";
import { openReports } from "./outputs.ts";
import { folderOf, type OnlineOptions } from "./run-request.ts";
import { noBar, type Progress, type Terminal } from "./terminal.ts";

type Own = Readonly<Record<OwnKind, () => string>>;

type Ended<Content> = Omit<Report<Content>, "command" | "folder" | "links" | "seconds" | "finishedAt">;

export type WriteReports<Content = Plan> = (own: Own, ended: Ended<Content>) => void;

interface Options extends Pick<OnlineOptions, "C" | "report"> {
  readonly out?: string;
}

export async function openPlanReports(terminal: Terminal, command: string, options: Options): Promise<WriteReports> {
  const renderers = await loadRenderers(options);
  return openWithRenderers(terminal, command, options, planKinds, await renderers?.planRenderers(listKinds(options)));
}

export async function openFindingReports(
  terminal: Terminal,
  command: string,
  options: Options,
): Promise<WriteReports<Actionable>> {
  const renderers = await loadRenderers(options);
  return openWithRenderers(terminal, command, options, findingKinds, renderers?.findingRenderers);
}

/** The other renderers are loaded on demand, because most runs need none. */
async function loadRenderers(options: Options) {
  return listKinds(options).every(isOwnKind) ? undefined : await import("../report/formats.ts");
}

type Problems = Pick<Actionable, "problems" | "warnings">;

type Renderers<Content> = Readonly<Record<string, Renderer<Content>>> & { readonly markdown: Renderer<Content> };

function openWithRenderers<Content extends Problems>(
  terminal: Terminal,
  command: string,
  options: Options,
  kinds: readonly string[],
  renderers: Renderers<Content> | undefined,
): WriteReports<Content> {
  const began = performance.now();
  const write = openReports(terminal, options.report, kinds, options.out);
  return (own, ended) => {
    const seconds = (performance.now() - began) / 1000;
    const folder = folderInRepository(folderOf(terminal, options));
    const links = ciLinks(terminal, options.report);
    const report: Report<Content> = { ...ended, command, folder, links, seconds, finishedAt: new Date() };
    const rendered = Object.entries(renderers ?? {}).map(
      ([kind, render]) => [kind, render.bind(undefined, report)] as const,
    );
    const file = () => [...problemLines(ended.plan), own.text()].filter(Boolean).join("\n");
    write({ ...Object.fromEntries(rendered), ...own, file });
    if (renderers && listKinds(options).includes("github"))
      summarize(terminal, () => renderers.markdown(report, () => undefined));
  };
}

export async function withFailureReport<Result>(
  write: (error: UserError) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UserError && error.code !== exit.usage) write(error);
    throw error;
  }
}

function listKinds({ report = [] }: Options): readonly string[] {
  return report.map((each) => each.split("=")[0] ?? "");
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
