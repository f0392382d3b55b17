import { isObject, type JsonObject } from "../../../../base/json.ts";
import { type Owner, ownerName } from "../../../../model/owner.ts";
import type { Problem } from "../../../../model/types.ts";
import { unusable } from "../foreign.ts";
import {
  archiving,
  type ConfigLevel,
  type Configuration,
  type SectionTable,
  sectionTable,
  stepInto,
} from "./configuration.ts";

/** A resource of a section; the name is empty for a section that is one resource. */
export interface SectionResource {
  readonly section: string;
  readonly name: string;
  readonly table: SectionTable;
  readonly value: unknown;
}

/** The settings of a project in gitlabform. */
export interface Effective {
  /** By section and name; unmanaged sections are missing. */
  readonly resources: ReadonlyMap<string, SectionResource>;
  readonly isArchived: boolean;
  /** The sections with `skip: true`. */
  readonly skipped: ReadonlySet<string>;
  /** The levels that contribute to it, the most specific first. */
  readonly levels: readonly ConfigLevel[];
}

/**
 * Merges the levels of a configuration for a project as gitlabform does, from the widest to the nearest, so that
 * `inherit: false` cuts off all levels above (gitlabform merges `*` in again after several levels of groups).
 */
export function effectiveIn({ levels, skipGroups }: Configuration): (project: string) => Effective {
  const byKey = new Map(levels.map((level) => [level.key.toLowerCase(), level]));
  const patterns = levels.map(keyOf).filter(({ form }) => form === "pattern");
  const levelOf = (key: string) => byKey.get(key.toLowerCase());
  return (project) => {
    const folder = project.slice(0, project.lastIndexOf("/"));
    const paths = folder.split("/").map((_, index, segments) => segments.slice(0, index + 1).join("/"));
    const isSkipped = isSkippedName(skipGroups, folder);
    const common = isSkipped ? undefined : levelOf("*");
    const groups = isSkipped ? [] : paths.flatMap((path) => levelOf(`${path}/*`) ?? []);
    // Else the pattern with the longest prefix before a star, then the fewest stars.
    const own = levelOf(project) ?? patterns.filter(({ path }) => isLike(path, project)).toSorted(byRank)[0]?.level;
    const applied = [own, ...groups.toReversed(), common].filter((level) => level !== undefined);
    const merged = applied.reduceRight<JsonObject>((above, { config }) => mergeConfig(above, config), {});
    const { [archiving.section]: state, ...sections } = merged;
    const isArchived = isObject(state) && state[archiving.flag] === true;
    // `skip: true` disables the whole section, and so does a `skip` that is neither true nor false, which is reported.
    const isSkip = (body: unknown) => isObject(body) && body.skip !== undefined && body.skip !== false;
    const skipped = new Set(Object.keys(sections).filter((section) => isSkip(sections[section])));
    return {
      resources: isArchived ? new Map() : listResources(without(sections, ...skipped)),
      isArchived,
      skipped,
      levels: applied,
    };
  };
}

/** Mappings are merged key by key, other values are replaced; `inherit: false` replaces its whole mapping. */
function mergeConfig(general: JsonObject, specific: JsonObject): JsonObject {
  if (Object.hasOwn(specific, "inherit") && !specific.inherit) return mergeConfig({}, without(specific, "inherit"));
  const result: Record<string, unknown> = Object.assign(Object.create(null), general);
  for (const [key, value] of Object.entries(specific)) {
    const above = result[key];
    result[key] = isObject(value) ? mergeConfig(isObject(above) ? above : {}, value) : value;
  }
  return result;
}

function without(config: JsonObject, ...left: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(config).filter(([key]) => !left.includes(key)));
}

function listResources(config: JsonObject): ReadonlyMap<string, SectionResource> {
  const resources: SectionResource[] = [];
  for (const [section, body] of Object.entries(config)) {
    if (!isObject(body)) continue;
    const own = without(body, "inherit", "skip");
    const table = sectionTable(section) ?? {};
    const { parts = {} } = table;
    const rest = Object.keys(parts).reduce((left, path) => withoutPart(left, path.split(".")), own);
    const named = table.one ? [["", rest] as const] : Object.entries(rest);
    resources.push(...named.map(([name, value]) => ({ section, name, table, value })));
    for (const [path, part] of Object.entries(parts))
      for (const [name, value] of listPart(own, path))
        resources.push({ section: `${section}.${path}`, name, table: part, value });
  }
  return new Map(resources.map((each) => [`${each.section}/${each.name}`, each]));
}

