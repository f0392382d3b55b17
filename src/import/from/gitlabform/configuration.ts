import { isObject, type JsonObject } from "../../../base/json.ts";
import { type Places, placesIn } from "../../../manifest/positions.ts";
import { parseYaml } from "../../../manifest/yaml.ts";
import type { Place, Problem } from "../../../model/types.ts";
import { type ForeignFile, unusable } from "../foreign.ts";
import { otherSections, type WholeLevel } from "./sections.ts";

/** One key of `projects_and_groups`, and what stands below it about integrations. */
export interface ConfigLevel {
  readonly key: string;
  /** `{ integrations: … }` as far as it is stated; merge keys are gone. */
  readonly config: JsonObject;
  readonly place: (...path: string[]) => Place;
}

/** A gitlabform configuration, as far as integrations are concerned. */
export interface Configuration {
  readonly levels: readonly ConfigLevel[];
  readonly skipProjects: readonly string[];
  readonly skipGroups: readonly string[];
  /** Whether `yes` is a truth value in it. */
  readonly isYaml11: boolean;
  readonly problems: readonly Problem[];
}

/** The last version of the configuration in which integrations were called services. */
const lastOfServices = 2;

/** Reads a configuration; where any of the problems is an error, there is nothing else to it. */
export function readConfiguration({ name, text }: ForeignFile): Configuration {
  const fail = (message: string, at: Partial<Place> = {}): Configuration => ({
    ...empty,
    problems: [unusable({ file: name, line: 1, column: 1, ...at }, message)],
  });
  const yaml = parseYaml(text);
  if ("reason" in yaml) return fail(yaml.reason, { line: yaml.line + 1, column: yaml.column + 1 });
  const [root] = yaml.values;
  if (yaml.values.length !== 1 || !isObject(root)) return fail("expected one document, a gitlabform configuration");
  const places = placesIn({ file: name, text, linesBefore: 0 });
  const body = root.projects_and_groups;
  if (!isObject(body)) return fail(misfit(root));
  return { ...configurationOf(root, body, places), isYaml11: /^%YAML[ \t]+1\.1\b/m.test(text) };
}

const empty: Configuration = { levels: [], skipProjects: [], skipGroups: [], isYaml11: false, problems: [] };

function misfit(root: JsonObject): string {
  const old = ["common_settings", "group_settings", "project_settings"].find((key) => Object.hasOwn(root, key));
  if (old)
    return `${old} is of config_version 1; bring the file to version 2 or later as gitlabform's upgrade guide says`;
  return "expected projects_and_groups, a mapping, as in a gitlabform configuration";
}

function configurationOf(root: JsonObject, body: JsonObject, places: Places): Configuration {
  const at = (...path: string[]) => places.place(0, path, "key");
  const problems = [...almostDuplicates(Object.keys(body), at), ...services(root, body, at)];
  const section = isVersionOfServices(root) ? ["services", "integrations"] : ["integrations"];
  const whole: WholeLevel[] = [];
  const levels = Object.entries(body).map(([key, level]): ConfigLevel => {
    const place = (...path: string[]) => at("projects_and_groups", key, ...path);
    try {
      const sections = flattened(level);
      whole.push({ sections, place });
      return { key, config: integrationsOf(sections, section), place };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      problems.push(unusable(place(), error.message));
      return { key, config: {}, place };
    }
  });
  const skips = (key: string) =>
    listOf(root[key], () => problems.push(unusable(at(key), `expected ${key} to be a list of texts`)));
  return {
    ...empty,
    levels,
    skipProjects: skips("skip_projects"),
    skipGroups: skips("skip_groups"),
    problems: [...problems, ...otherSections(whole)],
  };
}

function isVersionOfServices({ config_version: version }: JsonObject): boolean {
  return typeof version === "number" && version <= lastOfServices;
}

function integrationsOf(level: unknown, sections: readonly string[]): JsonObject {
  if (!isObject(level)) return {};
  const stated = sections.filter((section) => Object.hasOwn(level, section)).map((section) => level[section]);
  if (stated.length === 0) return "inherit" in level ? { inherit: level.inherit } : {};
  const merged = stated.every(isObject) ? Object.assign(Object.create(null), ...stated) : stated.at(-1);
  return { ...("inherit" in level && { inherit: level.inherit }), integrations: merged };
}

type At = (...path: string[]) => Place;

function services(root: JsonObject, body: JsonObject, at: At): readonly Problem[] {
  if (isVersionOfServices(root)) return [];
  return Object.entries(body).flatMap(([key, level]): Problem[] => {
    if (!isObject(level) || !Object.hasOwn(level, "services")) return [];
    const message = "services is left out: gitlabform ignores it since config_version 3; call it integrations";
    return [{ severity: "warning", rule: "not-imported", message, place: at("projects_and_groups", key, "services") }];
  });
}

function almostDuplicates(keys: readonly string[], at: At): Problem[] {
  const known = new Set<string>();
  return keys.flatMap((key) => {
    const isKnown = known.has(key.toLowerCase());
    known.add(key.toLowerCase());
    return isKnown ? [unusable(at("projects_and_groups", key), `${key} stands there twice, in another case`)] : [];
  });
}

function listOf(value: unknown, complain: () => void): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  complain();
  return [];
}

/** What a configuration holds at most, aliases written out. */
const mostValues = 200_000;
const mostLevels = 50;

/**
 * A copy of a value in which `<<` is what it brings in: own keys win, of several mappings the first.
 * @throws RangeError where aliases make it huge, or part of itself.
 */
function flattened(value: unknown): unknown {
  let count = 0;
  const copy = (each: unknown, depth: number): unknown => {
    if (++count > mostValues) throw new RangeError(`aliases make this more than ${mostValues} values`);
    if (depth > mostLevels) throw new RangeError("aliases make this part of itself");
    if (Array.isArray(each)) return each.map((item) => copy(item, depth + 1));
    return isObject(each) ? members(each, depth) : each;
  };
  const members = (object: JsonObject, depth: number): JsonObject => {
    const { "<<": brought, ...own } = object;
    const sources = (Array.isArray(brought) ? brought : [brought]).filter(isObject);
    const inherited = sources.toReversed().map((source) => copy(source, depth + 1));
    return Object.assign(
      bare(),
      ...inherited,
      mapped(own, (each) => copy(each, depth + 1)),
    );
  };
  return copy(value, 0);
}

/** Keys are other people's words: `__proto__` is one of them. */
function bare(): Record<string, unknown> {
  return Object.create(null);
}

function mapped(object: JsonObject, change: (value: unknown) => unknown): JsonObject {
  const changed = bare();
  for (const [key, value] of Object.entries(object)) changed[key] = change(value);
  return changed;
}
