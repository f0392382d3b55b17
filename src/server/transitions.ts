import { json, refused, type ServerReply } from "./reply.ts";
import type { DeploymentRecord } from "./state.ts";

/** How deployed servers call the change to a status, and from which statuses they allow it; undefined: from any other. */
const changes: Readonly<Record<string, { readonly event: string; readonly from?: readonly string[] }>> = {
  running: { event: "run", from: ["created", "blocked"] },
  success: { event: "succeed" },
  failed: { event: "drop" },
  canceled: { event: "cancel" },
};

/** Why deployed servers do not change a deployment so; undefined where they do. */
export function changeOf(current: string, wanted: string): ServerReply | undefined {
  const change = changes[wanted];
  if (!change || (change.from?.includes(current) ?? current !== wanted)) return undefined;
  return json(400, { message: { status: [`cannot transition via "${change.event}"`] } });
}

/** A deployment that a CI/CD job made is not changed by the API of deployed servers. */
export function jobOwned({ deployable }: DeploymentRecord): ServerReply | undefined {
  if (!deployable) return undefined;
  return refused(403, "Forbidden - Deployments created by CI/CD jobs cannot be updated with the API");
}
