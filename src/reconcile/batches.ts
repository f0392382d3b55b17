import { applyChanges, type Batch, type Outcomes } from "../apply/apply.ts";
import { projectOf, stepsOf, type Target } from "../apply/recheck.ts";
import { type AppliedWaves, applyInWaves } from "../apply/waves.ts";
import { counted } from "../base/text.ts";
import type { Reader, Writer } from "../client/client.ts";
import { canariesThenAll } from "../manifest/waves.ts";
import type { Problem } from "../model/types.ts";
import { inWaves, type PlanWave } from "../plan/waves.ts";
import type { Context } from "./context.ts";
import type { Prepared } from "./prepared.ts";
import { stepsByRules } from "./rules.ts";
import { scopeOf } from "./scope.ts";

/** Projects that are to be read again are read right before their writes. */
export function batchesOf(reader: Reader, context: Context, targets: readonly Target[]): Batch[] {
  const scope = scopeOf(context);
  return targets.map((target) => ({
    steps: async () => {
      const steps = await stepsOf(reader, target, scope);
      return "planned" in target ? stepsByRules(steps, context, target.desired) : steps;
    },
  }));
}

/** What is prepared, with its targets wave by wave where the run has waves: by `--waves`, else by its workspace. */
export function inItsWaves(prepared: Prepared, { request, loaded: { workspace } }: Context): Prepared {
  const { canary } = workspace;
  const stated = request.waves ?? workspace.waves ?? (canary.length > 0 ? canariesThenAll : undefined);
  if (!stated || prepared.targets.length === 0) return prepared;
  const byName = new Map(prepared.targets.map((target) => [projectOf(target), target]));
  const named = inWaves([...byName.keys()], stated, prepared.isCanary);
  const waves = named.map((names) => names.flatMap((name) => byName.get(name) ?? []));
  const planned: PlanWave[] = named.map((projects) => ({ projects, status: "planned" }));
  return { ...prepared, targets: waves.flat(), waves, planned: { ...prepared.planned, waves: planned } };
}

type Options = Parameters<typeof applyChanges>[2];

/** What became of the changes of a run; only waves can halt it. */
export interface ChangesMade extends Pick<AppliedWaves, "halted"> {
  readonly outcomes: Outcomes;
  readonly waves?: readonly PlanWave[];
  readonly problems: readonly Problem[];
}

/** Carries out the changes of all projects, in waves where there are any. */
export async function writeChanges(
  writer: Writer,
  context: Context,
  { targets, waves }: Pick<Prepared, "targets" | "waves">,
  options: Options,
): Promise<ChangesMade> {
  const batches = (some: readonly Target[]) => batchesOf(writer, context, some);
  if (!waves) return { outcomes: await applyChanges(writer, batches(targets), options), problems: [] };
  const applied = await applyInWaves(writer, waves, { ...options, batchesOf: batches });
  return { ...applied, problems: stopped(applied, context) };
}

/** A run that ended before its last wave says what it left, and how to go on. */
function stopped({ halted, waves }: AppliedWaves, { request }: Context): readonly Problem[] {
  const left = waves.filter(({ status }) => status === "not started").flatMap(({ projects }) => projects);
  if (halted === undefined || left.length === 0) return [];
  const again = request.again === undefined ? "" : `; to go on: ${request.again}`;
  const untouched = `${counted(left.length, "project")} of later waves ${left.length === 1 ? "is" : "are"} untouched`;
  return [{ severity: "error", rule: "waves", message: `${halted}; ${untouched}${again}` }];
}
