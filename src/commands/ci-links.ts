import { relative, resolve, sep } from "node:path";
import type { Links } from "../report/report.ts";
import type { Terminal } from "./terminal.ts";

type Environment = Terminal["env"];

/** Where the pipeline's CI system shows files and the HTML report; empty outside of a pipeline. `reports`: as given to `--report`. */
export function ciLinks({ env, cwd }: Pick<Terminal, "env" | "cwd">, reports: readonly string[] = []): Links {
  const html = reports.flatMap((each) =>
    each.startsWith("html=") ? [resolve(cwd, each.slice("html=".length))] : [],
  )[0];
  return env.CI_PROJECT_URL ? gitlabLinks(env, html) : githubLinks(env, html);
}

function gitlabLinks(env: Environment, html: string | undefined): Links {
  const { CI_PROJECT_URL: project, CI_COMMIT_SHA: commit, CI_JOB_URL: job, CI_PROJECT_DIR: folder } = env;
  const path = html !== undefined && folder ? pathBelow(folder, html) : undefined;
  const artifact = path === undefined ? undefined : `/artifacts/file/${path.map(encodeURIComponent).join("/")}`;
  return {
    ...named("files", commitUrl(webUrl(project), "/-/blob/", commit)),
    ...named("page", artifact && joined(webUrl(job), artifact)),
  };
}

function githubLinks(env: Environment, html: string | undefined): Links {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_SHA: commit, GITHUB_RUN_ID: run } = env;
  if (!repository || !/^[\w.-]+\/[\w.-]+$/.test(repository)) return {};
  const project = joined(webUrl(server), `/${repository}`);
  const isRun = html !== undefined && /^\d+$/.test(run ?? "");
  return {
    ...named("files", commitUrl(project, "/blob/", commit)),
    ...named("page", isRun ? joined(project, `/actions/runs/${run}`) : undefined),
  };
}

function named<Name extends keyof Links>(
  name: Name,
  url: string | undefined,
): Pick<Links, Name> | Record<never, never> {
  return url === undefined ? {} : { [name]: url };
}

function commitUrl(project: string | undefined, between: string, commit = ""): string | undefined {
  return /^[0-9a-f]{40,64}$/.test(commit) ? joined(project, `${between}${commit}/`) : undefined;
}

function joined(start: string | undefined, rest: string): string | undefined {
  return start === undefined ? undefined : `${start}${rest}`;
}

/** A URL of a web page without credentials, query and fragment; undefined for anything else. */
function webUrl(text = ""): string | undefined {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return undefined;
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname.replace(/\/+$/, "")}`.replace(/[()'"<>]/g, (sign) => encodeURIComponent(sign));
}

/** The parts of a path below a folder; undefined if it is not below. */
function pathBelow(folder: string, file: string): readonly string[] | undefined {
  const parts = relative(folder, file).split(sep);
  return parts[0] === ".." || parts[0] === "" ? undefined : parts;
}