/** Removes a section within another, and `enforce` beside it; a mapping that is then empty goes too. */
function withoutPart(body: JsonObject, [first = "", ...path]: readonly string[]): JsonObject {
  if (path.length === 0) return without(body, first, "enforce");
  if (!Object.hasOwn(body, first)) return body;
  const inner = body[first];
  const rest = isObject(inner) ? withoutPart(inner, path) : inner;
  return isObject(rest) && Object.keys(rest).length === 0 ? without(body, first) : { ...body, [first]: rest };
}

/** The resources of a section within another; `enforce` of the mapping around it is that of the section. */
function listPart(body: JsonObject, path: string): readonly (readonly [name: string, value: unknown])[] {
  const steps = path.split(".");
  const [around, value] = [steps.slice(0, -1), steps].map((each) => each.reduce<unknown>(stepInto, body));
  const enforce = stepInto(around, "enforce");
  const other = value === undefined ? [] : [["", value] as const];
  const listed = Array.isArray(value) ? value.map((key) => [String(key), {}] as const) : other;
  const own = isObject(value) ? Object.entries(without(value, "inherit", "skip")) : listed;
  return enforce === undefined ? own : [...own, ["enforce", enforce]];
}

/** Parts of a level that gitlabform would reject. */
export function faultsOf({ config, place }: ConfigLevel): readonly Problem[] {
  const fault = (message: string, ...path: readonly string[]) => unusable(place(...path), message);
  if (Object.hasOwn(config, "inherit")) return [fault("inherit stands in a section, not here", "inherit")];
  const problems = pathsOfInherit(config).map((path) => fault("inherit can only be false", ...path));
  const { integrations } = config;
  if (integrations === undefined || integrations === null) return problems;
  if (!isObject(integrations)) return [fault("expected integrations to be a mapping", "integrations")];
  const bare = Object.keys(integrations).filter(
    (slug) => !isObject(integrations[slug]) && !/^(?:inherit|skip)$/.test(slug),
  );
  const expected = (slug: string) => `expected ${slug} to be a mapping of parameters, or delete: true`;
  return [...bare.map((slug) => fault(expected(slug), "integrations", slug)), ...problems];
}

/** Locations at which `inherit` is not false. */
function pathsOfInherit(config: JsonObject): readonly (readonly string[])[] {
  return Object.entries(config).flatMap(([key, value]): readonly (readonly string[])[] => {
    if (key === "inherit") return value ? [[key]] : [];
    return isObject(value) ? pathsOfInherit(value).map((path) => [key, ...path]) : [];
  });
}

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

/** Sorts the most specific pattern first. */
export function byRank({ path: a }: Key, { path: b }: Key): number {
  return b.indexOf("*") - a.indexOf("*") || countStars(a) - countStars(b) || (a > b ? -1 : Number(a < b));
}

function countStars(pattern: string): number {
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

/** True if a skip list contains a name: `a/*` matches everything that begins with `a`. */
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

/** The globs for what the skip lists contain; subgroups of a skipped group are separate groups. */
export function skippedGlobs({ skipProjects, skipGroups }: Configuration, owner: Owner): readonly string[] {
  const convert = (entry: string, below: string, glob: string) =>
    entry.endsWith("/*") ? `${entry.slice(0, -2)}${below}` : glob;
  if (owner === "group")
    return skipGroups.map((entry) => ownerName("group", convert(entry, "{*,*/**}", globFor(entry))));
  const globWithin = (entry: string) => (entry.endsWith("*") ? globFor(`${entry}/*`) : `${globFor(entry)}/*`);
  return [
    ...skipProjects.map((entry) => convert(entry, "*/**", globFor(entry))),
    ...skipGroups.map((entry) => convert(entry, "*/**", globWithin(entry))),
  ];
}
