import { randomBytes } from "node:crypto";
import { hostname, userInfo } from "node:os";
import { pid } from "node:process";
import type { Claim } from "./lease-store.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A name for a new run. Names sort by time. */
export function newRun(now: Date): string {
  return `${now.toISOString().replace(/[-:]/g, "").slice(0, 15)}Z-${randomBytes(2).toString("hex")}`;
}

/** Whether a text is a valid run name, and therefore safe as a file name. */
export function isRunName(text: string): boolean {
  return /^\w[\w.-]{0,99}$/.test(text);
}

/** User, host and process; in a pipeline, its user and job URL. */
export function claimFor(run: string, env: Environment): Claim {
  return { run, who: whoRuns(env).slice(0, 100), host: hostname().slice(0, 100), pid, job: jobOf(env)?.slice(0, 400) };
}

function whoRuns({ GITLAB_USER_LOGIN, GITHUB_ACTOR }: Environment): string {
  return GITLAB_USER_LOGIN || GITHUB_ACTOR || userName();
}

/** In a container, the user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user-${process.getuid?.() ?? "unknown"}`;
  }
}

function jobOf(env: Environment): string | undefined {
  const { CI_JOB_URL, GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: id } = env;
  return CI_JOB_URL || (server && repository && id ? `${server}/${repository}/actions/runs/${id}` : undefined);
}
