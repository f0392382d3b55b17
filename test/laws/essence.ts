import type { Plan } from "../../src/plan/plan.ts";

/** A plan without what tells where things are written. */
export function essenceOf({ plan }: { readonly plan: Plan }) {
  const { manifests: _, created_at: __, digest: ___, warnings, problems, ...rest } = plan;
  const changes = rest.resource_changes.map(({ source: _, set_at: __, ...change }) => change);
  return { ...rest, resource_changes: changes, told: told([...warnings, ...problems]) };
}

/** Warnings and problems without places, and not in their order: both change with the order of files. */
function told(problems: Plan["problems"]): string[] {
  return problems.map(({ rule, message, project = "" }) => `${rule} ${project} ${withoutPlaces(message)}`).sort();
}

function withoutPlaces(message: string): string {
  return message.replace(/\S+\.yaml:\d+(:\d+)?/g, "a place");
}
