import { grouped } from "../../../../base/grouped.ts";
import { canonical, isObject } from "../../../../base/json.ts";
import { isMatch, literalOf } from "../../../../manifest/selection.ts";
import { selectorOf } from "../../../../manifest/selector.ts";
import { type Owner, ownerName, owners } from "../../../../model/owner.ts";
import type { Problem } from "../../../../model/types.ts";
import { notImported } from "../foreign.ts";
import { archiving, type Configuration, isEmptyValue, sectionTable, stepInto } from "./configuration.ts";
import {
  byRank,
  type Effective,
  effectiveIn,
  globFor,
  isSkippedName,
  type Key,
  keyOf,
  type SectionResource,
  skippedGlobs,
} from "./inherit.ts";
import { type Statement, statesItself } from "./statement.ts";

interface Growing extends Statement {
  readonly except: Set<string>;
}

/**
 * Converts gitlabform's levels to statements of policies: each level states what differs from
 * the levels above, and a statement excludes the projects for which a level removes it.
 */
export function statementsOf(configuration: Configuration): {
  readonly statements: readonly Statement[];
  /** Redundant settings of a level, which less specific policies have already. */
  readonly repeated: readonly Statement[];
  readonly problems: readonly Problem[];
} {
  const effective = effectiveIn(configuration);
  const left = new Map(configuration.levels.map(keyOf).map((key) => [key, explainIdle(key, configuration, effective)]));
  const used = [...left].flatMap(([key, why]) => (why === undefined ? [key] : [])).toSorted(byWidth);
  const repeated: Statement[] = [];
  const statements = owners.flatMap((owner) => {
    const stated = new Map<string, Growing[]>();
    for (const key of used.filter((each) => isAbout(each, owner))) {
      const { resources, levels } = effective(createSample(key));
      const own = new Map([...resources].filter(([, { table }]) => (table.of ?? "project") === owner));
      const except = listExcluded(key, used, configuration, owner);
      repeated.push(...place({ key, owner, projects: listSelectors(key, owner), except, levels }, own, stated));
    }
    return [...stated.values()].flat();
  });
  const unused = [...left].flatMap(([key, why]) => (why === undefined ? [] : leftKey(key, why)));
  const unread = used.flatMap((key) => unreadSections(key, effective(createSample(key))));
  const overlaps = used.flatMap((key) => {
    const groups = key.form === "pattern" ? groupsWithin(key, used) : [];
    if (groups.length === 0) return [];
    const where = groups.map(({ level }) => level.key).join(", ");
    const message = `${key.level.key} is left out for projects in ${where}, which have settings of their own`;
    return [notImported(key.level.place(), message)];
  });
  return { statements, repeated, problems: [...unused, ...overlaps, ...unread] };
}

type Placed = Pick<Growing, "key" | "owner" | "projects" | "levels"> & { readonly except: readonly string[] };

/** Adds the statements of a key; those that add nothing are returned. */
function place(
  placed: Placed,
  resources: ReadonlyMap<string, SectionResource>,
  statements: Map<string, Growing[]>,
): readonly Statement[] {
  const { key, owner, projects } = placed;
  const repeated: Statement[] = [];
  const sample = ownerName(owner, createSample(key));
  for (const id of new Set([...resources.keys(), ...statements.keys()])) {
    const existing = statements.get(id) ?? [];
    const applying = existing.filter(
      (each) => each.key.form !== "project" && specificityOf(each, sample) !== undefined,
    );
    const own = resources.get(id);
    const replaced = applying.filter((each) => !own || addsFields(each, own) || isRenamed(each, own));
    for (const each of replaced) for (const project of projects) each.except.add(project);
    statements.set(id, existing);
    if (!own) continue;
    const statement = { ...own, ...placed, except: new Set(placed.except) };
    const rank = (each: Growing) => specificityOf(each, sample) ?? 0;
    const [nearest] = applying.toSorted((a, b) => rank(b) - rank(a));
    if (!isSame(own.value, nearest?.value)) existing.push(statement);
    else if (statesItself(statement)) repeated.push(statement);
  }
  return repeated;
}

/** True if a wider statement sets a field that this one lacks, which would remain: policies merge singletons. */
function addsFields({ table, value: wider }: Statement, { value }: SectionResource): boolean {
  if (!table.one || !isObject(wider) || !isObject(value)) return false;
  return Object.keys(wider).some((name) => !Object.hasOwn(value, name));
}

