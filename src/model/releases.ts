import semver from "semver";

/** Compares releases such as `14.5` and `14.5.2`; a missing patch level is 0. Negative, zero or positive. */
export function compareReleases(a: string, b: string): number {
  return semver.compare(fullRelease(a), fullRelease(b));
}

function fullRelease(release: string): string {
  return release.split(".").length === 2 ? `${release}.0` : release;
}

/** Whether a release that somebody stated, be it without a patch level, is the one that a server has. */
export function isRelease(stated: string, actual: string): boolean {
  return fullRelease(actual).split(".").slice(0, stated.split(".").length).join(".") === stated;
}
