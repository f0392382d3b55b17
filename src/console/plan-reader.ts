import type { Catalogue } from "../model/catalogue.ts";
import type { Plan } from "../plan/plan.ts";
import { planOfRun } from "../reconcile/saved-plan.ts";
import type { WorkspaceState } from "../state/state.ts";

/** Reads the plan that a run saved; `mark` is that of its text, where it is known. @throws UserError as {@link planOfRun}. */
export type PlanReader = (state: Pick<WorkspaceState, "plans">, run: string, mark?: string) => Promise<Plan>;

/** Characters of plans, as they are saved, of which the plans themselves are kept. */
const most = 64 * 1024 * 1024;

interface Kept {
  readonly plan: Plan;
  readonly mark: string | undefined;
  readonly size: number;
}

/** Reads and checks each text of a plan once: pages ask for the same few again and again. */
export function planReader(catalogue: Catalogue): PlanReader {
  const kept = new Map<string, Kept>();
  return async ({ plans }, run, known) => {
    const mark = known ?? (await plans.marks([run])).get(run);
    const before = kept.get(run);
    kept.delete(run);
    if (before && before.mark === mark) {
      kept.set(run, before);
      return before.plan;
    }
    const text = await plans.read(run);
    const plan = await planOfRun({ plans: { ...plans, read: async () => text } }, run, catalogue);
    kept.set(run, { plan, mark, size: text?.length ?? 0 });
    trim(kept);
    return plan;
  };
}

/** Evicts the least recently used plans; the last one stays, whatever its size. */
function trim(kept: Map<string, Kept>): void {
  let size = [...kept.values()].reduce((sum, each) => sum + each.size, 0);
  for (const [run, each] of kept) {
    if (size <= most || kept.size === 1) return;
    kept.delete(run);
    size -= each.size;
  }
}
