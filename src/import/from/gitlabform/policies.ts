import { grouped } from "../../../base/grouped.ts";
import { canonical, isObject } from "../../../base/json.ts";
import { type Selector, selectorOf } from "../../../manifest/selector.ts";
import { type Owner, ownerName, owners } from "../../../model/owner.ts";
import type { Problem } from "../../../model/types.ts";
import { notImported } from "../foreign.ts";
import type { ConfigLevel, Configuration } from "./configuration.ts";
import { type Effective, effectiveIn } from "./inherit.ts";
import {
  byRank,
  globFor,
  groupsSkipped,
  isSkippedName,
  type Key,
  keyOf,
  skippedGroups,
  skippedProjects,
} from "./keys.ts";
import { ownerOfSection, sectionAndName, sectionTable } from "./sections.ts";

/** One resource as policies have to declare it: complete, because policies do not merge entries. */
export interface Statement {
  readonly key: Key;
  /** Its section and name. */
  readonly id: string;
  /** Its merged parameters. */
  readonly value: unknown;
  /** The levels that contribute to it, the most specific first. */
  readonly levels: readonly ConfigLevel[];
  readonly owner: Owner;
  /** Selectors; those of groups have a slash behind. */
  readonly projects: readonly string[];
  readonly except: ReadonlySet<string>;
}

interface Growing extends Statement {
  readonly selectors: readonly Selector[];
  readonly except: Set<string>;
}

/**
 * Converts gitlabform's levels to statements of policies: each level states what differs from
 * the levels above, and a statement excludes the projects for which a level removes it.
 */
export function statementsOf(configuration: Configuration): {
  readonly statements: readonly Statement[];
  readonly problems: readonly Problem[];
} {
  const all = configuration.levels.map(keyOf);
  const usable = all.filter((key) => whyUnusable(key) === undefined).toSorted(byWidth);
  const effective = effectiveIn(configuration);
  const statements = owners.flatMap((owner) => statementsFor(owner, usable, configuration, effective));
  const unusable = all.flatMap((key) => {
    const why = whyUnusable(key);
    return why === undefined ? [] : [notImported(key.level.place(), `${key.level.key} is left out: ${why}`)];
  });
  return { statements, problems: [...unusable, ...overlaps(usable), ...unreadSections(usable)] };
}

function statementsFor(
  owner: Owner,
  keys: readonly Key[],
  configuration: Configuration,
  effective: (project: string) => Effective,
): readonly Statement[] {
  const statements = new Map<string, Growing[]>();
  for (const key of keys) {
    if (isLeftAlone(configuration, key) || !isAbout(key, owner)) continue;
    const except = exceptionsOf(key, keys, configuration, owner);
    const { resources, levels } = effective(sampleOf(key));
    const own = Object.entries(resources).filter(([id]) => ownerOfSection(sectionAndName(id)[0]) === owner);
    const placed = { key, owner, projects: selectorsOf(key, owner), except };
    place(placed, { resources: Object.fromEntries(own), levels }, statements);
  }
  return [...statements.values()].flat();
}

/** Sections about groups count below `*` and `GROUP/*`. */
function isAbout({ form }: Key, owner: Owner): boolean {
  return owner === "project" || form === "common" || form === "group";
}

function unreadSections(keys: readonly Key[]): readonly Problem[] {
  return keys.flatMap((key) => {
    const { level } = key;
    return Object.entries(level.config).flatMap(([section, body]) => {
      const why = isAbout(key, ownerOfSection(section)) ? misfit(body) : "gitlabform reads it below * and GROUP/* only";
      return why === undefined ? [] : [notImported(level.place(section), `${section} is left out here: ${why}`)];
    });
  });
}

function misfit(body: unknown): string | undefined {
  return body === null || isObject(body) ? undefined : "expected a mapping";
}

type Placed = Pick<Growing, "key" | "owner" | "projects"> & { readonly except: readonly string[] };

function place(placed: Placed, { resources, levels }: Effective, statements: Map<string, Growing[]>): void {
  const { key, owner, projects, except } = placed;
  const sample = ownerName(owner, sampleOf(key));
  for (const id of new Set([...Object.keys(resources), ...statements.keys()])) {
    const known = statements.get(id) ?? [];
    const applying = known.filter((each) => each.key.form !== "project" && literalOf(each, sample) !== undefined);
    const value = resources[id];
    const replaced = applying.filter((each) => value === undefined || addsFields(each, value));
    for (const each of replaced) for (const project of projects) each.except.add(project);
    if (value !== undefined && !isSame(value, nearest(applying, sample)?.value))
      known.push({
        key,
        owner,
        id,
        value,
        levels,
        projects,
        selectors: projects.map((each) => selectorOf(each)),
        except: new Set(except),
      });
    statements.set(id, known);
  }
}

