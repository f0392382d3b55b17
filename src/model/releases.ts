import { memoized } from "../base/memoize.ts";

export function isReleaseText(text: string): boolean {
  return /^\d{1,4}\.\d{1,4}(?:\.\d{1,4})?$/.test(text);
}

/** Compares releases such as `14.5` and `14.5.2`; a missing patch level is 0. Negative, zero or positive. */
export function compareReleases(a: string, b: string): number {
  const [one, other] = [numbersOf(a), numbersOf(b)];
  return one.major - other.major || one.minor - other.minor || one.patch - other.patch;
}

/** `014.5` is 14.5.0. */
const numbersOf = memoized((release: string) => {
  const [major = 0, minor = 0, patch = 0] = release.split(".").map(Number);
  return { major, minor, patch };
});

/** A release as a number for expressions: 1709 for 17.9.1. */
export function releaseNumber(release: string): number {
  const { major, minor } = numbersOf(release);
  return major * 100 + minor;
}

/** `17.9.1` is 17.9: patches add and remove nothing. */
export function minorOf(release: string): string {
  return release.split(".").slice(0, 2).join(".");
}

/** True if a configured release, possibly without a patch level, is that of a server. */
export function isRelease(stated: string, actual: string): boolean {
  const parts = stated.split(".").length;
  return compareReleases(stated, actual.split(".").slice(0, parts).join(".")) === 0;
}
