import { applyChanges } from "./apply.ts";
import { connectReader, connectWriter, type Reader, type Writer } from "./client/client.ts";
import { CallFailed } from "./client/failure.ts";
import { isReference } from "./compare.ts";
import { Refusal } from "./exit.ts";
import { isRemoval, judgePlan } from "./guard.ts";
import { explained } from "./hint.ts";
import type { Problem } from "./model.ts";
import { clientOptions, guardRules, type Heading, headingOf, isSound, type Opened, open, scopeOf } from "./open.ts";
import { type Plan, type PlanInput, planOf } from "./plan.ts";
import type { Applied, ApplyHooks, Planned, Request } from "./request.ts";
import { survey } from "./survey.ts";
import { version } from "./version.ts";

/**
 * load -> validate -> desired -> live -> diff -> plan -> guard. Sends GET requests only: its client has no way to
 * write. What a person can mend is not thrown: it stands in `plan.problems`.
 */
export function plan(request: Request): Promise<Planned> {
  return told(request, async (opened, heading) => {
    const reader = await connectReader(clientOptions(opened, request));
    return closing(reader, () => planWith(reader, opened, heading, request));
  });
}

/** All of {@link plan}; then, where no guard objects and `approve` agrees, the writes. */
export async function apply(request: Request, hooks: ApplyHooks): Promise<Applied> {
  return told<Applied>(request, async (opened, heading) => {
    const writer = await connectWriter(clientOptions(opened, request));
    return closing(writer, async () => {
      const planned = await planWith(writer, opened, heading, request);
      const missing = missingSecrets(planned, opened);
      if (missing.length > 0) return nothingPlanned(heading, [...opened.validated.problems, ...missing]);
      const free = planned.surveyed && planned.plan.objections.length === 0;
      if (!free || !(await hooks.approve(planned))) return planned;
      return { ...planned, outcomes: await write(writer, planned, opened, request, hooks) };
    });
  });
}

async function planWith(reader: Reader, opened: Opened, heading: Heading, request: Request): Promise<Planned> {
  const { differences, problems, surveyed } = await survey(reader, scopeOf(opened, request));
  const objections = judgePlan(differences, guardRules(opened, request));
  const all = [...opened.validated.problems, ...problems];
  const document = documentOf({ ...heading, differences, objections, problems: all, reads: reader.counts.reads });
  return { plan: document, differences, surveyed };
}

function write(writer: Writer, planned: Planned, opened: Opened, request: Request, { watchers }: ApplyHooks) {
  const workers = request.concurrency ?? opened.loaded.workspace.concurrency;
  const stopped = () => (request.signal?.aborted ? "the run was stopped" : undefined);
  return applyChanges(writer, planned.differences, { workers, watchers, stopped });
}

/** Every secret that the writes need is resolved before the first of them (contract 3). */
function missingSecrets({ differences }: Planned, { secrets }: Opened): Problem[] {
  const writes = differences.flatMap(({ changes }) => changes.filter((change) => !isRemoval(change)));
  const references = writes.flatMap(({ declared }) => Object.values(declared).filter(isReference));
  return secrets.missing(references).map((missing) => problemOf(new Refusal(missing), "missing-secret"));
}

type Work<Result> = (opened: Opened, heading: Heading) => Promise<Result>;

/** Runs `work` on a workspace; whatever keeps it from being planned becomes a plan that says so. */
async function told<Result extends Planned>(request: Request, work: Work<Result>): Promise<Result | Planned> {
  let heading: Heading = { url: "", manifests: { digest: "", commit: null } };
  let known: readonly Problem[] = [];
  try {
    const opened = open(request);
    heading = headingOf(opened);
    known = opened.validated.problems;
    return isSound(opened) ? await work(opened, heading) : nothingPlanned(heading, known);
  } catch (error) {
    return nothingPlanned(heading, [...known, problemOf(error)]);
  }
}

/** Refusals and failed calls are for people to mend; anything else is a defect of this program and thrown on. */
function problemOf(error: unknown, rule?: string): Problem {
  if (error instanceof Refusal) return { severity: "error", rule: rule ?? "refused", message: error.message };
  if (error instanceof CallFailed) return { severity: "error", rule: error.kind, message: explained(error) };
  throw error;
}

function nothingPlanned(heading: Heading, problems: readonly Problem[]): Planned {
  const document = documentOf({ ...heading, differences: [], objections: [], problems, reads: 0 });
  return { plan: document, differences: [], surveyed: false };
}

function documentOf(input: Omit<PlanInput, "version" | "createdAt">): Plan {
  return planOf({ ...input, version, createdAt: new Date().toISOString() });
}

async function closing<Result>(client: { close(): Promise<void> }, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } finally {
    await client.close();
  }
}
