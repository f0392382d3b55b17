import { grouped } from "../../../base/grouped.ts";
import { canonical } from "../../../base/json.ts";
import { type Selector, selectorOf } from "../../../manifest/selector.ts";
import type { Problem } from "../../../model/types.ts";
import { notImported } from "../foreign.ts";
import type { ConfigLevel, Configuration } from "./configuration.ts";
import { type Effective, effectiveIn } from "./inherit.ts";
import { byRank, globFor, isSkippedName, type Key, keyOf, skippedGroups, skippedProjects } from "./keys.ts";

/** One resource as policies have to declare it: complete, because policies do not merge entries. */
export interface Statement {
  readonly key: Key;
  /** Its section and name. */
  readonly id: string;
  /** Its merged parameters. */
  readonly value: unknown;
  /** The levels that contribute to it, the most specific first. */
  readonly levels: readonly ConfigLevel[];
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
  const statements = new Map<string, Growing[]>();
  for (const key of usable) {
    if (isLeftAlone(configuration, key)) continue;
    const placed = { key, projects: selectorsOf(key), except: exceptionsOf(key, usable, configuration) };
    place(placed, effective(sampleOf(key)), statements);
  }
  const unusable = all.flatMap((key) => {
    const why = whyUnusable(key);
    return why === undefined ? [] : [notImported(key.level.place(), `${key.level.key} is left out: ${why}`)];
  });
  return { statements: [...statements.values()].flat(), problems: [...unusable, ...overlaps(usable)] };
}

type Placed = Pick<Growing, "key" | "projects"> & { readonly except: readonly string[] };

function place(placed: Placed, { resources, levels }: Effective, statements: Map<string, Growing[]>): void {
  const { key, projects, except } = placed;
  const sample = sampleOf(key);
  for (const id of new Set([...Object.keys(resources), ...statements.keys()])) {
    const known = statements.get(id) ?? [];
    const applying = known.filter((each) => each.key.form !== "project" && literalOf(each, sample) !== undefined);
    const value = resources[id];
    if (value === undefined) for (const each of applying) for (const project of projects) each.except.add(project);
    else if (!isSame(value, nearest(applying, sample)?.value))
      known.push({
        key,
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

function selectorsOf({ form, path }: Key): readonly string[] {
  if (form === "common") return ["**"];
  if (form === "group") return [`${path}/**`];
  return [form === "pattern" ? globFor(path) : path];
}

function isLeftAlone({ skipProjects }: Configuration, { form, path }: Key): boolean {
  return form === "project" && isSkippedName(skipProjects, path);
}

/** Skipped projects; for a pattern also those of more specific patterns, and of groups with their own settings. */
function exceptionsOf(key: Key, keys: readonly Key[], configuration: Configuration): readonly string[] {
  if (key.form === "project") return [];
  const { skipProjects, skipGroups } = configuration;
  const skipped = [...skipProjects.map(skippedProjects), ...skipGroups.map(skippedGroups)];
  const others = key.form === "pattern" ? [...winners(key, keys), ...groupsWithin(key, keys)] : [];
  const globs = [...skipped, ...others.flatMap(selectorsOf)];
  return globs.filter((glob) => mayMeet(fixedPart(glob), fixedPart(selectorsOf(key)[0] ?? "")));
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
  const sorted = (each: Statement) => JSON.stringify([each.key.level.key, [...each.except].sort()]);
  return [...grouped(statements, sorted).values()].flatMap(([first, ...others]) => (first ? [[first, ...others]] : []));
}
