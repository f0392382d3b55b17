import { integrations } from "./catalogue.ts";
import type { CallFailed } from "./client/failure.ts";
import { endpoints } from "./endpoints.ts";
import { kinds } from "./kinds.ts";
import type { Tier } from "./model.ts";

/** A failed call's own sentence and, where the server says 403, what the platform would need to say yes. */
export function explained(failure: CallFailed): string {
  if (failure.status !== 403) return failure.message;
  const needed = neededTier(failure.url);
  return needed ? `${failure.message}; ${needed}` : failure.message;
}

const licensesSegment = endpoints.listLicenses.path.split("/").at(-1) ?? "";

function neededTier(url: string): string | undefined {
  const segments = new URL(url).pathname.split("/").map(decodeURIComponent);
  const integration = integrations.get(segments.at(-1) ?? "");
  if (integration) return needs(integration.slug, integration.tier);
  return segments.includes(licensesSegment) ? needs("the managed license list", kinds.license.tier) : undefined;
}

function needs(what: string, tier: Tier): string | undefined {
  return tier === "free" ? undefined : `${what} needs tier ${tier}`;
}
