import { isObject } from "../../../base/json.ts";
import type { Owner } from "../../../model/owner.ts";
import type { Problem } from "../../../model/types.ts";
import { notImported } from "../foreign.ts";
import type { Effective } from "./inherit.ts";
import type { Key } from "./keys.ts";
import { archiving, ownerOfSection } from "./sections.ts";
import { isEmptyValue } from "./values.ts";

/** Reports that nothing of a key of `projects_and_groups` counts. */
export function leftKey({ level }: Key, why: string): readonly Problem[] {
  return [notImported(level.place(), `${level.key} is left out: ${why}`)];
}

/** Reports that a pattern does not count for groups with their own settings. */
export function overlap({ level }: Key, groups: readonly Key[]): readonly Problem[] {
  if (groups.length === 0) return [];
  const where = groups.map((group) => group.level.key).join(", ");
  const message = `${level.key} is left out for projects in ${where}, which have settings of their own`;
  return [notImported(level.place(), message)];
}

/** Sections about groups count below `*` and `GROUP/*`. */
export function isAbout({ form }: Key, owner: Owner): boolean {
  return owner === "project" || form === "common" || form === "group";
}

/** Reports the sections of a key of which nothing counts. */
export function unreadSections(
  key: Key,
  { isArchived, skipped }: Pick<Effective, "isArchived" | "skipped">,
): readonly Problem[] {
  if (isArchived) return leftKey(key, `${archiving.section}.${archiving.flag} is true`);
  const { level } = key;
  const { [archiving.section]: _, ...sections } = level.config;
  return Object.entries(sections).flatMap(([section, body]) => {
    const isMeant = isAbout(key, ownerOfSection(section));
    const why = isMeant ? misfit(body, skipped.has(section)) : "gitlabform reads it below * and GROUP/* only";
    return why === undefined ? [] : [notImported(level.place(section), `${section} is left out here: ${why}`)];
  });
}

function misfit(body: unknown, isSkipped: boolean): string | undefined {
  if (isEmptyValue(body)) return "it is empty";
  if (!isObject(body)) return "expected a mapping";
  const { skip, ...others } = body;
  if (skip !== undefined && typeof skip !== "boolean") return "expected skip to be true or false";
  if (!isSkipped || Object.keys(others).length === 0) return undefined;
  return skip ? "it has skip: true" : "it inherits skip: true";
}
