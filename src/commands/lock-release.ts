import { exit, UserError } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { holderText } from "../state/lease.ts";
import type { Holder } from "../state/lease-store.ts";
import type { Run } from "./command.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { stateAround } from "./workspace-state.ts";

/** `evenkeel lock release RUN`: for a run that has ended and whose lease has not expired yet. */
export const run: Run<Options<"lock release">> = async (terminal, options, [wanted = ""]) => {
  await using state = await stateAround(terminal, options);
  const watcher = await state.watchLeases.holder();
  const leases = watcher?.run === wanted ? state.watchLeases : state.leases;
  const holder = leases === state.leases ? await leases.holder() : watcher;
  if (!holder) throw new UserError("no run holds the lease of this workspace");
  if (holder.run !== wanted) throw new UserError(`run ${wanted} does not hold the lease; ${holderText(holder)} does`);
  if (!(await agreed(terminal, options, holder))) {
    terminal.warn("Not released.");
    return exit.problem;
  }
  if (!(await leases.release(wanted))) throw new UserError(`run ${wanted} does not hold the lease any more`);
  terminal.print(printable(`Released the lease of ${holderText(holder)}, held since ${holder.since}.`));
  return exit.done;
};

async function agreed(terminal: Terminal, { yes }: Options<"lock release">, holder: Holder): Promise<boolean> {
  if (yes) return true;
  if (!terminal.interactive) throw new UserError("stdin is not a terminal: pass --yes", exit.usage);
  terminal.warn(printable(`${holderText(holder)} holds the lease since ${holder.since}.`));
  return terminal.confirm(
    "If it still runs, it stops before its next project. Release its lease? Type yes to continue:",
  );
}