/** Policies merge a section that is one resource by field: no field of a wider one may be left that this one lacks. */
function addsFields({ id, value: wider }: Statement, value: unknown): boolean {
  const [section] = sectionAndName(id);
  if (!sectionTable(section)?.one || !isObject(wider) || !isObject(value)) return false;
  return Object.keys(wider).some((name) => !Object.hasOwn(value, name));
}

function isSame(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

/** How specific a statement is for a project; undefined where it does not apply. */
function literalOf({ selectors, except }: Growing, project: string): number | undefined {
  if ([...except].some((each) => isMeant(selectorOf(each), project))) return undefined;
  const literals = selectors.filter((each) => isMeant(each, project)).map(lengthOf);
  return literals.length === 0 ? undefined : Math.max(...literals);
}

function isMeant(selector: Selector, project: string): boolean {
  if (selector.form === "id") return false;
  return selector.form === "path" ? selector.path === project.toLowerCase() : selector.matches(project.toLowerCase());
}

function lengthOf(selector: Selector): number {
  return selector.form === "glob" ? selector.literal : Number.POSITIVE_INFINITY;
}

function nearest(applying: readonly Growing[], project: string): Growing | undefined {
  const by = (each: Growing) => literalOf(each, project) ?? 0;
  return applying.toSorted((a, b) => by(b) - by(a))[0];
}

const widths = ["common", "group", "pattern", "project"] as const;

/** Sorts the widest first, and the most specific pattern last. */
function byWidth(a: Key, b: Key): number {
  const width = widths.indexOf(a.form) - widths.indexOf(b.form);
  if (width !== 0 || a.form === "project") return width;
  return a.form === "pattern" ? byRank(b, a) : depthOf(a) - depthOf(b);
}

function depthOf({ path }: Key): number {
  return path.split("/").length;
}

/** Replaces a wildcard; no path of a project contains it. */
const anything = "~";

/** A path that the key matches, and no more specific one. */
function sampleOf({ form, path }: Key): string {
  if (form === "common") return `${anything}/${anything}/${anything}`;
  return form === "group" ? `${path}/${anything}/${anything}` : path.replaceAll("*", anything);
}

function selectorsOf({ form, path }: Key, owner: Owner): readonly string[] {
  if (form === "common") return [ownerName(owner, "**")];
  if (form === "group") return [ownerName(owner, `${path}/**`)];
  return [form === "pattern" ? globFor(path) : path];
}

function isLeftAlone({ skipProjects }: Configuration, { form, path }: Key): boolean {
  return form === "project" && isSkippedName(skipProjects, path);
}

/** Skipped projects; for a pattern also those of more specific patterns, and of groups with their own settings. */
function exceptionsOf(key: Key, keys: readonly Key[], configuration: Configuration, owner: Owner): readonly string[] {
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
function groupsWithin({ path }: Key, keys: readonly Key[]): readonly Key[] {
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

function whyUnusable({ form, path }: Key): string | undefined {
  if (/[?[\]{}\\]/.test(path)) return "no path of a group or project has such characters";
  if (form === "group" && path.includes("*")) return "gitlabform takes no wildcards in the name of a group";
  return form === "project" && !path.includes("/") ? "expected GROUP/PROJECT, GROUP/* or *" : undefined;
}

function overlaps(keys: readonly Key[]): readonly Problem[] {
  return keys.flatMap((key) => {
    const groups = key.form === "pattern" ? groupsWithin(key, keys).map(({ level }) => level.key) : [];
    if (groups.length === 0) return [];
    const where = groups.join(", ");
    return [
      notImported(
        key.level.place(),
        `${key.level.key} is left out for projects in ${where}, which have settings of their own`,
      ),
    ];
  });
}

/** Statements that belong into one policy. */
export function byPolicy(statements: readonly Statement[]): readonly (readonly [Statement, ...Statement[]])[] {
  const sorted = (each: Statement) => JSON.stringify([each.key.level.key, each.owner, [...each.except].sort()]);
  return [...grouped(statements, sorted).values()].flatMap(([first, ...others]) => (first ? [[first, ...others]] : []));
}
