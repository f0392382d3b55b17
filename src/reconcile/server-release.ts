import type { Reader } from "../client/client.ts";
import { readRelease } from "../live/read-release.ts";
import { problemAt, problemIn } from "../manifest/problem.ts";
import { hasErrors, validate } from "../manifest/validate.ts";
import { workspaceFile } from "../manifest/workspace.ts";
import { isRelease } from "../model/releases.ts";
import type { Problem } from "../model/types.ts";
import type { Checked, Context } from "./context.ts";

/** Later than any: it has all that was ever added. */
const latest = "9999.0";

/**
 * A workspace that has mistakes whatever release its server has, with these alone; undefined if it has none. Where no one
 * stated the release, what a later one may have is no mistake yet.
 */
export function refusedWorkspace<Known extends Checked>(checked: Known): Known | undefined {
  if (!hasErrors(checked.problems)) return undefined;
  if (!checked.loaded.workspace.server.isReleaseAssumed) return checked;
  const lasting = problemsAt(checked, latest).filter(({ rule }) => isOfRelease(rule));
  const problems = checked.problems.filter(
    (problem) => !isOfRelease(problem.rule) || lasting.some((each) => isSamePlace(each, problem)),
  );
  return hasErrors(problems) ? { ...checked, problems } : undefined;
}

/** Whether a later release may have no such mistake. */
function isOfRelease(rule: string): boolean {
  return rule === "release" || rule === "required-parameter";
}

function isSamePlace({ place: one }: Problem, { place: other }: Problem): boolean {
  return one?.file === other?.file && one?.line === other?.line && one?.column === other?.column;
}

/**
 * The run at the release that its server says it has: where no one stated one, everything is checked against it; a stated one
 * stands, with a warning where it is another. A server that says none is taken for the default. @throws CallFailed.
 */
export async function atRelease(reader: Reader, context: Context): Promise<Context> {
  const { loaded, problems, ofRelease } = context;
  const { server } = loaded.workspace;
  const actual = await readRelease(reader);
  if (actual !== undefined && !server.isReleaseAssumed) {
    return isRelease(server.release, actual)
      ? context
      : { ...context, problems: [...problems, otherRelease(context, actual)] };
  }
  if (actual === undefined || isRelease(server.release, actual)) return context;
  const others = problems.filter((problem) => !ofRelease.includes(problem));
  const now = problemsAt(context, actual);
  return { ...context, loaded: loadedAt(context.loaded, actual), ofRelease: now, problems: [...others, ...now] };
}

function otherRelease({ loaded: { settings, workspace } }: Checked, actual: string): Problem {
  const message = `server.release is ${workspace.server.release}, and the server says that it is ${actual}`;
  if (!settings) return { ...problemIn(workspaceFile, "other-release", message) };
  return problemAt("other-release", message, { document: settings, path: ["server", "release"] });
}

/** What validation says of the manifests for a release. */
function problemsAt(checked: Checked, release: string): readonly Problem[] {
  return validate(loadedAt(checked.loaded, release), checked.today).problems;
}

/** A workspace as if it stated this release. */
export function loadedAt(loaded: Checked["loaded"], release: string): Checked["loaded"] {
  const { workspace } = loaded;
  return { ...loaded, workspace: { ...workspace, server: { ...workspace.server, release, isReleaseAssumed: false } } };
}
