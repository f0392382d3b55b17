import { takeName } from "../../../base/free-name.ts";
import { isObject, type JsonObject } from "../../../base/json.ts";
import { kindWord, type Owner } from "../../../model/owner.ts";
import type { Place } from "../../../model/types.ts";
import type { ImportedProject } from "../../imported-project.ts";
import { fileOf, withReferences } from "../../names.ts";
import type { Draft } from "../../policy.ts";
import { translatorFor } from "../entries.ts";
import { kindInSection, renamedFields } from "../field-table.ts";
import {
  distinctEntries,
  distinctProblems,
  type ForeignChoice,
  type ForeignFile,
  type ForeignImport,
  type ForeignIntegration,
  type ForeignValue,
  notImported,
  type TranslatedEntry,
  unusable,
} from "../foreign.ts";
import { resourceEntry } from "../kind-entries.ts";

import { type Configuration, readConfiguration } from "./configuration.ts";
import { faultsOf } from "./inherit.ts";
import { byPolicy, type Statement, statementsOf } from "./policies.ts";
import { type SectionTable, sectionAndName, sectionTable } from "./sections.ts";

/** What a gitlabform configuration declares of projects. */
export function importGitlabform(file: ForeignFile, choice: ForeignChoice): ForeignImport {
  const configuration = readConfiguration(file);
  const faults = configuration.levels.flatMap((level) =>
    faultsOf(level).map(({ path, message }) => unusable(level.place(...path), message)),
  );
  const problems = [...configuration.problems, ...faults];
  if (problems.some(({ severity }) => severity === "error")) return { drafts: [], problems };
  const { statements, problems: unstated } = statementsOf(configuration);
  const integrations = new Map(statements.filter(isIntegration).map((each) => [each, foreignOf(each, configuration)]));
  const { translate, numberOf } = translatorFor(integrations.values(), choice.catalogue, choice.platform);
  const translated = new Map(
    statements.map((each): [Statement, TranslatedEntry] => {
      const integration = integrations.get(each);
      if (integration) return [each, translate(integration)];
      return [each, resourceOf(each, configuration, { ...choice, numberOf })];
    }),
  );
  const policies = byPolicy(statements);
  const contents = policies.map((own) =>
    distinctEntries(
      own.flatMap((each) => translated.get(each) ?? []),
      choice.catalogue,
    ),
  );
  const drafts = draftsFor(policies, contents, choice);
  const untranslated = distinctProblems(contents.flat().flatMap((each) => each.problems));
  return { drafts, problems: [...problems, ...unstated, ...untranslated] };
}

function isIntegration({ id }: Statement): boolean {
  return sectionAndName(id)[0] === "integrations";
}

type Body = ReadonlyMap<string, ForeignValue>;

/** The parameters or fields that a statement contains, each with its location. */
function bodyOf({ id, value, levels }: Statement, { isYaml11 }: Configuration): Body {
  const path = sectionAndName(id).filter((part) => part !== "");
  const body = isObject(value) ? value : {};
  return new Map(
    Object.entries(body).map(([name, each]): [string, ForeignValue] => {
      const truth = isYaml11 ? truths.get(String(each).toLowerCase()) : undefined;
      return [name, { value: each, truth, place: () => placeIn(levels, [...path, name]) }];
    }),
  );
}

function foreignOf(statement: Statement, configuration: Configuration): ForeignIntegration {
  const [section, slug] = sectionAndName(statement.id);
  const parameters = new Map(bodyOf(statement, configuration));
  const isOff = Boolean(parameters.get("delete")?.value);
  for (const name of ["delete", "inherit"]) parameters.delete(name);
  return { slug, of: "project", isOff, parameters, place: () => placeIn(statement.levels, [section, slug]) };
}

/** `enforce: true` removes what the section does not list. */
const enforce = "enforce";

