import picomatch from "picomatch";
import type { GlobRules } from "../../src/base/glob.ts";

export const ofProjects: GlobRules = { crossing: false, cased: false, dots: true };
export const ofAddresses: GlobRules = { crossing: true, cased: false, dots: true };
const ofFiles: GlobRules = { crossing: false, cased: true, dots: false };

/** What globs of projects, addresses and files mean, and what a library said of them. */
export const globKinds: readonly (readonly [string, GlobRules, (glob: string) => (text: string) => boolean])[] = [
  ["projects", ofProjects, (glob) => picomatch(glob, { nocase: true, dot: true, noextglob: true, nonegate: true })],
  ["addresses", ofAddresses, (glob) => picomatch(glob, { nocase: true, bash: true, dot: true, noextglob: true })],
  ["files", ofFiles, (glob) => picomatch(glob)],
];