/** True if a nearer level gives a wider entry another name, so that both would be resources of their own. */
function isRenamed({ table: { names = [] }, value: wider }: Statement, { value }: SectionResource): boolean {
  return names.some((name) => !isSame(stepInto(wider, name) ?? null, stepInto(value, name) ?? null));
}

function isSame(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

/** The specificity of a statement for a project; undefined if it does not apply. */
function specificityOf({ projects, except }: Growing, path: string): number | undefined {
  const matching = (selectors: Iterable<string>) =>
    Array.from(selectors, (each) => selectorOf(each)).filter((each) => isMatch(each, { name: path, path }));
  const selectors = matching(projects);
  if (selectors.length === 0 || matching(except).length > 0) return undefined;
  return Math.max(...selectors.map(literalOf));
}

const widths = ["common", "group", "pattern", "project"] as const;

/** Sorts the widest first, and the most specific pattern last. */
function byWidth(a: Key, b: Key): number {
  const width = widths.indexOf(a.form) - widths.indexOf(b.form);
  if (width !== 0 || a.form === "project") return width;
  return a.form === "pattern" ? byRank(b, a) : a.path.split("/").length - b.path.split("/").length;
}

/** Replaces a wildcard; no path of a project contains it. */
const anything = "~";

/** A path that the key matches, and no more specific one. */
function createSample({ form, path }: Key): string {
  if (form === "common") return `${anything}/${anything}/${anything}`;
  return form === "group" ? `${path}/${anything}/${anything}` : path.replaceAll("*", anything);
}

/** Explains why a key has no effect; undefined if it has one. */
function explainIdle(key: Key, { skipProjects }: Configuration, effective: (project: string) => Effective) {
  const { form, path } = key;
  if (/[?[\]{}\\]/.test(path)) return "no path of a group or project has such characters";
  if (form === "group" && path.includes("*")) return "gitlabform takes no wildcards in the name of a group";
  if (form === "project" && !/^[^/].*\/.*[^/]$/.test(path)) return "expected GROUP/PROJECT, GROUP/* or *";
  if (form === "project" && isSkippedName(skipProjects, path)) return "skip_projects contains it";
  if (effective(createSample(key)).levels.includes(key.level)) return undefined;
  return form === "pattern" ? "another pattern has the same projects" : "skip_groups contains it";
}

/** Statements that belong into one policy. */
export function byPolicy(statements: readonly Statement[]): readonly (readonly [Statement, ...Statement[]])[] {
  const sorted = (each: Statement) => JSON.stringify([each.key.level.key, each.owner, [...each.except].sort()]);
  return [...grouped(statements, sorted).values()];
}

function listSelectors({ form, path }: Key, owner: Owner): readonly string[] {
  if (form === "common") return [ownerName(owner, "**")];
  if (form === "group") return [ownerName(owner, `${path}/**`)];
  return [form === "pattern" ? globFor(path) : path];
}

/** Skipped projects; for a pattern also those of more specific patterns, and of groups with their own settings. */
function listExcluded(key: Key, keys: readonly Key[], configuration: Configuration, owner: Owner): readonly string[] {
  if (key.form === "project") return [];
  const isNearer = (other: Key) => other.form === "pattern" && byRank(other, key) < 0;
  const others = key.form === "pattern" ? [...keys.filter(isNearer), ...groupsWithin(key, keys)] : [];
  const globs = [...skippedGlobs(configuration, owner), ...others.flatMap((other) => listSelectors(other, owner))];
  return globs.filter((glob) => mayMeet(fixedPart(glob), fixedPart(listSelectors(key, owner)[0] ?? "")));
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

/** Reports that a key of `projects_and_groups` has no effect. */
function leftKey({ level }: Key, why: string): readonly Problem[] {
  return [notImported(level.place(), `${level.key} is left out: ${why}`)];
}

/** True for keys that apply to the owner: `*` and `GROUP/*` for sections of groups. */
function isAbout({ form }: Key, owner: Owner): boolean {
  return owner === "project" || form === "common" || form === "group";
}

/** Reports the sections of a key without effect. */
function unreadSections(key: Key, { isArchived, skipped }: Effective): readonly Problem[] {
  if (isArchived) return leftKey(key, `${archiving.section}.${archiving.flag} is true`);
  const { level } = key;
  const { [archiving.section]: _, ...sections } = level.config;
  return Object.entries(sections).flatMap(([section, body]) => {
    const isMeant = isAbout(key, sectionTable(section)?.of ?? "project");
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
