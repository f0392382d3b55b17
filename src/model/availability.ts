import type { Integration } from "./integration.ts";
import { compareReleases } from "./releases.ts";
import type { Platform, Tier } from "./types.ts";

const tiers: readonly Tier[] = ["free", "premium", "ultimate"];

/** True if `tier` includes the features of `needed`. An unknown tier includes everything. */
export function tierIncludes(tier: Tier | undefined, needed: Tier): boolean {
  return tier === undefined || tiers.indexOf(tier) >= tiers.indexOf(needed);
}

export const licenseTier: Tier = "ultimate";

/** True if a storage move to a cluster requires direct-fetch replication (docs/api.md#rules-for-moving, rule 6). */
export function needsDirectFetch(release: string): boolean {
  return compareReleases(release, "13.12") >= 0 && compareReleases(release, "14.2") < 0;
}

/** Completes a sentence about a feature that a release lacks. */
export function serverWords({ release, isReleaseAssumed }: Platform): string {
  return `the server is ${release}${isReleaseAssumed ? " unless server.release says otherwise" : ""}`;
}

/** A sentence on why this platform does not have the integration; undefined if it does. */
export function unavailable(
  integration: Integration,
  platform: Platform,
): { rule: "release" | "tier" | "environment"; message: string } | undefined {
  const { slug, introduced, removed, tier, environment } = integration;
  const early = unavailableBefore(`${slug} exists`, introduced, platform);
  if (early) return { rule: "release", message: early };
  if (removed && compareReleases(platform.release, removed) >= 0) {
    return { rule: "release", message: `${slug} was removed in release ${removed}; ${serverWords(platform)}` };
  }
  if (!tierIncludes(platform.tier, tier)) {
    return { rule: "tier", message: `${slug} needs tier ${tier}; the server is ${platform.tier}` };
  }
  if (environment && platform.environment !== environment) {
    return { rule: "environment", message: `${slug} exists only in the ${environment} environment` };
  }
  return undefined;
}

/** A sentence, starting with `what`, on why this platform does not have a feature of a later release; undefined if it does. */
export function unavailableBefore(
  what: string,
  introduced: string | undefined,
  platform: Platform,
): string | undefined {
  if (!introduced || compareReleases(platform.release, introduced) >= 0) return undefined;
  return `${what} from release ${introduced} on; ${serverWords(platform)}`;
}
