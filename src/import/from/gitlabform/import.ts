import { takeName } from "../../../base/free-name.ts";
import { isObject, type JsonObject } from "../../../base/json.ts";
import type { Place } from "../../../model/types.ts";
import type { ImportedProject } from "../../imported-project.ts";
import { fileOf, withReferences } from "../../names.ts";
import type { Draft } from "../../policy.ts";
import { type TranslatedIntegration, translatorFor } from "../entries.ts";
import {
  distinctProblems,
  type ForeignChoice,
  type ForeignFile,
  type ForeignImport,
  type ForeignIntegration,
  type ForeignValue,
  unusable,
} from "../foreign.ts";

import { type Configuration, readConfiguration } from "./configuration.ts";
import { faultsOf } from "./inherit.ts";
import { byPolicy, type Statement, statementsOf } from "./policies.ts";

/** The integrations of a gitlabform configuration. */
export function importGitlabform(file: ForeignFile, choice: ForeignChoice): ForeignImport {
  const configuration = readConfiguration(file);
  const faults = configuration.levels.flatMap((level) =>
    faultsOf(level).map(({ path, message }) => unusable(level.place(...path), message)),
  );
  const problems = [...configuration.problems, ...faults];
  if (problems.some(({ severity }) => severity === "error")) return { drafts: [], problems };
  const { statements, problems: unstated } = statementsOf(configuration);
  const foreign = new Map(statements.map((each) => [each, foreignOf(each, configuration)]));
  const translator = translatorFor(foreign.values(), choice.catalogue, choice.platform);
  const translated = new Map([...foreign].map(([each, integration]) => [each, translator.translate(integration)]));
  const drafts = draftsFor(byPolicy(statements), translated, choice);
  const untranslated = distinctProblems([...translated.values()].flatMap((each) => each.problems));
  return { drafts, problems: [...problems, ...unstated, ...untranslated] };
}

function foreignOf({ slug, value, levels }: Statement, { isYaml11 }: Configuration): ForeignIntegration {
  const body = isObject(value) ? value : {};
  const places = (...path: string[]) => placeIn(levels, ["integrations", slug, ...path]);
  const { delete: isOff, inherit: _, ...parameters } = body;
  const read = Object.entries(parameters).map(([name, each]): [string, ForeignValue] => {
    const truth = isYaml11 ? truths.get(String(each).toLowerCase()) : undefined;
    return [name, { value: each, truth, place: () => places(name) }];
  });
  return { slug, isOff: Boolean(isOff), parameters: new Map(read), place: () => places() };
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
  translated: ReadonlyMap<Statement, TranslatedIntegration>,
  { catalogue, secrets }: ForeignChoice,
): readonly Draft[] {
  const parts = policies.map((statements): ImportedProject => {
    const entries = statements.flatMap((each) => translated.get(each)?.entry ?? []);
    return { project: { name: titleOf(statements[0]) }, entries, remarks: [] };
  });
  const named = withReferences(parts, { secrets, catalogue });
  const taken = new Set<string>();
  return policies.flatMap((statements, index) => {
    const entries = named[index]?.entries ?? [];
    const disabled = statements.flatMap((each) => translated.get(each)?.off ?? []);
    return entries.length + disabled.length > 0 ? [draftOf(statements[0], entries, disabled, taken)] : [];
  });
}

function draftOf(first: Statement, entries: Draft["entries"], disabled: readonly string[], taken: Set<string>): Draft {
  const { key, projects, except } = first;
  return {
    file: fileOf({ name: titleOf(first) }),
    name: nameFor(titleOf(first), entries[0]?.key ?? disabled[0] ?? "", taken),
    projects,
    except: [...except].sort(),
    heading: key.form === "common" ? everywhere : [],
    entries,
    disabled,
    remarks: [],
  };
}

const everywhere = [
  "For every project that the token sees. gitlabform leaves out archived projects, and those of users:",
  "add them to except where that matters.",
];

function titleOf({ key: { form, path } }: Statement): string {
  return form === "common" ? "shared" : path;
}

function nameFor(title: string, slug: string, taken: Set<string>): string {
  return takeName(taken.has(title.toLowerCase()) ? `${title}-${slug}` : title, taken);
}
