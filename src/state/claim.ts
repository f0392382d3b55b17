import { randomBytes } from "node:crypto";
import { hostname, userInfo } from "node:os";
import { pid } from "node:process";
import type { Claim } from "./lease-store.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A name for a run that begins now: sorted by name, runs are sorted by time. */
export function newRun(now: Date): string {
  return `${now.toISOString().replace(/[-:]/g, "").slice(0, 15)}Z-${randomBytes(2).toString("hex")}`;
}

/** Whether a text has the form of a run's name, which is safe as the name of a file. */
export function isRunName(text: string): boolean {
  return /^\w[\w.-]{0,99}$/.test(text);
}

/** Who runs this, and where: a pipeline's own words where it has any. */
export function claimFor(run: string, env: Environment): Claim {
  return { run, who: whoRuns(env).slice(0, 100), host: hostname().slice(0, 100), pid, job: jobOf(env)?.slice(0, 400) };
}

function whoRuns({ GITLAB_USER_LOGIN, GITHUB_ACTOR }: Environment): string {
  return GITLAB_USER_LOGIN || GITHUB_ACTOR || userName();
}

/** In a container a user may have a number and no name. */
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