function resourceOf(
  statement: Statement,
  configuration: Configuration,
  context: ForeignChoice & Pick<ReturnType<typeof translatorFor>, "numberOf">,
): TranslatedEntry {
  const [section, name] = sectionAndName(statement.id);
  const place = () => placeIn(statement.levels, name === "" ? [section] : [section, name]);
  const title = name === "" ? section : `${name} of ${section}`;
  const table = sectionTable(section);
  const kind = table && kindInSection(context, table);
  if (!table || !kind) return { problems: [notImported(place(), `${title} is left out: policies have no such kind`)] };
  if (name === enforce && !isObject(statement.value))
    return statement.value === true ? { exclusive: table.section, problems: [] } : { problems: [] };
  if (!isObject(statement.value))
    return { problems: [notImported(place(), `${title} is left out: expected a mapping of fields`)] };
  const body = new Map(bodyOf(statement, configuration));
  const isAbsent = removes(table, body);
  if (table.key) body.set(table.key, { value: name, place });
  const { fields, problems } = renamedFields(table, title, body);
  const translated = resourceEntry({ kind, title, isAbsent, fields, place }, context);
  return { ...translated, problems: [...problems, ...translated.problems] };
}

/** Whether it has to be absent; removes the flags that say so. */
function removes({ absent = {} }: SectionTable, body: Map<string, ForeignValue>): boolean {
  const flags = Object.entries({ ...absent, delete: true });
  const isAbsent = flags.some(([name, value]) => body.has(name) && body.get(name)?.value === value);
  for (const name of [...flags.map(([flag]) => flag), "inherit"]) body.delete(name);
  return isAbsent;
}

/** Further booleans of YAML 1.1. */
const truths: ReadonlyMap<string, boolean> = new Map([
  ["yes", true],
  ["on", true],
  ["no", false],
  ["off", false],
]);

/** The location at the most specific level that states it. */
function placeIn(levels: Statement["levels"], path: readonly string[]): Place {
  const stating = levels.find(({ config }) => path.reduce<unknown>(stepInto, config) !== undefined) ?? levels.at(-1);
  return stating?.place(...path) ?? { file: "", line: 1, column: 1 };
}

function stepInto(at: unknown, key: string): unknown {
  return isObject(at) ? (at as JsonObject)[key] : undefined;
}

function draftsFor(
  policies: ReturnType<typeof byPolicy>,
  contents: readonly (readonly TranslatedEntry[])[],
  { catalogue, secrets }: ForeignChoice,
): readonly Draft[] {
  const parts = policies.map(([first], index): ImportedProject => {
    const entries = (contents[index] ?? []).flatMap(({ entry }) => entry ?? []);
    return { project: { name: titleOf(first) }, entries, remarks: [] };
  });
  const named = withReferences(parts, { secrets, catalogue });
  const taken = new Set<string>();
  return policies.flatMap(([first], index) => {
    const entries = named[index]?.entries ?? [];
    const of = contents[index] ?? [];
    const disabled = of.flatMap(({ off }) => off ?? []);
    const absent = of.flatMap((each) => each.absent ?? []);
    const exclusive = [...new Set(of.flatMap((each) => each.exclusive ?? []))];
    const isNeeded = entries.length + disabled.length + absent.length + exclusive.length > 0;
    return isNeeded ? [draftOf(first, { entries, disabled, absent, exclusive }, taken)] : [];
  });
}

type Content = Pick<Draft, "entries"> & Required<Pick<Draft, "disabled" | "absent" | "exclusive">>;

function draftOf(first: Statement, content: Content, taken: Set<string>): Draft {
  const { key, owner, projects, except } = first;
  const { entries, disabled, absent } = content;
  const [named = { key: "", kind: disabled[0] ?? "" }] = [...entries, ...absent];
  const title = titleOf(first);
  const suffix = owner === "group" ? "-groups" : "";
  return {
    file: fileOf({ name: title }),
    name: nameFor(`${title}${suffix}`, named.key || kindWord(named.kind), taken),
    projects,
    except: [...except].sort(),
    heading: key.form === "common" ? everywhere[owner] : [],
    ...content,
    remarks: [],
  };
}

const everywhere: Readonly<Record<Owner, readonly string[]>> = {
  project: [
    "For every project that the token sees. gitlabform leaves out archived projects, and those of users:",
    "add them to except where that matters.",
  ],
  group: ["For every group that the token sees."],
};

function titleOf({ key: { form, path } }: Statement): string {
  return form === "common" ? "shared" : path;
}

function nameFor(title: string, slug: string, taken: Set<string>): string {
  return takeName(taken.has(title.toLowerCase()) ? `${title}-${slug}` : title, taken);
}
