import semver from "semver";

/** Compares releases such as `14.5` and `14.5.2`; a missing patch level is 0. Negative, zero or positive. */
export function compareReleases(a: string, b: string): number {
  return semver.compare(fullRelease(a), fullRelease(b));
}

function fullRelease(release: string): string {
  return release.split(".").length === 2 ? `${release}.0` : release;
}
