import { exit } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { counted } from "../base/text-format.ts";
import { holderText } from "../state/lease.ts";
import type { Holder } from "../state/lease-store.ts";
import { type Contents, isShared } from "../state/state.ts";
import type { Run } from "./command.ts";
import { openReports } from "./outputs.ts";
import type { Options } from "./table.ts";
import { stateAround } from "./workspace-state.ts";

/** `evenkeel state`: its location, the holders of its leases, and its size. */
export const run: Run<Options<"state">> = async (terminal, options) => {
  const report = openReports(terminal, options.report);
  await using state = await stateAround(terminal, options);
  const { place } = state;
  const shared = isShared(state);
  const lease = (await state.leases.holder()) ?? null;
  const watcher = (await state.watchLeases.holder()) ?? null;
  const contents = await state.contents();
  const lines = [`State: ${place}`, leaseText(lease), ...watcherLines(watcher), contentsText(contents)];
  report({
    text: () => lines.map(printable).join("\n"),
    json: () => JSON.stringify({ place, shared, lease, watcher, contents }, null, 2),
  });
  return exit.done;
};

function watcherLines(holder: Holder | null): readonly string[] {
  return holder ? [`Watcher: ${holderText(holder)} since ${holder.since}`] : [];
}

function leaseText(holder: Holder | null): string {
  if (!holder) return "Lease: free";
  const until = holder.deadline ? `, until ${holder.deadline} unless renewed` : "";
  return `Lease: ${holderText(holder)} since ${holder.since}${until}`;
}

function contentsText({ runs, journals, plans, approvals, ledger, snapshots, notes, bytes }: Contents): string {
  const parts = [
    counted(runs, "run"),
    counted(journals, "journal"),
    counted(plans, "saved plan"),
    counted(approvals, "signed plan"),
    `${counted(ledger, "project")} in the ledger`,
    `${counted(snapshots, "project")} seen`,
    counted(notes, "note"),
  ];
  return `Keeps: ${parts.join(", ")}; ${Math.ceil(bytes / 1024)} KB`;
}
