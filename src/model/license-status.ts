import { removalOf } from "./deprecations.ts";
import { compareReleases } from "./releases.ts";

/** The approval statuses of a managed license (docs/api.md#managed-licenses). */
export const licenseStatuses = ["allowed", "denied"] as const;

/** The deprecated words for them, and today's. */
export const legacyStatuses: ReadonlyMap<string, string> = new Map([
  ["approved", "allowed"],
  ["blacklisted", "denied"],
]);

/** Today's words, and the only ones that servers of 13.x take. */
export const olderStatuses: ReadonlyMap<string, string> = new Map(
  [...legacyStatuses].map(([older, word]) => [word, older]),
);

/** The release that removes the deprecated words (docs/api.md#removals). */
export const legacyRemoval = removalOf("license-status-approved");

/** Whether servers of this release still take the deprecated words. */
export function hasLegacyStatuses(release: string): boolean {
  return compareReleases(release, legacyRemoval) < 0;
}
