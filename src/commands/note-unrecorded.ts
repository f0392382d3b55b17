import { printable } from "../base/printable.ts";
import type { Planned } from "../reconcile/request.ts";
import type { Terminal } from "./terminal.ts";

/** Notes that a run is missing in the history, which takes nothing from what it did. */
export function noteUnrecorded(terminal: Terminal, { recorded }: Pick<Planned, "recorded">): void {
  if (!recorded) return;
  if ("trouble" in recorded) terminal.note(printable(`This run was not recorded in the history: ${recorded.trouble}.`));
  else if (recorded.unseen) terminal.note(printable(`The fleet status of this run was not saved: ${recorded.unseen}.`));
}
