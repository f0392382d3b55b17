import type { JsonObject } from "../base/json.ts";
import { environmentSlug } from "./environment-slug.ts";
import type { DeploymentRecord } from "./state.ts";
import type { World } from "./world.ts";

/** A row of the list of deployments (docs/api.md#deployments); deployed servers say more of the environment. */
export function listRow(
  { behaviour }: World,
  { tag: _, finished_at: __, ...deployment }: DeploymentRecord,
): JsonObject {
  if (!behaviour.environmentSlugs) return deployment;
  const { environment, user } = deployment;
  return {
    ...deployment,
    user: { ...user, avatar_url: user.avatar_url || null },
    environment: {
      ...environment,
      slug: environmentSlug(environment.name),
      external_url: environment.external_url || null,
    },
  };
}

/** As in a list, but for a field of the job's user that only a list shows. */
export function singleRow(world: World, record: DeploymentRecord): JsonObject {
  const { deployable } = record;
  if (!deployable) return listRow(world, record);
  const { public_email: _, ...user } = deployable.user as JsonObject;
  return { ...listRow(world, record), deployable: { ...deployable, user } };
}

/** The answer of a create or an update (docs/api.md#deployments). */
export function writtenRow(world: World, record: DeploymentRecord): JsonObject {
  const { updated_at, ...row } = listRow(world, record);
  return { ...row, ...(world.behaviour.fullDeployments && { updated_at }), deployable: null };
}
