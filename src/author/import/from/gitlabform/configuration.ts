import table from "../../../../../schemas/coming-from/gitlabform.json" with { type: "json" };
import { isObject, type JsonObject } from "../../../../base/json.ts";
import { nearest as nearestWord } from "../../../../base/nearest.ts";
import { aliasFault } from "../../../../manifest/document.ts";
import { placesIn } from "../../../../manifest/positions.ts";
import { parseYaml, type Yaml } from "../../../../manifest/yaml.ts";
import type { Place, Problem } from "../../../../model/types.ts";
import type { FieldTable } from "../field-table.ts";
import { type ForeignFile, type NamedPlace, notImported, reportUnsupported, unusable } from "../foreign.ts";

/** A section of a configuration, and the kind of resource that it declares. */
export interface SectionTable extends FieldTable {
  /** The field that contains the keys of the section, if its values do not. */
  readonly key?: string;
  /** Fields that name a resource, in a section whose keys are only labels. */
  readonly names?: readonly string[];
  /** True if the whole section is one resource. */
  readonly one?: true;
  /** True if it is a list of keys. */
  readonly list?: true;
  /** Sections within it, by path. */
  readonly parts?: Readonly<Record<string, SectionTable>>;
  /** Values of fields that mean removal; the fields themselves are not settings. */
  readonly absent?: Readonly<Record<string, unknown>>;
}

const sections = new Map<string, SectionTable>(Object.entries(table.sections as Record<string, SectionTable>));

/** The table of a section, or of a section within it (`members.users`); undefined if policies are not about it. */
export function sectionTable(section: string): SectionTable | undefined {
  const [own = "", ...path] = section.split(".");
  return path.length === 0 ? sections.get(own) : sections.get(own)?.parts?.[path.join(".")];
}

/** The section and flag for archiving a project, in which case gitlabform reads nothing else. */
export const archiving = table.archiving;

/** Sections, and keys beside projects_and_groups, that no kind is about, with the reason. */
const unsupported = new Map<string, string>(Object.entries(table.unsupported));

export function isEmptyValue(value: unknown): boolean {
  return value === null || value === undefined || (isObject(value) && Object.keys(value).length === 0);
}

/** The value of a key of a mapping, or of an index of a list. */
export function stepInto(at: unknown, part: string): unknown {
  return (isObject(at) || Array.isArray(at)) && Object.hasOwn(at, part) ? (at as JsonObject)[part] : undefined;
}

export interface ConfigLevel {
  readonly key: string;
  /** `{ integrations: …, hooks: … }`: the sections that policies can declare, with merge keys resolved. */
  readonly config: JsonObject;
  readonly place: (...path: string[]) => Place;
}

export interface Configuration {
  readonly levels: readonly ConfigLevel[];
  readonly skipProjects: readonly string[];
  readonly skipGroups: readonly string[];
  readonly problems: readonly Problem[];
}

/** The last config_version in which integrations are called services, and the last of releases that read YAML 1.1. */
const lastOfServices = 2;
const lastOfYaml11 = 3;

/** Reads a configuration; empty if any of the problems is an error. */
export function readConfiguration({ name, text }: ForeignFile): Configuration {
  const fail = (message: string, at: Partial<Place> = {}): Configuration => ({
    levels: [],
    skipProjects: [],
    skipGroups: [],
    problems: [unusable({ file: name, line: 1, column: 1, ...at }, message)],
  });
  const yaml = parseVersioned(text);
  if ("reason" in yaml) return fail(yaml.reason, { line: yaml.line + 1, column: yaml.column + 1 });
  const [root] = yaml.values;
  if (yaml.values.length !== 1 || !isObject(root)) return fail("expected one document, a gitlabform configuration");
  const places = placesIn({ file: name, text, linesBefore: 0 });
  const body = root.projects_and_groups;
  if (!isObject(body)) return fail(misfit(root), places.place(0, ["projects_and_groups"], "key"));
  return parseConfiguration(root, body, places);
}

/** The version of YAML is that of a directive, or else 1.1 as long as `config_version` is 3 or less. */
function parseVersioned(text: string): Yaml {
  const yaml = parseYaml(text, { merge: true });
  const [root] = "values" in yaml ? yaml.values : [];
  const version = isObject(root) ? root.config_version : undefined;
  const [, stated] = /^%YAML[ \t]+1\.(\d)\b/m.exec(text) ?? [];
  const words = stated === undefined ? typeof version === "number" && version <= lastOfYaml11 : stated === "1";
  return words ? parseYaml(text, { merge: true, words }) : yaml;
}

