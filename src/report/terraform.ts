import type { Surface } from "./report.ts";

/** The largest number that the merge request widget shows. */
const most = 999_999;

/**
 * Counts for the merge request widget, which knows three: what is disabled counts as deleted. It leaves alone what else
 * stands there: what loosens a policy or costs somebody events, where anything does.
 */
export const terraform: Surface = ({ plan: { summary } }) => {
  const { create, update, disable, delete: deleted, loosened, losses } = summary;
  const grave = { ...(loosened > 0 && { loosened }), ...(losses > 0 && { losses }) };
  const counts = { ...grave, create, update, delete: disable + deleted };
  return JSON.stringify(Object.fromEntries(Object.entries(counts).map(([name, n]) => [name, Math.min(n, most)])));
};
