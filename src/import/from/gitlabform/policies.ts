import { grouped } from "../../../base/grouped.ts";
import { canonical, isObject } from "../../../base/json.ts";
import { type Selector, selectorOf } from "../../../manifest/selector.ts";
import { type Owner, ownerName, owners } from "../../../model/owner.ts";
import type { Problem } from "../../../model/types.ts";
import type { Configuration } from "./configuration.ts";
import { excludedBy, groupsWithin, selectorsOf } from "./exceptions.ts";
import { type Effective, effectiveIn } from "./inherit.ts";
import { byRank, isSkippedName, type Key, keyOf } from "./keys.ts";
import { ownerOfSection, sectionAndName, sectionTable } from "./sections.ts";
import { type Statement, statesItself } from "./statement.ts";
import { isAbout, leftKey, overlap, unreadSections } from "./unread.ts";

/** What the keys of a configuration state. */
interface Statements {
  readonly statements: readonly Statement[];
  /** What a level states although less specific ones come to the same: policies have it already. */
  readonly repeated: readonly Statement[];
}

interface Growing extends Statement {
  readonly selectors: readonly Selector[];
  readonly except: Set<string>;
}

/**
 * Converts gitlabform's levels to statements of policies: each level states what differs from
 * the levels above, and a statement excludes the projects for which a level removes it.
 */
export function statementsOf(configuration: Configuration): Statements & { readonly problems: readonly Problem[] } {
  const effective = effectiveIn(configuration);
  const left = new Map(configuration.levels.map(keyOf).map((key) => [key, whyLeft(key, configuration, effective)]));
  const used = [...left].flatMap(([key, why]) => (why === undefined ? [key] : [])).toSorted(byWidth);
  const stated = owners.map((owner) => statementsFor(owner, used, configuration, effective));
  const unused = [...left].flatMap(([key, why]) => (why === undefined ? [] : leftKey(key, why)));
  const unread = used.flatMap((key) => unreadSections(key, effective(sampleOf(key))));
  const overlaps = used.flatMap((key) => (key.form === "pattern" ? overlap(key, groupsWithin(key, used)) : []));
  return {
    statements: stated.flatMap(({ statements }) => statements),
    repeated: stated.flatMap(({ repeated }) => repeated),
    problems: [...unused, ...overlaps, ...unread],
  };
}

function statementsFor(
  owner: Owner,
  keys: readonly Key[],
  configuration: Configuration,
  effective: (project: string) => Effective,
): Statements {
  const statements = new Map<string, Growing[]>();
  const repeated: Statement[] = [];
  for (const key of keys) {
    if (!isAbout(key, owner)) continue;
    const except = excludedBy(key, keys, configuration, owner);
    const { resources, levels } = effective(sampleOf(key));
    const own = Object.entries(resources).filter(([id]) => ownerOfSection(sectionAndName(id)[0]) === owner);
    const placed = { key, owner, projects: selectorsOf(key, owner), except };
    repeated.push(...place(placed, { resources: Object.fromEntries(own), levels }, statements));
  }
  return { statements: [...statements.values()].flat(), repeated };
}

type Placed = Pick<Growing, "key" | "owner" | "projects"> & { readonly except: readonly string[] };

/** Adds the statements of a key; those that add nothing are returned. */
function place(
  placed: Placed,
  { resources, levels }: Pick<Effective, "resources" | "levels">,
  statements: Map<string, Growing[]>,
): readonly Statement[] {
  const { key, owner, projects, except } = placed;
  const repeated: Statement[] = [];
  const sample = ownerName(owner, sampleOf(key));
  for (const id of new Set([...Object.keys(resources), ...statements.keys()])) {
    const known = statements.get(id) ?? [];
    const applying = known.filter((each) => each.key.form !== "project" && literalOf(each, sample) !== undefined);
    const value = resources[id];
    const replaced = applying.filter((each) => value === undefined || addsFields(each, value));
    for (const each of replaced) for (const project of projects) each.except.add(project);
    statements.set(id, known);
    if (value === undefined) continue;
    const selectors = projects.map((each) => selectorOf(each));
    const statement = { key, owner, id, value, levels, projects, selectors, except: new Set(except) };
    if (!isSame(value, nearest(applying, sample)?.value)) known.push(statement);
    else if (statesItself(statement)) repeated.push(statement);
  }
  return repeated;
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

/** Why nothing of a key counts; undefined if it does. */
function whyLeft(
  key: Key,
  { skipProjects }: Configuration,
  effective: (project: string) => Effective,
): string | undefined {
  const why = whyUnusable(key);
  if (why !== undefined) return why;
  if (key.form === "project" && isSkippedName(skipProjects, key.path)) return "skip_projects contains it";
  if (effective(sampleOf(key)).levels.includes(key.level)) return undefined;
  return key.form === "pattern" ? "another pattern has the same projects" : "skip_groups contains it";
}

const expectedKey = "expected GROUP/PROJECT, GROUP/* or *";

/** Why a key is none of a group or project. */
function whyUnusable({ form, path }: Key): string | undefined {
  if (/[?[\]{}\\]/.test(path)) return "no path of a group or project has such characters";
  if (form === "group" && path.includes("*")) return "gitlabform takes no wildcards in the name of a group";
  return form === "project" && !/^[^/].*\/.*[^/]$/.test(path) ? expectedKey : undefined;
}

/** Statements that belong into one policy. */
export function byPolicy(statements: readonly Statement[]): readonly (readonly [Statement, ...Statement[]])[] {
  const sorted = (each: Statement) => JSON.stringify([each.key.level.key, each.owner, [...each.except].sort()]);
  return [...grouped(statements, sorted).values()].flatMap(([first, ...others]) => (first ? [[first, ...others]] : []));
}