function misfit(root: JsonObject): string {
  const old = ["common_settings", "group_settings", "project_settings"].find((key) => Object.hasOwn(root, key));
  if (old)
    return `${old} is of config_version 1; bring the file to version 2 or later as gitlabform's upgrade guide says`;
  const isThere = Object.hasOwn(root, "projects_and_groups");
  const nearest = isThere ? undefined : nearestWord("projects_and_groups", Object.keys(root));
  const found = nearest === undefined ? "" : `; found ${nearest}`;
  return `expected projects_and_groups, a mapping, as in a gitlabform configuration${found}`;
}

function parseConfiguration(root: JsonObject, body: JsonObject, places: ReturnType<typeof placesIn>): Configuration {
  const at = (...path: string[]) => places.place(0, path, "key");
  const { config_version: version } = root;
  const hasServices = typeof version === "number" && version <= lastOfServices;
  const problems: Problem[] = [...unreadKeys(root, at)];
  const others: NamedPlace[] = [...unsupported.keys()]
    .filter((name) => Object.hasOwn(root, name))
    .map((name) => ({ name, place: () => at(name) }));
  const known = new Set<string>();
  const levels = Object.entries(body).map(([key, level]): ConfigLevel => {
    const place = (...path: string[]) => at("projects_and_groups", key, ...path);
    if (known.has(key.toLowerCase())) problems.push(unusable(place(), `${key} stands there twice, in another case`));
    known.add(key.toLowerCase());
    const fault = aliasFault(level);
    if (fault) problems.push(unusable(place(), fault.message));
    if (fault || !isObject(level) || isEmptyValue(level)) {
      const why = isEmptyValue(level) ? "it is empty" : "expected a mapping of sections";
      if (!fault) problems.push(notImported(place(), `${key} is left out: ${why}`));
      return { key, config: {}, place };
    }
    if (!hasServices && Object.hasOwn(level, "services"))
      problems.push(notImported(place("services"), `services is left out: ${noServices}`));
    const names = Object.keys(level).filter((name) => !knownSections.has(name));
    others.push(...names.map((name) => ({ name, place: () => place(name) })));
    return { key, config: readSections(level, hasServices), place };
  });
  const readSkips = (key: string): readonly string[] => {
    const value = root[key] ?? [];
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
    problems.push(unusable(at(key), `expected ${key} to be a list of texts`));
    return [];
  };
  return {
    levels,
    skipProjects: readSkips("skip_projects"),
    skipGroups: readSkips("skip_groups"),
    problems: [...problems, ...reportUnsupported(others, "section", (name) => unsupported.get(name))],
  };
}

const noServices = "gitlabform ignores it since config_version 3; call it integrations";

const knownSections: ReadonlySet<string> = new Set(["integrations", "services", "inherit", ...sections.keys()]);

/** The sections that policies are about, integrations first; services are older ones. */
function readSections(level: JsonObject, withServices: boolean): JsonObject {
  const names = withServices ? ["services", "integrations"] : ["integrations"];
  const stated = names.filter((name) => Object.hasOwn(level, name)).map((name) => level[name]);
  const integrations = stated.every(isObject) ? Object.assign(Object.create(null), ...stated) : stated.at(-1);
  const isRead = (name: string) => (sectionTable(name) && name !== "integrations") || name === archiving.section;
  return {
    ...("inherit" in level && { inherit: level.inherit }),
    ...(stated.length > 0 && { integrations }),
    ...Object.fromEntries(Object.entries(level).filter(([name]) => isRead(name))),
  };
}

const readKeys: ReadonlySet<string> = new Set([
  "config_version",
  "projects_and_groups",
  "skip_projects",
  "skip_groups",
  ...unsupported.keys(),
]);

/** Ignores keys that only hold anchors: their contents are read where aliases use them. */
function unreadKeys(root: JsonObject, at: ConfigLevel["place"]): readonly Problem[] {
  const unread = Object.keys(root).filter((key) => !readKeys.has(key));
  return unread.map((key) => {
    const why =
      key === "gitlab" ? "evenkeel.yaml states the server" : "gitlabform reads no such key; aliases of it are followed";
    return notImported(at(key), `${key} is left out: ${why}`);
  });
}
