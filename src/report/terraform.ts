import { failureOf } from "./failure.ts";
import type { Renderer } from "./report.ts";

/** The largest number that the merge request widget shows. */
const most = 999_999;

/**
 * Counts for the merge request widget, which knows three: what is disabled counts as deleted, what is replaced as deleted and created. It leaves alone what else
 * stands there: what loosens a policy or stops notifications, where anything does, and why the run failed, where it did.
 */
export const terraform: Renderer = ({ plan, exitCode }) => {
  const { summary } = plan;
  const { create, update, replace = 0, disable, delete: deleted, loosened, lost_notifications } = summary;
  const grave = { ...(loosened > 0 && { loosened }), ...(lost_notifications > 0 && { lost_notifications }) };
  const counts = { ...grave, create: create + replace, update, delete: disable + deleted + replace };
  const shown = Object.fromEntries(Object.entries(counts).map(([name, n]) => [name, Math.min(n, most)]));
  return JSON.stringify({ ...shown, ...failureOf(plan, exitCode) });
};
