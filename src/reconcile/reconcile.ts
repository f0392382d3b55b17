import { applyChanges } from "../apply/apply.ts";
import { connectReader, connectWriter, type Writer } from "../client/client.ts";
import type { Problem } from "../model/types.ts";
import { callOf } from "../plan/plan.ts";
import { takeLock } from "../state/lock.ts";
import { clientOptions, type Opened } from "./context.ts";
import { fresh, missingSecrets, type Prepared, planFrom, saved } from "./prepare.ts";
import { noticeCutShort, readyToRecord, recording } from "./recorder.ts";
import type { Applied, ApplyHooks, Planned, Rehearsed, Request } from "./request.ts";
import { carryOutMoves } from "./storage-moves.ts";
import { closing, told, withProblems } from "./told.ts";

/**
 * load -> validate -> desired -> live -> diff -> plan -> guard. Sends GET requests only: its client has no way to
 * write. What a person can mend is not thrown: it stands in `plan.problems`.
 */
export function plan(request: Request): Promise<Planned> {
  return told(request, async (opened) => {
    const reader = await connectReader(clientOptions(opened, request));
    return closing(reader, async () => (await planFrom(reader, opened, request)).planned);
  });
}

/** The requests that {@link apply} would send now; none is sent, for the client has no way to. */
export function rehearse(request: Request): Promise<Rehearsed> {
  return told<Rehearsed>(request, async (opened) => {
    const reader = await connectReader(clientOptions(opened, request));
    return closing(reader, async () => {
      const { planned, batches, moves, refused } = await (request.saved ? saved : fresh)(reader, opened, request);
      const changes = (await Promise.all(batches.map((batch) => batch.steps()))).flat();
      const steps = [...changes, ...(await moves()).map((step) => ("move" in step ? step.move : step))];
      const outcomes = new Map(
        steps.flatMap((step) => ("outcome" in step ? [[step.address, step.outcome] as const] : [])),
      );
      const requests = steps.flatMap((step) => ("change" in step ? [callOf(step.change)] : []));
      return { ...planned, refused, requests, ...(outcomes.size > 0 && { outcomes }) };
    });
  });
}

/**
 * All of {@link plan}, or a saved plan; then, where no guard objects and `approve` agrees, the writes. Holds the
 * workspace's lock meanwhile, journals what it does, and remembers in the ledger what it left.
 */
export function apply(request: Request, hooks: ApplyHooks): Promise<Applied> {
  return told<Applied>(request, async (opened) => {
    request.connecting?.();
    const release = takeLock(opened.loaded.root, () => new Date());
    try {
      readyToRecord(opened);
      const writer = await connectWriter(clientOptions(opened, request));
      return await closing(writer, () => applyWith(writer, opened, request, hooks));
    } finally {
      release();
    }
  });
}

async function applyWith(writer: Writer, opened: Opened, request: Request, hooks: ApplyHooks): Promise<Applied> {
  const notices = noticeCutShort(opened.loaded.root);
  const prepared = await (request.saved ? saved : fresh)(writer, opened, request);
  const planned = withProblems(prepared.planned, notices);
  if (!planned.surveyed) return planned;
  const { refused } = prepared;
  if (refused.length > 0) return { ...planned, refused };
  const missing = missingSecrets(prepared.references, opened);
  if (missing.length > 0) return withProblems(planned, missing);
  if (!(await hooks.approve(planned))) return planned;
  return carryOut(writer, { ...prepared, planned }, opened, request, hooks);
}

async function carryOut(
  writer: Writer,
  { planned, batches, moves }: Prepared,
  opened: Opened,
  request: Request,
  hooks: ApplyHooks,
): Promise<Applied> {
  const warnings: Problem[] = [];
  const warn = (more: readonly Problem[]) => void warnings.push(...more);
  const stopped = () => (request.signal?.aborted ? "the run was stopped" : undefined);
  const { outcomes, problems } = await recording(opened, planned, hooks.watchers, (watchers) => {
    const writes = async () => {
      const done = await applyChanges(writer, batches, { workers: opened.concurrency, watchers, stopped });
      return new Map([...done, ...(await carryOutMoves(writer, await moves(), request, { watchers, warn }))]);
    };
    const around = planned.plan.summary.writes > 0 ? hooks.around : undefined;
    return around ? around({ site: clientOptions(opened, request), planned }, writes) : writes();
  });
  return withProblems({ ...planned, outcomes }, [...warnings, ...problems]);
}
