import { groupedAs } from "../base/grouped.ts";
import type { LedgerHead } from "../diff/ledger-line.ts";
import type { Lease } from "./lease.ts";
import { fleetIndex } from "./snapshots/fleet-index.ts";
import type { LedgerEdit, WorkspaceState } from "./state.ts";

/** Numbers of runs that were copied, and that the target already had. */
export interface Copied {
  readonly copied: number;
  readonly present: number;
}

/**
 * Copies what the target lacks. What both have is not changed, so an interrupted copy can be repeated. `lease` is the
 * target's.
 */
export async function copyState(source: WorkspaceState, target: WorkspaceState, { token }: Lease): Promise<Copied> {
  const known = new Set((await target.runs.list()).map(({ run }) => run));
  const all = await source.runs.list();
  const runs = all.filter(({ run }) => !known.has(run));
  await copyJournals(source, target, token);
  await copyTexts(source.plans, target.plans);
  for (const run of await source.plans.list()) await copySignatures(source, target, run);
  await copyTexts(source.notes, target.notes);
  await copyLedger(source, target, token);
  await copySnapshots(source.snapshots, target.snapshots);
  // Summaries are copied last, because they mark a run as copied.
  for (const summary of runs.toReversed()) await target.runs.record(summary);
  return { copied: runs.length, present: all.length - runs.length };
}

async function copyJournals(source: WorkspaceState, target: WorkspaceState, token: Lease["token"]): Promise<void> {
  const there = new Set(await target.journals.list());
  for (const run of await source.journals.list()) {
    const lines = (await source.journals.read(run)) ?? [];
    const done = there.has(run) ? ((await target.journals.read(run))?.length ?? 0) : 0;
    await target.journals.extend(token, run, lines.slice(done));
  }
}

async function copyTexts(source: WorkspaceState["plans"], target: WorkspaceState["plans"]): Promise<void> {
  const there = new Set(await target.list());
  for (const name of await source.list()) {
    const text = there.has(name) ? undefined : await source.read(name);
    if (text !== undefined) await target.write(name, text);
  }
}

/** Not if the target has snapshots of its own, which are newer or of another fleet. */
async function copySnapshots(source: WorkspaceState["snapshots"], target: WorkspaceState["snapshots"]): Promise<void> {
  const names = await source.list();
  const shards = await source.read(names);
  await target.change(names, (there) => (there.has(fleetIndex) ? new Map() : shards));
}

async function copySignatures(source: WorkspaceState, target: WorkspaceState, run: string): Promise<void> {
  const there = new Set(await target.approvals.list(run));
  for (const signature of await source.approvals.list(run)) {
    if (!there.has(signature)) await target.approvals.add(run, signature);
  }
}

/** All projects with one key at once: a file is written anew each time, and drops entries of other keys. */
async function copyLedger(source: WorkspaceState, target: WorkspaceState, token: Lease["token"]): Promise<void> {
  const [there, here] = [await target.ledger.read(), await source.ledger.read()];
  const of = (project: string): LedgerEdit[] => {
    const name = project.toLowerCase();
    const [known, line] = [there.lines.get(name), here.lines.get(name)];
    if (known && known.key !== line?.key) return [];
    const lacking = Object.entries(line?.resources ?? {}).filter(([rest]) => !(rest in (known?.resources ?? {})));
    return lacking.map(([rest, memory]) => ({ project, rest, memory }));
  };
  const heads = Array.from(here.lines.keys(), (name): LedgerHead => {
    const { project = name, key = "" } = here.lines.get(name) ?? {};
    return { project, key };
  });
  const lacking = heads.filter(({ project }) => of(project).length > 0);
  const byKey = groupedAs(
    lacking,
    ({ key }) => key,
    ({ project }) => project,
  );
  for (const [key, projects] of byKey) await target.ledger.write(token, key, { projects, of });
  for (const { close } of [there, here]) close?.();
}
