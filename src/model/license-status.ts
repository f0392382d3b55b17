import { compareReleases } from "./releases.ts";

/** Deprecated approval statuses of managed licenses, and their current names (docs/api.md#managed-licenses). */
export const legacyStatuses: ReadonlyMap<string, string> = new Map([
  ["approved", "allowed"],
  ["blacklisted", "denied"],
]);

/** Deprecated names by current name: the only ones that servers of 13.x accept. */
export const olderStatuses: ReadonlyMap<string, string> = new Map(
  [...legacyStatuses].map(([older, word]) => [word, older]),
);

/** The release that removes the deprecated names (docs/api.md#removals), as the schedule of removals has it. */
export const legacyRemoval = "15.0";

/** True if servers of this release still accept the deprecated names. */
export function hasLegacyStatuses(release: string): boolean {
  return compareReleases(release, legacyRemoval) < 0;
}
