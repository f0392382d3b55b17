import type { ConfigLevel } from "./configuration.ts";

/** What a key of `projects_and_groups` means. */
export interface Key {
  readonly level: ConfigLevel;
  readonly form: "common" | "group" | "pattern" | "project";
  /** Of the group or project; a pattern as it is written. */
  readonly path: string;
}

/** As gitlabform reads it. */
export function keyOf(level: ConfigLevel): Key {
  const { key } = level;
  if (key === "*") return { level, form: "common", path: "" };
  if (key.endsWith("/*")) return { level, form: "group", path: key.slice(0, -2) };
  return { level, form: key.includes("*") ? "pattern" : "project", path: key };
}

/** The pattern that counts for a project: the longest text before a star, then the fewest stars. */
export function patternFor(patterns: readonly Key[], project: string): Key | undefined {
  return patterns.filter(({ path }) => isLike(path, project)).toSorted(byRank)[0];
}

/** The pattern that wins comes first. */
export function byRank({ path: a }: Key, { path: b }: Key): number {
  return b.indexOf("*") - a.indexOf("*") || starsIn(a) - starsIn(b) || (a > b ? -1 : Number(a < b));
}

function starsIn(pattern: string): number {
  return pattern.split("*").length - 1;
}

/** A star stands for any text, slashes too; case does not count. */
function isLike(pattern: string, text: string): boolean {
  const [first = "", ...others] = pattern.toLowerCase().split("*");
  let rest = text.toLowerCase();
  if (!rest.startsWith(first)) return false;
  rest = rest.slice(first.length);
  const last = others.pop();
  if (last === undefined) return rest === "";
  for (const part of others) {
    const at = rest.indexOf(part);
    if (at < 0) return false;
    rest = rest.slice(at + part.length);
  }
  return rest.endsWith(last);
}

/** Whether a list of names to skip has it: `a/*` is everything that begins with `a`. */
export function isSkippedName(skipped: readonly string[], name: string): boolean {
  const lower = name.toLowerCase();
  return skipped.some((each) => {
    const own = each.toLowerCase();
    if (own === lower) return true;
    return own.endsWith("/*") ? lower.startsWith(own.slice(0, -2)) : own.includes("*") && isLike(own, lower);
  });
}

/** Evenkeel's glob for a pattern: a star of theirs stays in its folder, one of gitlabform's does not. */
export function globFor(pattern: string): string {
  return pattern.replace(/\*$/, "{*,*/**}").replace(/\*(?![*/,}])/g, "{*,*/**/*}");
}

/** The glob for an entry of a list of projects to skip. */
export function skippedProjects(entry: string): string {
  return entry.endsWith("/*") ? `${entry.slice(0, -2)}*/**` : globFor(entry);
}

/** The glob for the projects of the groups that an entry of a list of groups to skip means; subgroups are groups of their own. */
export function skippedGroups(entry: string): string {
  if (entry.endsWith("/*")) return `${entry.slice(0, -2)}*/**`;
  return entry.endsWith("*") ? globFor(`${entry}/*`) : `${globFor(entry)}/*`;
}
