import { groupsAbove } from "./groups.ts";
import type { ServerContext } from "./server-context.ts";
import type { IntegrationOwner, IntegrationRecord } from "./state.ts";

/**
 * The integrations of a project or a group as servers return them: its own and, where it has none, those of the nearest group
 * above it.
 */
export function effectiveIntegrations(
  { state, behaviour }: ServerContext,
  owner: IntegrationOwner,
): ReadonlyMap<string, IntegrationRecord> {
  if (!behaviour.groupIntegrations) return owner.integrations;
  const groups = state.groupIntegrations.size > 0 ? groupsAbove(state, owner.record.path) : [];
  const above = groups.flatMap(({ id }) => [...(state.groupIntegrations.get(id)?.values() ?? [])]);
  if (above.length === 0) return owner.integrations;
  const inherited = [...new Map(above.map((record) => [record.slug, record])).values()].filter(({ active }) => active);
  const rows = inherited.map((record) => [record.slug, { ...record, inherited: true as const }] as const);
  return new Map([...rows, ...owner.integrations]);
}
