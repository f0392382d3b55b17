import { ownerName } from "../../../../model/owner.ts";
import type { ConfigLevel } from "./configuration.ts";

/** A parsed key of `projects_and_groups`. */
export interface Key {
  readonly level: ConfigLevel;
  readonly form: "common" | "group" | "pattern" | "project";
  /** The path of the group or project, or the pattern. */
  readonly path: string;
}

export function keyOf(level: ConfigLevel): Key {
  const { key } = level;
  if (key === "*") return { level, form: "common", path: "" };
  if (key.endsWith("/*")) return { level, form: "group", path: key.slice(0, -2) };
  return { level, form: key.includes("*") ? "pattern" : "project", path: key };
}

/** The pattern in effect for a project: the longest prefix before a star, then the fewest stars. */
export function patternFor(patterns: readonly Key[], project: string): Key | undefined {
  return patterns.filter(({ path }) => isLike(path, project)).toSorted(byRank)[0];
}

/** Sorts the most specific pattern first. */
export function byRank({ path: a }: Key, { path: b }: Key): number {
  return b.indexOf("*") - a.indexOf("*") || starsIn(a) - starsIn(b) || (a > b ? -1 : Number(a < b));
}

function starsIn(pattern: string): number {
  return pattern.split("*").length - 1;
}

/** A star matches any text, including slashes; case-insensitive. */
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

/** Whether a skip list contains a name: `a/*` matches everything that begins with `a`. */
export function isSkippedName(skipped: readonly string[], name: string): boolean {
  const lower = name.toLowerCase();
  return skipped.some((each) => {
    const own = each.toLowerCase();
    if (own === lower) return true;
    return own.endsWith("/*") ? lower.startsWith(own.slice(0, -2)) : own.includes("*") && isLike(own, lower);
  });
}

/** Evenkeel's glob for a pattern: gitlabform's stars also match slashes. */
export function globFor(pattern: string): string {
  return pattern.replace(/\*$/, "{*,*/**}").replace(/\*(?![*/,}])/g, "{*,*/**/*}");
}

/** The glob for an entry of `skip_projects`. */
export function skippedProjects(entry: string): string {
  return entry.endsWith("/*") ? `${entry.slice(0, -2)}*/**` : globFor(entry);
}

/** The selector of the groups of an entry of `skip_groups`. */
export function groupsSkipped(entry: string): string {
  const glob = entry.endsWith("/*") ? `${entry.slice(0, -2)}{*,*/**}` : globFor(entry);
  return ownerName("group", glob);
}

/** The glob for the projects of an entry of `skip_groups`; subgroups are separate groups. */
export function skippedGroups(entry: string): string {
  if (entry.endsWith("/*")) return `${entry.slice(0, -2)}*/**`;
  return entry.endsWith("*") ? globFor(`${entry}/*`) : `${globFor(entry)}/*`;
}
