import { type Owner, ownerName } from "../../../model/owner.ts";
import type { Configuration } from "./configuration.ts";
import { byRank, globFor, groupsSkipped, type Key, skippedGroups, skippedProjects } from "./keys.ts";

/** The selectors of what a key applies to. */
export function selectorsOf({ form, path }: Key, owner: Owner): readonly string[] {
  if (form === "common") return [ownerName(owner, "**")];
  if (form === "group") return [ownerName(owner, `${path}/**`)];
  return [form === "pattern" ? globFor(path) : path];
}

/** Skipped projects; for a pattern also those of more specific patterns, and of groups with their own settings. */
export function excludedBy(
  key: Key,
  keys: readonly Key[],
  configuration: Configuration,
  owner: Owner,
): readonly string[] {
  if (key.form === "project") return [];
  const others = key.form === "pattern" ? [...winners(key, keys), ...groupsWithin(key, keys)] : [];
  const globs = [...skippedIn(configuration, owner), ...others.flatMap((other) => selectorsOf(other, owner))];
  return globs.filter((glob) => mayMeet(fixedPart(glob), fixedPart(selectorsOf(key, owner)[0] ?? "")));
}

function skippedIn({ skipProjects, skipGroups }: Configuration, owner: Owner): readonly string[] {
  if (owner === "group") return skipGroups.map(groupsSkipped);
  return [...skipProjects.map(skippedProjects), ...skipGroups.map(skippedGroups)];
}

function winners(key: Key, keys: readonly Key[]): readonly Key[] {
  return keys.filter(
    (other) =>
      other.form === "pattern" && byRank(other, key) < 0 && mayMeet(fixedPart(other.path), fixedPart(key.path)),
  );
}

/** Groups below the folder of a pattern that may contain matches; their settings affect those projects. */
export function groupsWithin({ path }: Key, keys: readonly Key[]): readonly Key[] {
  const folder = fixedPart(path).replace(/[^/]*$/, "");
  return keys.filter((key) => {
    const group = `${key.path.toLowerCase()}/`;
    return key.form === "group" && group !== folder && group.startsWith(folder) && mayMeet(group, fixedPart(path));
  });
}

function fixedPart(glob: string): string {
  return glob.toLowerCase().split(/[*{]/)[0] ?? "";
}

function mayMeet(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a);
}
