import { explained } from "../client/explain-failure.ts";
import type { CallFailed } from "../client/failure.ts";
import { kindNames } from "../model/kinds.ts";
import type { DesiredProject, Kind, Problem } from "../model/types.ts";
import type { Unread } from "./read-live.ts";
import { sectionNameOf, unreadProblem } from "./unread.ts";

/** One problem for a list that the token may read in no project, in place of those with the messages that it stands for. */
export interface RefusedList {
  readonly problem: Problem;
  readonly instead: ReadonlySet<string>;
}

/** What came of reading a project. */
interface Read {
  readonly unread?: readonly Unread[];
  readonly failure?: CallFailed;
  readonly missing?: object;
}

/** Lists that each of several projects answered 403: the token lacks a role everywhere, which is said once. */
export function refusedLists(desired: readonly DesiredProject[], read: readonly Read[]): readonly RefusedList[] {
  return kindNames.flatMap((kind) => {
    const asked = desired.flatMap((project, index) =>
      project.kinds.has(kind) && !read[index]?.missing ? [refusal(project, kind, read[index])] : [],
    );
    const [first, ...others] = asked.flatMap((each) => each ?? []);
    if (!first || others.length === 0 || others.length + 1 < asked.length) return [];
    const what = `${sectionNameOf(kind)} of ${asked.length} projects could not be read and are left out of the plan`;
    const message = `${what}: ${first.why}; so it went for all of them`;
    const instead = new Set([first, ...others].map(({ told }) => told));
    return [{ problem: { severity: "error", rule: "unreadable", message }, instead }];
  });
}

/** Why a project's list was refused, and the message that says so of this project. */
function refusal(project: DesiredProject, kind: Kind, read: Read | undefined) {
  const { unread = [], failure } = read ?? {};
  if (failure?.status === 403) return { why: explained(failure), told: explained(failure) };
  const part = unread.find((each) => each.kind === kind && each.key === undefined);
  if (part?.failure.status !== 403) return undefined;
  return { why: explained(part.failure), told: unreadProblem(project, part).message };
}
