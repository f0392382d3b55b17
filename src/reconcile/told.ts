import { Refusal } from "../base/exit.ts";
import { version } from "../base/version.ts";
import { explained } from "../client/explain-failure.ts";
import { CallFailed } from "../client/failure.ts";
import { withoutSecrets } from "../client/known-secrets.ts";
import { hasErrors } from "../manifest/validate.ts";
import { bySeverity } from "../model/problem-line.ts";
import type { Problem } from "../model/types.ts";
import { planDigest, planOf } from "../plan/plan.ts";
import { type Heading, headingOf, type Opened, open } from "./context.ts";
import type { Planned, Request } from "./request.ts";
import { StalePlan } from "./saved-plan.ts";

/** Opens the workspace and runs `work` on it; whatever keeps it from being planned becomes a plan that says so. */
export async function told<Result extends Planned>(
  request: Request,
  work: (opened: Opened) => Promise<Result>,
): Promise<Result | Planned> {
  let heading: Heading = { url: "", manifests: { digest: "", commit: null } };
  let known: readonly Problem[] = [];
  try {
    const opened = open(request);
    heading = headingOf(opened);
    known = opened.problems;
    return hasErrors(known) ? nothingPlanned(heading, known) : await work(opened);
  } catch (error) {
    const nothing = nothingPlanned(heading, [...known, problemOf(error)]);
    return error instanceof StalePlan
      ? { ...withProblems({ ...nothing, plan: error.plan }, [problemOf(error)]), stale: true }
      : nothing;
  }
}

/** Refusals and failed calls are for people to mend; anything else is thrown on, without the secrets that it may hold. */
function problemOf(error: unknown): Problem {
  if (error instanceof Refusal) return { severity: "error", rule: "setup", message: withoutSecrets(error).message };
  if (error instanceof CallFailed) return { severity: "error", rule: error.kind, message: explained(error) };
  throw withoutSecrets(error);
}

function nothingPlanned(heading: Heading, problems: readonly Problem[]): Planned {
  const createdAt = new Date().toISOString();
  const document = planOf({ ...heading, version, createdAt, differences: [], objections: [], problems, reads: 0 });
  return { plan: document, differences: [], surveyed: false, missing: [] };
}

/** A plan with more to say than when it was made. */
export function withProblems<Result extends Planned>(planned: Result, more: readonly Problem[]): Result {
  if (more.length === 0) return planned;
  const { problems, warnings } = bySeverity(more);
  const before = planned.plan;
  const plan = { ...before, problems: [...before.problems, ...problems], warnings: [...before.warnings, ...warnings] };
  return { ...planned, plan: { ...plan, digest: planDigest(plan) } };
}

/** Runs `work`, and closes the client whatever comes of it. */
export async function closing<Result>(
  client: { close(): Promise<void> },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } finally {
    await client.close();
  }
}
